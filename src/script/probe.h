/* What listens while policies are asked: which values of `action` and `ctx` a phase function reads, and which lines
 * run. For whoever explains or tests policies; a host never has one. Uses base and the views. Must never change what a
 * script sees, nor the fuel and memory that it has. */
#ifndef IL_SCRIPT_PROBE_H
#define IL_SCRIPT_PROBE_H

#include "base/buf.h"
#include "base/limits.h"
#include "script/sandbox.h"
#include "wire/json_write.h"

/* One value that was read. Its id is its place in `reads` and one: 0 is no path. */
struct il__probe_read {
    uint32_t parent;     /* the id of what it was read from; 0: a root */
    struct il_str name;  /* of a member; absent: element `index` of a list */
    int64_t index;
    struct il_str value; /* JSON; absent: an object or list that is too long to be shown */
    bool entered;        /* something below it was read */
};

struct il__probe {
    struct il__arena *arena; /* NULL: values are not noted */
    struct il__buf scratch;  /* of one value; needed with `arena` */
    struct il__probe_read reads[IL__LIMIT_TRACE_VALUES];
    size_t count;
    bool cut;                /* more was read than there is room for */
    bool no_memory;
    void (*line)(void *ctx, const char *file, int line); void *ctx; /* NULL: lines are not told */
};

/* Forgets what was read. */
void il__probe_reset(struct il__probe *probe);
/* Notes `root` ("action", "ctx"), copied; its id, 0 where values are not noted. */
uint32_t il__probe_root(struct il__probe *probe, const char *root);
/* Notes that the value on top of the stack was read from `parent` with the key at `key`; its id, 0 where it is not
 * noted. Neither raises nor pushes. */
uint32_t il__probe_note(lua_State *L, struct il__probe *probe, uint32_t parent, int key);
/* Writes [{path, value}], in the order of reading, without what was only passed through. */
void il__probe_write(const struct il__probe *probe, struct il__json_writer *w);

#endif
