/* What this build is: its version and the libraries inside it. */
#include "include/interlock.h"
#include "script/lua_version.h"
#include "store/sqlite.h"

#include <openssl/crypto.h>

const char *il_version(void)
{
    return IL_VERSION;
}

bool il_library_at(size_t index, const char **name, const char **version)
{
    const char *const names[] = { "Lua", "OpenSSL", "SQLite" };
    const char *const versions[] = { il__lua_version(), OpenSSL_version(OPENSSL_FULL_VERSION_STRING),
                                    il__sqlite_version() };
    if (index >= sizeof names / sizeof *names) return false;
    *name = names[index];
    *version = versions[index];
    return true;
}
