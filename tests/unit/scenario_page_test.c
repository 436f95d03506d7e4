/* The page on scenarios is held to what it says: its examples are played, and every word of the language stands on
 * it. */
#include "tap.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char OPEN[] = "\n```lua scenario\n", CLOSE[] = "\n```\n";

static void report(void *ctx, const struct il_scenario_result *result)
{
    (void)ctx;
    tap_ok(result->passed, "the page: %.*s", IL_STR_FMT(result->name));
    if (!result->passed) tap_note("line %d: %.*s", result->line, IL_STR_FMT(result->message));
}

static void play(struct il_str source)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_scenario_options o = IL_SCENARIO_OPTIONS_INIT;
    size_t ran = 0;
    o.file = IL_STR("lua/README.md");
    o.source = source;
    o.report = report;
    tap_int(il_scenario_run(&o, &ran, &err), IL_OK, "an example of the page is read (%s)", err.message);
    tap_ok(ran > 0, "and holds scenarios");
}

static void examples(const char *page)
{
    int found = 0;
    for (const char *at = page; (at = strstr(at, OPEN)); found++) {
        at += strlen(OPEN);
        const char *end = strstr(at, CLOSE);
        if (!end) break;
        play((struct il_str){ at, (size_t)(end - at) + 1 });
    }
    tap_ok(found > 0, "the page has examples");
}

/* A word counts when it stands as `s:word` and no letter follows. */
static bool on_page(const char *page, const char *word)
{
    char call[80];
    snprintf(call, sizeof call, "s:%s", word);
    for (const char *at = strstr(page, call); at; at = strstr(at + 1, call))
        if (!strspn(at + strlen(call), "abcdefghijklmnopqrstuvwxyz_")) return true;
    return false;
}

static void words(const char *page)
{
    char *source = tap_slurp("lua/interlock/scenario.lua", NULL);
    static const char *const starts[] = { "\nfunction methods.", "\nmethods." };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        for (const char *at = source; (at = strstr(at, starts[i])); at++) {
            char word[60];
            const char *name = at + strlen(starts[i]);
            snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "( ="), name);
            tap_ok(on_page(page, word), "s:%s is on the page", word);
        }
    free(source);
}

int main(void)
{
    char *page = tap_slurp("lua/README.md", NULL);
    examples(page);
    words(page);
    free(page);
    return tap_done();
}
