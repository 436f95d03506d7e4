/* Within the wire layer: the text of strings and member names as they stand in a document, escapes and all. */
#ifndef IL_WIRE_JSON_NAME_H
#define IL_WIRE_JSON_NAME_H

#include "wire/json.h"

/* Walks a validated string code point by code point. Lone surrogate escapes come out as U+D800 to U+DFFF. */
struct il__json_cursor {
    const char *at, *end;
};
struct il__json_cursor il__json_cursor(const struct il__json *doc, uint32_t at);
bool il__json_cursor_next(struct il__json_cursor *cursor, uint32_t *cp);

enum il__json_order { IL__JSON_BYTES, IL__JSON_UTF16 };
/* The order of two member names (or strings) after unescaping. */
int il__json_name_cmp(const struct il__json *doc, uint32_t a, uint32_t b, enum il__json_order order);
bool il__json_name_is(const struct il__json *doc, uint32_t at, struct il_str name);

/* Equal names have equal hashes; different ones need not differ, so nothing may rest on it but speed. `room` is how
 * many bytes can be read at `ptr`, at least `len`. */
uint32_t il__json_hash(const char *ptr, size_t len, size_t room);
uint32_t il__json_hash_escaped(const struct il__json *doc, uint32_t at);

/* The first name of object `object` that stands a second time; 0 when there is none. Linear, but for many members with
 * equal hashes: n log n. */
enum il_code il__json_duplicate(const struct il__json *doc, uint32_t object, uint32_t *out) IL_MUST_USE;

/* Sorts name nodes; `spare` has room for `n` too. Stable, n log n. */
void il__json_sort_names(const struct il__json *doc, uint32_t *names, uint32_t *spare, size_t n,
                         enum il__json_order order);

#endif
