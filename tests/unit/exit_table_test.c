/* The exit status of a run against tests/vectors/tables/exit.json, row by row (SPEC §11). Rows that are no ends of a
 * run (a check, a test run, a conflict on resume) are passed over. */
#include "run/result.h"
#include "table.h"
#include "tap.h"

#include <string.h>

static bool read_end(struct il_str status, struct il__exit_facts *facts)
{
    facts->waiting = il__str_eq(status, IL_STR("waiting"));
    if (facts->waiting) return true;
    for (int end = 0; end < IL__END_COUNT; end++) {
        if (!il__end_names[end] || !il__str_eq(status, il__str(il__end_names[end]))) continue;
        facts->end = (enum il__end)end;
        return true;
    }
    return false;
}

static enum il_code read_code(struct il_str name)
{
    if (!il__str_present(name)) return IL_OK;
    for (int code = 0; code < IL_CODE_COUNT; code++)
        if (il__str_eq(name, il__str(il_code_name((enum il_code)code)))) return (enum il_code)code;
    tap_ok(false, "%.*s is a code", IL_STR_FMT(name));
    return IL_OK;
}

static enum il_effect read_effect(struct il_str name)
{
    if (il__str_eq(name, IL_STR("none"))) return IL_EFFECT_NONE;
    return il__str_eq(name, IL_STR("committed")) ? IL_EFFECT_COMMITTED : IL_EFFECT_UNKNOWN;
}

int main(void)
{
    struct table t;
    size_t rows = 0, seen[IL__END_COUNT + 1] = { 0 };
    table_open(&t, "tests/vectors/tables/exit.json");
    while (table_next(&t)) {
        struct il__exit_facts facts = { .end = IL__END_COMPLETED };
        struct il_str status = table_str(&t, "status"), code = table_str(&t, "code"), effect = table_str(&t, "effect");
        int64_t want = -1;
        if (!read_end(status, &facts)) continue;
        facts.effect = read_effect(effect);
        facts.sent = table_bool(&t, "sent");
        facts.release_failed = table_bool(&t, "releaseFailed");
        facts.code = read_code(code);
        if (!il__json_int(&t.doc, table_cell(&t, "exit"), &want)) want = -1;
        tap_int(il__exit_status(&facts), want, "%.*s, %ssent, effect %.*s, %s, %.*s", IL_STR_FMT(status),
                facts.sent ? "" : "not ", IL_STR_FMT(effect), facts.release_failed ? "not released" : "released",
                IL_STR_FMT(il__str_present(code) ? code : IL_STR("no error")));
        seen[facts.waiting ? IL__END_COUNT : facts.end]++;
        rows++;
    }
    tap_ok(rows > 500, "the table has rows: %zu", rows);
    for (int end = 1; end <= IL__END_COUNT; end++)
        if (end == IL__END_COUNT || il__end_names[end])
            tap_ok(seen[end] > 0, "%s has rows", end == IL__END_COUNT ? "waiting" : il__end_names[end]);
    table_close(&t);
    return tap_done();
}
