/* Secrets: compare in constant time, wipe after use. */
#ifndef IL_BASE_SECRET_H
#define IL_BASE_SECRET_H

#include "base/str.h"

/* Constant time in the content; lengths may leak. Absent equals nothing. */
bool il__secret_eq(struct il_str a, struct il_str b);
/* Overwrites; not removed by the optimiser. NULL is accepted. */
void il__secret_wipe(void *ptr, size_t len);

#endif
