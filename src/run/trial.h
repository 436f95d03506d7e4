/* Policies on trial: asked beside those that count, with the same scene, and journaled. What they say, whether they
 * fail and how long they take changes nothing of a run: no function here returns a verdict or a code. */
#ifndef IL_RUN_TRIAL_H
#define IL_RUN_TRIAL_H

#include "check/compare.h"
#include "run/engine.h"

struct il__trial {
    struct il__said_list said;
    struct il__arena arena;
    enum il_code code;         /* not all could be asked */
    bool asked;
};

/* Asks them, after the others were asked and before any of it is noted. */
void il__trial_ask(struct il_run *run, const struct il__scene *scene, struct il__trial *trial);
/* Notes what they said, what it would amount to, and what would be otherwise than by `judged`; then gives back what
 * `trial` holds. */
void il__trial_note(struct il_run *run, const struct il__scene *scene, struct il__trial *trial,
                    const struct il__judged *judged, size_t count);
/* "sha256:..." of all bundles on trial; absent: none. */
struct il_str il__trial_digest(const struct il__engine *e);

/* ---- what a run shows of it ---- */

enum { IL__TRIALS_SHOWN = 16 }; /* in its document; all of them stand in the journal */
struct il__tried {               /* one phase in which something would be otherwise */
    enum il__phase phase;
    enum il__difference change;
    enum il__verdict enforced, trial;
    struct il_str policy, reason; /* whose verdict makes the difference */
    int line;
};
/* Record `at` of a journal that is read back, of kind `trial` or `compared`. */
void il__trial_restore(struct il_run *run, size_t at, struct il__json *doc, uint32_t body);

#endif
