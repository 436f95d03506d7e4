/* Operations in flight at the runtime: begun once, completed once by token, given up at their deadline. What arrives
 * after that is late: it changes nothing, but what it grants is given back. */
#ifndef IL_RUN_OPS_H
#define IL_RUN_OPS_H

#include "run/engine.h"

/* Begins `op` with the body in `e->body`. `run` NULL for control. On failure nothing is in flight. */
enum il_code il__op_begin(struct il__engine *e, struct il_run *run, enum il_op op, enum il__purpose purpose,
                          struct il__permit *permit, struct il__control *control, struct il_error *err) IL_MUST_USE;
/* The operation of a token, or NULL. */
struct il__op *il__op_find(struct il__engine *e, uint64_t token);
/* Gives the slot back. */
void il__op_end(struct il__engine *e, struct il__op *op);
/* Nobody waits any more for what is in flight of this run (FOR_STEP and FOR_RECOVER): the runtime is told, answers
 * become late. */
void il__op_abandon(struct il_run *run);
/* One operation is past its deadline: the same for it alone. */
void il__op_give_up(struct il__engine *e, struct il__op *op, int64_t boot_ms);
/* The error of an answer that is one. Ids of the run's lease and grant are masked: they are bearer tickets
 * (SPEC §9). */
void il__op_failed(const struct il_run *run, const char *object, const char *field, const struct il__answer_in *answer,
                   struct il_error *err);
bool il__op_offered(const struct il__engine *e, enum il_op op);
/* Milliseconds until the next deadline of an operation in flight; -1: none. */
int64_t il__op_next_ms(const struct il__engine *e, int64_t boot_ms);
/* The next operation that is past its deadline, or NULL. */
struct il__op *il__op_overdue(struct il__engine *e, int64_t boot_ms);

#endif
