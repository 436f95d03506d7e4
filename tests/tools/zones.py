"""Local times by another reader of TZ rules: the C library's, which Python calls. One line a moment:
RULE SECONDS YYYY-MM-DD hh:mm:ss WEEKDAY OFFSET NAME. Beside even steps, the seconds around each change."""
import os
import random
import time

RULES = [
    "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT,M3.2.0,M11.1.0", "AEST-10AEDT,M10.1.0,M4.1.0/3",
    "NZST-12NZDT,M9.5.0,M4.1.0/3", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "<-03>3", "IST-5:30",
    "NST3:30NDT,M3.2.0,M11.1.0", "IST-2IDT,M3.4.4/26,M10.5.0", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
    "XXX0YYY,J60/0,J300/0", "XXX0YYY,59/0,300/0", "GMT0BST,M3.5.0/1,M10.5.0", "<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45",
    "CLT4CLST,M9.1.6/24,M4.1.6/24",
]


def show(rule, sec):
    t = time.localtime(sec)
    print(rule, sec, time.strftime("%Y-%m-%d %H:%M:%S", t), (t.tm_wday + 1) % 7, t.tm_gmtoff, t.tm_zone)


def change(low, high):
    """The first second between two moments with other offsets that has the offset of the second one."""
    want = time.localtime(high).tm_gmtoff
    while high - low > 1:
        middle = (low + high) // 2
        if time.localtime(middle).tm_gmtoff == want:
            high = middle
        else:
            low = middle
    return high


random.seed(5)
for rule in RULES:
    os.environ["TZ"] = rule
    time.tzset()
    previous = 0
    for day in range(0, 366 * 90, 11):
        sec = day * 86400 + random.randrange(86400)
        if time.localtime(previous).tm_gmtoff != time.localtime(sec).tm_gmtoff:
            at = change(previous, sec)
            for near in (at - 1, at, at + 1):
                show(rule, near)
        show(rule, sec)
        previous = sec
