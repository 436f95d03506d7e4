/* Moments and spans (moment.h). */
#include "cli/moment.h"

#include <time.h>

int64_t il__wall_ms(void)
{
    struct timespec ts = { 0, 0 };
    clock_gettime(CLOCK_REALTIME, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t il__wall_read(struct il_str text)
{
    int64_t sec = 0;
    int32_t nsec = 0;
    return il_time_parse(text, &sec, &nsec) ? sec * 1000 + nsec / 1000000 : 0;
}

void il__span_text(struct il__text *text, int64_t ms)
{
    long long s = ms < 0 ? 0 : (long long)(ms / 1000);
    if (s < 60) il__text_printf(text, "%llds", s);
    else if (s < 3600) il__text_printf(text, "%lldm %02llds", s / 60, s % 60);
    else if (s < 86400) il__text_printf(text, "%lldh %02lldm", s / 3600, s / 60 % 60);
    else il__text_printf(text, "%lldd %02lldh", s / 86400, s / 3600 % 24);
}

void il__countdown_text(struct il__text *text, int64_t expires_ms, int64_t now_ms)
{
    bool over = expires_ms <= now_ms;
    il__text_puts(text, over ? "expired " : "in ");
    il__span_text(text, over ? now_ms - expires_ms : expires_ms - now_ms);
    if (over) il__text_puts(text, " ago");
}

/* Days since 1970 as a date (Howard Hinnant's civil_from_days). */
void il__wall_text(struct il__text *text, int64_t ms)
{
    int64_t sec = ms / 1000 - (ms % 1000 < 0), milli = ms - sec * 1000;
    int64_t day_number = sec / 86400 - (sec % 86400 < 0), rest = sec - day_number * 86400;
    int64_t days = day_number + 719468, era = (days >= 0 ? days : days - 146096) / 146097, doe = days - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365, doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153, day = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
    il__text_printf(text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", (int)(yoe + era * 400 + (month <= 2)), (int)month,
                    (int)day, (int)(rest / 3600), (int)(rest / 60 % 60), (int)(rest % 60), (int)milli);
}
