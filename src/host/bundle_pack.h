/* A bundle in one file: a canonical JSON document {"files":[{"path","text"} or {"base64","path"}],"interlockBundle":1}
 * with what a host loads of the folder, bundle.sig included, sorted by path. The same bundle gives the same bytes, and
 * other bytes than these are no packed bundle. Uses the strict JSON reader. Must never unpack what it would not have
 * packed. */
#ifndef IL_HOST_BUNDLE_PACK_H
#define IL_HOST_BUNDLE_PACK_H

#include "base/buf.h"
#include "host/bundle_dir.h"

/* Appends the packed bundle; files that lie beside are left out, and `sig`, when it is present, takes the place of
 * bundle.sig. That the files are a bundle is the caller's to know. */
enum il_code il__bundle_pack(struct il__mem *mem, const struct il_file *files, size_t count, struct il_str sig,
                             struct il__buf *out, struct il_error *err) IL_MUST_USE;
/* The files of a packed bundle, as il__bundle_dir_read gives those of a folder. `shown` is its name in messages. */
enum il_code il__bundle_unpack(struct il__mem *mem, struct il_str text, const char *shown, struct il__bundle_dir *dir,
                               struct il_error *err) IL_MUST_USE;

#endif
