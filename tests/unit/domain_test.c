/* Hosts and URLs: the rows of tests/vectors/rules/domain.txt and domain_is.txt; what was read reads as itself. */
#include "check/domain.h"

#include "rule_rows.h"
#include "tap.h"

static void play(const struct rule_row *row)
{
    struct il__domain domain, again;
    const char *why = NULL;
    struct il_str want = row->cells[1];
    bool read = il__domain_read(row->cells[0], &domain, &why);
    struct il_str got = read ? (struct il_str){ domain.text, domain.len } : il__str(why);
    bool right = rule_is_refusal(want) ? !read && rule_refused(want, why) : read && il__str_eq(got, want);
    tap_ok(right, "%s:%d: %.*s", row->file, row->line, IL_STR_FMT(row->cells[2]));
    if (!right) tap_note("got %.*s", IL_STR_FMT(got));
    if (!read) return;
    bool same = il__domain_read(got, &again, &why) && il__str_eq(il__str(again.text), got) &&
                again.address == domain.address;
    tap_ok(same && strlen(domain.text) == domain.len, "%s:%d: reads as itself", row->file, row->line);
    if (memchr(got.ptr, '*', got.len)) return;
    tap_ok(il__domain_is(row->cells[0], got, &why) == IL__DOMAIN_MATCHES, "%s:%d: and is a pattern of its own",
           row->file, row->line);
}

static void play_is(const struct rule_row *row)
{
    const char *why = NULL;
    struct il_str want = row->cells[2];
    enum il__domain_match got = il__domain_is(row->cells[0], row->cells[1], &why);
    bool right = rule_is_refusal(want) ? got == IL__DOMAIN_PATTERN && rule_refused(want, why)
                                       : got == (want.ptr[0] == 'y' ? IL__DOMAIN_MATCHES : IL__DOMAIN_DIFFERS);
    tap_ok(right, "%s:%d: %.*s", row->file, row->line, IL_STR_FMT(row->cells[3]));
    if (!right) tap_note("got %d (%s)", got, why ? why : "");
}

int main(void)
{
    int rows = rule_rows("tests/vectors/rules/domain.txt", 3, play);
    int patterns = rule_rows("tests/vectors/rules/domain_is.txt", 4, play_is);
    tap_ok(rows >= 140 && patterns >= 40, "%d and %d rows", rows, patterns);
    return tap_done();
}
