/* The inside of the entries: what sandbox.c and call.c need of one another. See sandbox.h for the entries themselves.
 */
#ifndef IL_SCRIPT_CALL_H
#define IL_SCRIPT_CALL_H

#include "script/sandbox.h"

/* Makes and furnishes the state. */
enum il__script_end il__call_boot(struct il__sandbox *sb, struct il__script_result *result);
/* Creates the lua_State; inside an entry only. */
void il__sandbox_boot(struct il__sandbox *sb);
/* Fresh fuel and deadline. */
void il__sandbox_refuel(struct il__sandbox *sb);

#endif
