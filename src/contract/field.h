/* One member of a decoded struct: whether it is there, whether its value keeps the rules of its row, and how to say
 * what was expected. Shared by decode, encode and compare; only for this folder. */
#ifndef IL_CONTRACT_FIELD_H
#define IL_CONTRACT_FIELD_H

#include "contract/schema.h"

enum { IL__FIELD_TEXT_MAX = 240, IL__FIELDS_MAX = 32 };

/* The member's place in `obj`. */
static inline const void *il__field_of(const struct il__field *field, const void *obj)
{
    return (const char *)obj + field->offset;
}
static inline void *il__field_in(const struct il__field *field, void *obj)
{
    return (char *)obj + field->offset;
}

bool il__field_present(const struct il__field *field, const void *obj);

/* What is wrong with a value; `item` counts from 1 within a list, 0: the value as a whole. */
struct il__fault {
    size_t item;
    char actual[80];
};
/* Holds a present value against its row: range, emptiness, digits, texts allowed, length, doubles. IL_OK, IL_DECODE
 * with `fault` filled, or IL_OUT_OF_MEMORY (scratch for the search of doubles, from `mem`). Sub-objects are not
 * entered. */
enum il_code il__field_check(const struct il__field *field, const void *obj, struct il__mem *mem,
                             struct il__fault *fault) IL_MUST_USE;

/* "a whole number from 0 to 100": what the row asks for. */
void il__field_expected(const struct il__field *field, char buf[IL__FIELD_TEXT_MAX]);
/* Number of rows. */
size_t il__field_count(const struct il__schema *schema);

#endif
