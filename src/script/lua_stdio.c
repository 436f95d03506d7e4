/* The streams that the hidden Lua is linked against in place of the C library's (see `liblua.a` in the Makefile).
 * Uses nothing. They are NULL for good: what a script prints goes through the log, and none of the library functions
 * that would touch a stream are within a script's reach.
 * Must never be pointed at the host's stdin, stdout or stderr. */
#include <stdio.h>

extern FILE *const il__lua_stdin;
extern FILE *const il__lua_stdout;
extern FILE *const il__lua_stderr;

FILE *const il__lua_stdin = NULL;
FILE *const il__lua_stdout = NULL;
FILE *const il__lua_stderr = NULL;
