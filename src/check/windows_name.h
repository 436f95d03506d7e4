/* Names of one segment on Windows, and why the text of one does not say which file it means: devices, streams, short
 * names, and what Windows strips. Pure. */
#ifndef IL_CHECK_WINDOWS_NAME_H
#define IL_CHECK_WINDOWS_NAME_H

#include "base/str.h"

/* Static text, or NULL when the name (in lower case) means itself and nothing else. */
const char *il__windows_name_fault(struct il_str name);
/* Is it a server behind `\\`: letters, digits, - _ and single dots inside? */
bool il__windows_server_ok(struct il_str name);

#endif
