/* Dates of the proleptic Gregorian calendar as days since 1970-01-01, and back. Pure arithmetic: any year that fits, no
 * C library time function, no locale, no time zone of the machine. */
#ifndef IL_BASE_DATE_H
#define IL_BASE_DATE_H

#include <stdbool.h>
#include <stdint.h>

struct il__date {
    int64_t year;
    int month, day; /* from 1 */
};

/* Days from 1970-01-01 to the given date; month 1..12. A day past the end of its month is one of the next. */
int64_t il__days_from_date(int64_t year, int month, int day);
struct il__date il__date_from_days(int64_t days);
bool il__is_leap_year(int64_t year);
/* 28 to 31. */
int il__days_in_month(int64_t year, int month);
/* 0 is Sunday. */
int il__weekday(int64_t days);

#endif
