/* Paths: the rows of tests/vectors/rules/path.txt and under.txt; what was read reads as itself; and every character in
 * a name, so that folding and normalizing agree. */
#include "check/path.h"

#include "base/utf8.h"
#include "rule_rows.h"
#include "tap.h"

#include <stdio.h>

static void play(const struct rule_row *row)
{
    static struct il__path path, again;
    const char *why = NULL;
    struct il_str want = row->cells[1];
    bool read = il__path_read(row->cells[0], &path, &why);
    struct il_str got = read ? (struct il_str){ path.text, path.len } : il__str(why);
    bool right = rule_is_refusal(want) ? !read && rule_refused(want, why) : read && il__str_eq(got, want);
    tap_ok(right, "%s:%d: %.*s", row->file, row->line, IL_STR_FMT(row->cells[2]));
    if (!right) tap_note("got %.*s", IL_STR_FMT(got));
    if (!read) return;
    bool same = il__path_read(got, &again, &why) && il__str_eq(il__str(again.text), got) && again.root == path.root;
    tap_ok(same, "%s:%d: reads as itself", row->file, row->line);
    tap_ok(il__path_under(&path, &again), "%s:%d: and lies in itself", row->file, row->line);
}

static void play_under(const struct rule_row *row)
{
    static struct il__path path, folder;
    const char *why = NULL;
    struct il_str want = row->cells[2];
    bool has_folder = il__path_read(row->cells[1], &folder, &why);
    if (rule_is_refusal(want)) {
        tap_ok(!has_folder && rule_refused(want, why), "%s:%d: %.*s", row->file, row->line, IL_STR_FMT(row->cells[3]));
        return;
    }
    bool got = has_folder && il__path_read(row->cells[0], &path, &why) && il__path_under(&path, &folder);
    tap_ok(got == (want.ptr[0] == 'y'), "%s:%d: %.*s", row->file, row->line, IL_STR_FMT(row->cells[3]));
}

/* Each code point behind each of two roots: it is refused, or its canonical text is stable. */
static void test_every_point(void)
{
    static struct il__path path, again;
    int wrong = 0, read = 0, ascii = 0;
    for (uint32_t c = 1; c <= 0x10FFFF; c++) {
        for (int windows = 0; windows < 2; windows++) {
            char text[16];
            size_t len = (size_t)snprintf(text, sizeof text, "%s", windows ? "c:/1" : "/1");
            len += il__utf8_write(c, text + len);
            text[len++] = '1'; /* a digit composes with nothing */
            const char *why = NULL;
            if (!il__path_read((struct il_str){ text, len }, &path, &why)) continue;
            struct il_str got = { path.text, path.len };
            bool same = il__path_read(got, &again, &why) && il__str_eq(got, (struct il_str){ again.text, again.len });
            if (!same && wrong++ < 5) tap_note("U+%04X", c);
            if (c >= 0x80 && path.len == path.root + 3) ascii++;
            read++;
        }
    }
    tap_int(wrong, 0, "the canonical text of every character is stable");
    tap_int(ascii, 0, "no character becomes an ASCII one");
    tap_ok(read > 2000000, "%d of them are read", read);
}

int main(void)
{
    int rows = rule_rows("tests/vectors/rules/path.txt", 3, play);
    int folders = rule_rows("tests/vectors/rules/under.txt", 4, play_under);
    tap_ok(rows >= 190 && folders >= 25, "%d and %d rows", rows, folders);
    tap_int(IL__LIMIT_RULE_PATH_BYTES, 4096, "rule_path_bytes, as the rows have it");
    test_every_point();
    return tap_done();
}
