/* Reads a policy bundle from a directory, or from one packed file, into memory, once: regular files only, no links
 * anywhere below, bounded in number and size. What bundle.json does not list is refused by whoever takes the files. */
#ifndef IL_HOST_BUNDLE_DIR_H
#define IL_HOST_BUNDLE_DIR_H

#include "base/mem.h"

struct il__bundle_dir {
    struct il__mem *mem;
    struct il__arena arena;
    struct il_file *files; /* sorted by path */
    size_t count;
};

/* On failure `dir` is cleared; `err` names the path. */
enum il_code il__bundle_dir_read(struct il__mem *mem, struct il_str path, struct il__bundle_dir *dir,
                                 struct il_error *err) IL_MUST_USE;
/* The same of whatever `path` is: a folder, or the file of a packed bundle (bundle_pack.h). */
enum il_code il__bundle_path_read(struct il__mem *mem, struct il_str path, struct il__bundle_dir *dir,
                                  struct il_error *err) IL_MUST_USE;
void il__bundle_dir_clear(struct il__bundle_dir *dir);

#endif
