/* The account of a run: listens to the host's events and tells them, a line for each step, or gathers them as JSON.
 * Must never hide a refusal: checks that failed are told with and without the trace. */
#ifndef IL_CLI_ACCOUNT_H
#define IL_CLI_ACCOUNT_H

#include "cli/output.h"

struct il__account {
    struct il__out *out;
    bool json;             /* nothing is printed; events are gathered */
    bool muted;            /* nothing is told any more */
    bool trace;            /* tell (or gather) every event, checks that passed too */
    struct il__text step;  /* the step being told; empty before the first */
    struct il__text asked; /* what it asked the runtime */
    struct il__text said;  /* what the answer says, where that is worth a word */
    struct il__text notes; /* its lines: mark, tab, text, line feed */
    struct il__text events; /* for JSON: the members of an array */
    struct il__text header; /* printed before the first step */
    size_t checks, refused; /* checks of the step that passed, and that did not */
    bool failed, open;      /* the step did not go through; it waits */
    bool reserved;          /* a reservation was checked in the step that takes one */
    bool header_told;
};

void il__account_init(struct il__account *account, struct il__out *out, bool json, bool trace);
/* An il_event_fn; `ctx` is the account. */
void il__account_event(void *ctx, const struct il_event *event);
/* Tells what is still untold of the last step. */
void il__account_flush(struct il__account *account);
void il__account_clear(struct il__account *account);

#endif
