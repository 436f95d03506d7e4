/* `policy test --watch` (policy_test_watch.h). What is watched is one number over paths, sizes and times of all files:
 * it says that something changed, and everything runs again. */
#include "cli/policy_test_watch.h"

#include "cli/files.h"
#include "cli/moment.h"
#include "cli/waiting.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

enum { LOOK_MS = 300 };

static uint64_t mix(uint64_t h, int64_t number)
{
    return (h ^ (uint64_t)number) * UINT64_C(1099511628211);
}

static uint64_t sum_of(const struct il__args *args)
{
    static const char *const here[] = { "." }, *const suffixes[] = { ".lua", ".json" };
    uint64_t h = UINT64_C(14695981039346656037);
    char why[512];
    bool given = args->operand_count > 0;
    for (size_t k = 0; k < 2; k++) {
        struct il__found found;
        if (il__files_find(given ? args->operands : here, given ? args->operand_count : 1, suffixes[k], &found, why,
                           sizeof why) != 0)
            continue;
        for (size_t i = 0; i < found.count; i++) {
            struct stat st;
            if (stat(found.paths[i], &st) != 0) continue;
            for (const char *p = found.paths[i]; *p; p++) h = mix(h, *p);
            h = mix(mix(h, st.st_size), (int64_t)st.st_ino);
            h = mix(mix(h, st.st_mtim.tv_sec), st.st_mtim.tv_nsec);
        }
        il__files_clear(&found);
    }
    return h;
}

/* Waits a moment; true when the watch is over. */
static bool over(const struct il__io *io, int signals, bool keys)
{
    struct pollfd fds[2] = { { signals, POLLIN, 0 }, { keys ? STDIN_FILENO : -1, POLLIN, 0 } };
    struct signalfd_siginfo taken; /* left there, it would end the process once it is let through */
    char key = '\0';
    if (io->out.lost || poll(fds, 2, LOOK_MS) < 0) return io->out.lost || errno != EINTR;
    if (fds[0].revents) return read(signals, &taken, sizeof taken) == (ssize_t)sizeof taken;
    if (!fds[1].revents) return false;
    return read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q' || key == '\004';
}

/* Keys come one by one; Ctrl-C stays a signal. */
static bool enter(struct termios *before)
{
    struct termios raw;
    if (isatty(STDIN_FILENO) != 1 || tcgetattr(STDIN_FILENO, before) != 0) return false;
    raw = *before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    return tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

static void say(struct il__io *io, bool keys)
{
    struct il__text text = IL__TEXT_INIT;
    il__text_puts(&text, "watching since ");
    il__wall_text(&text, il__wall_ms());
    il__text_puts(&text, keys ? "; q ends" : "");
    il__out_tone(&io->out, IL__TONE_DIM, il__text_get(&text));
    il__out_puts(&io->out, "\n\n");
    if (fflush(io->out.file) != 0 && !io->out.lost) io->out.lost = errno ? errno : EIO;
    il__text_clear(&text);
}

int il__policy_test_watch(const struct il__args *args, struct il__io *io,
                          int (*once)(void *ctx, const struct il__args *args, struct il__io *io), void *ctx)
{
    struct termios before;
    int status = 0, signals = il__signals_open();
    bool keys = enter(&before);
    uint64_t seen = 0;
    bool first = true;
    do {
        uint64_t now = sum_of(args);
        if (!first && now == seen) continue;
        if (!first && io->out.tty) il__out_puts(&io->out, "\033[H\033[2J");
        first = false;
        seen = now;
        status = once(ctx, args, io);
        say(io, keys);
    } while (!over(io, signals, keys));
    if (keys) tcsetattr(STDIN_FILENO, TCSANOW, &before);
    if (signals >= 0) close(signals);
    il__signals_release();
    return status;
}
