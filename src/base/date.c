/* Days to dates and back (date.h). Years are counted from March, so that the leap day comes last. */
#include "base/date.h"

int64_t il__days_from_date(int64_t year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t of_era = y - era * 400;
    int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

struct il__date il__date_from_days(int64_t days)
{
    int64_t z = days + 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    int64_t of_era = z - era * 146097;
    int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t m = (5 * of_year + 2) / 153;
    struct il__date d;
    d.day = (int)(of_year - (153 * m + 2) / 5 + 1);
    d.month = (int)(m < 10 ? m + 3 : m - 9);
    d.year = year_of_era + era * 400 + (d.month <= 2 ? 1 : 0);
    return d;
}

bool il__is_leap_year(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int il__days_in_month(int64_t year, int month)
{
    static const int8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    return month == 2 && il__is_leap_year(year) ? 29 : days[month - 1];
}

int il__weekday(int64_t days)
{
    return (int)(((days + 4) % 7 + 7) % 7);
}
