/* Macros for the rows of a schema, so that a table reads as one line per member. Only for the .c files of this folder.
 * T is the struct, m its member; the name in Lua is the member's. */
#ifndef IL_CONTRACT_ROWS_H
#define IL_CONTRACT_ROWS_H

#include "contract/schema.h"

#define IL__U32 INT64_C(4294967295)
#define IL__COUNT_MAX INT64_MAX

/* The row in full; the others leave out what they do not need. */
#define IL__ROW(T, m, wire_name, kind_, flags_, sub_, names_, least_, most_, about_)                                 \
    { .wire = (wire_name), .lua = #m, .kind = (kind_), .flags = (flags_), .offset = offsetof(struct T, m),           \
      .sub = (sub_), .names = (names_), .least = (least_), .most = (most_), .when = 0, .about = (about_) }

#define IL__STR_ROW(T, m, wire, flags, about) IL__ROW(T, m, wire, IL__F_STR, flags, NULL, NULL, 0, 0, about)
#define IL__BOOL_ROW(T, m, wire, flags, about) IL__ROW(T, m, wire, IL__F_BOOL, flags, NULL, NULL, 0, 0, about)
#define IL__INT_ROW(T, m, wire, flags, least, most, about)                                                           \
    IL__ROW(T, m, wire, IL__F_INT, flags, NULL, NULL, least, most, about)
#define IL__COUNT_ROW(T, m, wire, about) IL__INT_ROW(T, m, wire, 0, 0, IL__COUNT_MAX, about)
#define IL__U32_ROW(T, m, wire, flags, about) IL__INT_ROW(T, m, wire, flags, 0, IL__U32, about)
/* A number; with most 0 of any size. */
#define IL__NUM_ROW(T, m, wire, flags, least, most, about)                                                           \
    IL__ROW(T, m, wire, IL__F_NUM, flags, NULL, NULL, least, most, about)
#define IL__ENUM_ROW(T, m, wire, flags, names, about) IL__ROW(T, m, wire, IL__F_ENUM, flags, NULL, names, 0, 0, about)
#define IL__STRS_ROW(T, m, wire, flags, about) IL__ROW(T, m, wire, IL__F_STRS, flags, NULL, NULL, 0, 0, about)
#define IL__OBJECT_ROW(T, m, wire, flags, sub, about)                                                                \
    IL__ROW(T, m, wire, IL__F_OBJECT, flags, &(sub), NULL, 0, 0, about)
#define IL__OBJECTS_ROW(T, m, wire, flags, sub, least, about)                                                        \
    IL__ROW(T, m, wire, IL__F_OBJECTS, flags, &(sub), NULL, least, 0, about)
#define IL__ANY_ROW(T, m, wire, flags, about) IL__ROW(T, m, wire, IL__F_ANY, flags, NULL, NULL, 0, 0, about)
#define IL__WINDOW_ROW(T, m, wire, flags, about) IL__ROW(T, m, wire, IL__F_WINDOW, flags, NULL, NULL, 0, 0, about)
#define IL__END_ROW { .wire = NULL }

/* The table of an enum has one text for each value. */
#define IL__NAMES_MATCH(table, count)                                                                                \
    _Static_assert(sizeof(table) / sizeof((table)[0]) == (size_t)(count) + 1, #table " has one text for each value")

#endif
