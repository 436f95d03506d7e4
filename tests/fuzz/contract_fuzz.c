/* Every wire type may be fed anything. What decodes is written, read again and equal; what is refused leaves nothing
 * behind and says where and why. */
#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "contract/schema.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OBJECT_MAX = 1024 };

struct object {
    _Alignas(16) unsigned char bytes[OBJECT_MAX];
};

static enum il_code decode(const struct il__schema *schema, struct il__json *doc, struct object *out,
                           struct il_error *err)
{
    enum il_code code = il__schema_strict(schema, doc, 0, err);
    return code ? code : il__decode(schema, doc, 0, out, err);
}

static void read_back(const struct il__schema *schema, struct il__mem *mem, const struct object *obj)
{
    struct il__json doc = { .text = IL_STR_NONE };
    struct object again;
    struct il__buf buf;
    struct il__json_writer w;
    il__buf_init(&buf, mem, 0);
    il__jw_init(&w, &buf);
    il__encode(schema, obj, &w);
    if (il__buf_check(&buf, NULL)) abort();
    if (il__json_parse(&doc, mem, il__buf_get(&buf), IL__JSON_PAYLOAD, NULL)) abort();
    if (decode(schema, &doc, &again, NULL) || !il__equal(schema, obj, &again)) abort();
    il__json_clear(&doc);
    il__buf_clear(&buf);
}

static void try_kind(const struct il__schema *schema, struct il__mem *mem, struct il__json *doc)
{
    struct object obj = { { 0 } };
    struct il_error err = IL_ERROR_INIT;
    enum il_code code = decode(schema, doc, &obj, &err);
    if (!code) {
        read_back(schema, mem, &obj);
        return;
    }
    if (code != err.code || (code != IL_DECODE && code != IL_INVALID_REQUEST)) abort();
    if (!err.object[0] || !err.message[0] || (err.field[0] && err.field[0] != '/')) abort();
    for (size_t i = 0; i < schema->size; i++) {
        if (obj.bytes[i]) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct il__mem mem;
    struct il__json doc = { .text = IL_STR_NONE };
    il__mem_init(&mem, NULL, NULL, 0);
    if (il__json_parse(&doc, &mem, (struct il_str){ (const char *)data, size }, IL__JSON_PAYLOAD, NULL)) return 0;
    for (size_t i = 0; il__schema_kind_at(i); i++) {
        const struct il__schema *schema = il__schema_by_kind(il__str(il__schema_kind_at(i)));
        if (schema->size > OBJECT_MAX) abort();
        try_kind(schema, &mem, &doc);
    }
    il__json_clear(&doc);
    if (mem.in_use_bytes) abort();
    return 0;
}
