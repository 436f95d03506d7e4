/* What a refusal shows as expected and actual: ids as they are, numbers as text, a window id so that 42 and "42"
 * differ, lists like ["a","b"], and of two objects the part where they differ. Writes into the caller's buffer, cuts
 * to it, never allocates. Texts are not escaped here: base/error.h does that when it takes them over. */
#ifndef IL_CHECK_SHOW_H
#define IL_CHECK_SHOW_H

#include "base/rfc3339.h"
#include "contract/schema.h"

enum { IL__SHOW_MAX = 160 }; /* as much as an error's expected or actual holds */

/* Each returns what it wrote, valid as long as `buf`; absent things yield IL_STR_NONE. */
struct il_str il__show_window(struct il__window_id id, char buf[IL__SHOW_MAX]);
struct il_str il__show_windows(struct il__windows ids, char buf[IL__SHOW_MAX]);
struct il_str il__show_strs(struct il__strs list, char buf[IL__SHOW_MAX]);
struct il_str il__show_int(int64_t value, char buf[IL__SHOW_MAX]);
/* "more than 3" */
struct il_str il__show_above(int64_t value, char buf[IL__SHOW_MAX]);
struct il_str il__show_time(struct il__instant at, char buf[IL__SHOW_MAX]);
/* "later than 2026-11-30T18:00:27.381Z" */
struct il_str il__show_later(struct il__instant at, char buf[IL__SHOW_MAX]);
/* Entry `index` of a NULL-terminated table of names; absent when it is outside. */
struct il_str il__show_name(const char *const *names, int index);
/* Two objects of one type (NULL: absent), from the member on where they begin to differ. */
void il__show_objects(const struct il__schema *schema, const void *expected, const void *actual,
                      char want[IL__SHOW_MAX], char got[IL__SHOW_MAX], struct il_str *want_out, struct il_str *got_out);

#endif
