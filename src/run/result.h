/* The exit status and the error member, for those who report on a run. */
#ifndef IL_RUN_RESULT_H
#define IL_RUN_RESULT_H

#include "run/engine.h"

struct il__exit_facts {
    enum il_effect effect;
    bool release_failed, sent;
    enum il_code code;   /* of the error; IL_OK: none */
    bool waiting;
    enum il__end end;
};
/* SPEC §11, first that applies. */
int il__exit_status(const struct il__exit_facts *facts);
/* {code, step?, object?, field?, expected?, actual?, message?, cleanup?}. */
void il__write_error(struct il__json_writer *w, const struct il_error *err);

#endif
