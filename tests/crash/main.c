/* The crash tests (crash.h), as one program with a command each. */
#include "crash.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const struct { const char *name; int (*run)(int argc, char **argv); } commands[] = {
        { "matrix", matrix_main }, { "race", race_main }, { "many", many_main }, { "flush", flush_main },
        { "limit", limit_main },
    };
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, argv[1]) == 0) return commands[i].run(argc - 2, argv + 2);
    fprintf(stderr, "crash matrix|race|many|flush|limit\n");
    return 2;
}
