/* The examples on a page of this project: its fenced blocks, each with what stands behind the three backquotes. */
#ifndef PAGES_H
#define PAGES_H

#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*page_fn)(const char *name, const char *info, const char *source);

/* Calls `fn` for every block of the page; returns how many there are. */
__attribute__((unused)) static int page_blocks(const char *path, page_fn fn)
{
    char *page = tap_slurp(path, NULL);
    int number = 0;
    for (char *at = strstr(page, "\n```"); at; at = strstr(at, "\n```")) {
        char name[120], *info = at + 4, *line = strchr(info, '\n');
        char *end = line ? strstr(line, "\n```") : NULL;
        if (!end) break;
        *line = *end = '\0';
        snprintf(name, sizeof name, "example %d of %s", ++number, path);
        fn(name, info, line + 1);
        at = end + 4;
    }
    free(page);
    return number;
}

#endif
