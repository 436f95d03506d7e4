/* `ctx.limit` and `ctx.history`: questions of a policy to what the core counts over runs. Their answers are kept, so
 * that a recorded run can be judged again; the units that were claimed are consumed by the core at execute. Must never
 * take a failure to answer for an answer. */
#ifndef IL_SCRIPT_POLICY_ASKS_H
#define IL_SCRIPT_POLICY_ASKS_H

#include "script/policy_ctx.h"
#include "wire/json_write.h"

void il__policy_asks_begin(struct il__policy_asks *asks, struct il__mem *mem, struct il_str bundle,
                           struct il__arena *arena);
/* A call that failed without a word to the host, and whose error the script caught, becomes what could not be answered:
 * it has claimed nothing. */
void il__policy_asks_settle(struct il__policy_asks *asks);
/* What was asked and claimed, into `said`. */
enum il_code il__policy_asks_take(struct il__policy_asks *asks, struct il__said *said, struct il_error *err);
/* "limit KEY: 20 of 20 used within 1h; limit ...": every limit that has no unit left and refuses, as the reason and the
 * claims of `said`. One that the reason has no room for is left out of both. */
enum il_code il__policy_asks_refusal(const struct il__policy_asks *asks, struct il__said *said,
                                     struct il_error *err) IL_MUST_USE;
void il__policy_asks_end(struct il__policy_asks *asks);
/* What was asked of the history, as canonical JSON; it names a question in what was answered. */
void il__history_query_write(const struct il__history_query *query, struct il__json_writer *w);

/* For the members of `ctx`; the host of the sandbox is a struct il__policy_ctx. */
int il__ctx_limit(lua_State *L);
int il__ctx_history(lua_State *L);

#endif
