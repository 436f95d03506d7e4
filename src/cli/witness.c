/* Reading a witness (witness.h). */
#include "cli/witness.h"

#include "cli/evidence.h"
#include "cli/files.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int read_keys(struct il__io *io, const struct il__args *args, const char *option, struct il__witness *out)
{
    const struct il__values *keys = il__args_values(args, option);
    int status = 0;
    for (size_t i = 0; i < keys->count && status == 0; i++) {
        char id[17];
        struct il_text *key = &out->keys[out->count];
        status = il__evidence_public_key(io, il__args_json(args), keys->at[i], key, id);
        out->list[out->count++] = il__evidence_str(key);
    }
    return status;
}

int il__witness_read(struct il__io *io, const struct il__args *args, const char *keys, bool may_be_new,
                     struct il__witness *out)
{
    const char *path = il__args_value(args, "witness");
    memset(out, 0, sizeof *out);
    int status = read_keys(io, args, keys, out);
    if (status != 0 || !path) return status;
    if (!may_be_new && !out->count) {
        il__io_error(io, "--witness is read with the key that signed its heads; write --%s FILE as well", keys);
        return 2;
    }
    if (may_be_new && access(path, F_OK) != 0 && errno == ENOENT) return 0;
    status = il__io_read(io, path, &out->text);
    out->given = status == 0 && (out->text.len > 0 || !may_be_new);
    return status;
}

void il__witness_clear(struct il__witness *witness)
{
    for (size_t i = 0; i < witness->count; i++) il_text_clear(&witness->keys[i]);
    il__text_clear(&witness->text);
    witness->count = 0;
}
