/* poll() over the host's descriptors and a signalfd. */
#include "cli/waiting.h"

#include "cli/clock.h"
#include "cli/limits.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void signals_of(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
}

int il__signals_open(void)
{
    sigset_t set;
    signals_of(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

void il__signals_release(void)
{
    sigset_t set;
    signals_of(&set);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

bool il__wait(il_host *host, int signals, int64_t ms)
{
    struct pollfd polled[IL__CLI_DESCRIPTORS + 1];
    int fds[IL__CLI_DESCRIPTORS];
    short events[IL__CLI_DESCRIPTORS];
    struct signalfd_siginfo info;
    size_t count = il_host_descriptors(host, fds, events, IL__CLI_DESCRIPTORS);
    if (count > IL__CLI_DESCRIPTORS) count = IL__CLI_DESCRIPTORS; /* the others are seen when time is over */
    int64_t most = count ? 1000 : 100;
    for (size_t i = 0; i < count; i++) polled[i + 1] = (struct pollfd){ fds[i], events[i], 0 };
    polled[0] = (struct pollfd){ signals, POLLIN, 0 };
    if (poll(polled, (nfds_t)count + 1, (int)(ms < 0 || ms > most ? most : ms)) <= 0) return false;
    return signals >= 0 && (polled[0].revents & POLLIN) && read(signals, &info, sizeof info) == (ssize_t)sizeof info;
}

int64_t il__now_ms(void)
{
    return il__cli_clock_boot_ns() / 1000000;
}
