/* What a waiting document asks for, and the answer to it: which needs are open, what a decision on them looks like as a
 * document, and whether what was typed is the start of the digest that stands for the action.
 * Must never take a word that could be typed by habit for an approval. */
#ifndef IL_CLI_ANSWER_H
#define IL_CLI_ANSWER_H

#include "cli/text.h"

enum { IL__DIGEST_START = 8 }; /* so many characters of the digest stand for having read the card */

/* The digest that stands for what is approved: "actionDigest", or "proposalDigest" where nothing was previewed yet. */
const char *il__answer_digest_name(struct il_str doc);
/* Is a need of the runtime (not met yet), or one of the host, among what is waited for? */
bool il__answer_needs(struct il_str doc, bool of_runtime);
/* A need of the host that nobody has decided on yet. */
bool il__answer_undecided(struct il_str doc);
/* A policy is to be overridden: only a decision with a reason counts. */
bool il__answer_wants_reason(struct il_str doc);
/* `typed` is the start of the digest, and long enough. */
bool il__answer_is_digest(struct il_str doc, struct il_str typed);

/* What the decision says of the runtime's own need. */
struct il__answer_runtime {
    bool left_out;        /* nothing: it is granted elsewhere */
    const char *grant_id; /* NULL: the runtime itself holds the approval */
    bool only;            /* and nothing else: the host's needs are answered by a signed decision */
};
/* The answer that `decision` is to the open request of the waiting document `doc`; an absent reason is left out, and
 * `runtime` NULL says that the runtime holds what it asked for. */
void il__answer_build(struct il__text *text, struct il_str doc, bool with_request, const char *decision,
                      struct il_str reason, const struct il__answer_runtime *runtime);

#endif
