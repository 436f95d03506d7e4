/* Keys for the commands on evidence, and their exit statuses (evidence.h). Must never print a private key. */
#include "cli/evidence.h"

#include "cli/files.h"
#include "cli/look.h"
#include "cli/report.h"

#include <string.h>

int il__evidence_status(enum il_code code)
{
    switch (code) {
    case IL_IDENTITY_MISMATCH: return 9;
    case IL_DECODE:
    case IL_INVALID_REQUEST:
    case IL_LIMIT_EXCEEDED: return 65;
    default: return 8;
    }
}

static struct il_str trimmed(struct il_str s)
{
    while (s.len && strchr(" \t\r\n", s.ptr[s.len - 1])) s.len--;
    while (s.len && strchr(" \t\r\n", s.ptr[0])) s.ptr++, s.len--;
    return s;
}

enum il_code il__evidence_key_of(struct il_str file, struct il_text *out, char id[17], struct il_error *err)
{
    struct il__text member = IL__TEXT_INIT;
    struct il_str text = trimmed(file);
    if (text.len && text.ptr[0] == '{') {
        il__look_text(&member, il__look_get(text, "key"));
        text = il__text_get(&member);
    }
    enum il_code code = il_key_public(text, out, id, err);
    il__text_clear(&member);
    return code;
}

int il__evidence_public_key(struct il__io *io, bool json, const char *path, struct il_text *out, char id[17])
{
    struct il__text file = IL__TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    int status = il__io_read(io, path, &file);
    if (status == 0) {
        enum il_code code = il__evidence_key_of(il__text_get(&file), out, id, &err);
        if (code != IL_OK) status = il__report(io, json, path, &err, code == IL_DECODE ? 65 : 8);
    }
    il__text_clear(&file);
    return status;
}

int il__evidence_private_key(struct il__io *io, bool json, const char *path, struct il_text *out)
{
    struct il_error err = IL_ERROR_INIT;
    enum il_code code = il_key_file_read(il__text_of(path), out, &err);
    if (code == IL_OK) return 0;
    return il__report(io, json, NULL, &err, code == IL_DECODE ? 65 : code == IL_INVALID_REQUEST ? 2 : 8);
}
