/* For the tests of the sandbox: a sandbox with its host's belongings, and a script run to its end as text. */
#ifndef BOX_H
#define BOX_H

#include "base/buf.h"
#include "script/sandbox.h"

struct box {
    struct il__mem mem;
    struct il__clock clock;
    struct il__sandbox_options options; /* may be changed before box_open */
    struct il__sandbox *sb;
    struct il__script_result result;
    char value[512];      /* what the script returned, as text; "" for nothing */
    struct il__buf lines; /* of its log */
    double seconds;       /* of the last run */
};

/* How many times longer the machine may take: 1, or more under valgrind (VALGRIND=1). */
int box_slowness(void);
/* Fills in the options; no sandbox yet. */
void box_init(struct box *box);
bool box_open(struct box *box);
/* Closes the sandbox; false when memory was left behind. */
bool box_close(struct box *box);
/* Loads `source` as file "t.lua" and runs it as the main coroutine, in the open sandbox. */
enum il__script_end box_run_in(struct box *box, struct il_str source);
/* All of it: init, open, run, close. The result and value stay readable. */
enum il__script_end box_run(struct box *box, const char *source);

#endif
