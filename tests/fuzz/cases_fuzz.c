/* Cases and packed bundles may be anything. A case that is taken makes a scene of each phase, is read the same from its
 * own document, and is no other when what is unknown is left out; a bundle that is unpacked packs to the very same
 * bytes. Nothing is kept. */
#include "host/bundle_pack.h"
#include "host/policy_case.h"

#include "include/interlock.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_case(struct il__mem *mem, struct il_str text)
{
    struct il__case c, again;
    struct il__scene scene;
    struct il_error err = IL_ERROR_INIT;
    const enum il_code code = il__case_read(mem, text, 0, &c, &err);
    if (code && !err.message[0]) abort();
    if (!code) {
        for (int phase = IL__PHASE_PROPOSE; phase <= IL__PHASE_EXECUTE; phase++)
            il__case_scene(&c, (enum il__phase)phase, &scene);
        if (il__case_read(mem, c.doc.text, 0, &again, &err)) abort();
        if (!il__str_eq(again.proposal.tool, c.proposal.tool) || again.route != c.route || again.decides != c.decides ||
            again.history_count != c.history_count)
            abort();
        il__case_clear(&again);
        if (il__case_read(mem, text, IL_POLICY_RECORDED, &again, &err)) abort(); /* it is the laxer reader */
        il__case_clear(&again);
    }
    il__case_clear(&c);
}

static void try_pack(struct il__mem *mem, struct il_str text)
{
    struct il__bundle_dir dir;
    struct il__buf out;
    struct il_error err = IL_ERROR_INIT;
    if (il__bundle_unpack(mem, text, "fuzzed", &dir, &err)) {
        if (!err.message[0]) abort();
        return;
    }
    il__buf_init(&out, mem, 0);
    if (il__bundle_pack(mem, dir.files, dir.count, IL_STR_NONE, &out, &err) == IL_OK &&
        !il__str_eq(il__buf_get(&out), text))
        abort();
    il__buf_clear(&out);
    il__bundle_dir_clear(&dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct il__mem mem;
    const struct il_str text = { size ? (const char *)data : "", size };
    il__mem_init(&mem, NULL, NULL, 0);
    try_case(&mem, text);
    try_pack(&mem, text);
    if (mem.in_use_bytes) abort();
    return 0;
}
