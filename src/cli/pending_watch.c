/* `pending --watch`. On a terminal each picture goes out in one write, over the one before, so that nothing flickers;
 * in a pipe there is a line for each change. The store is read again only when it has changed. */
#include "cli/pending_watch.h"

#include "cli/moment.h"
#include "cli/report.h"
#include "cli/waiting.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

enum { LOOK_MS = 250, SOON_MS = 60000, ROWS_DEFAULT = 24, CUT_MOST = 300 };

/* ---- words ---- */

void il__pending_title(struct il__text *text, const struct il_store_row *row)
{
    il__text_escaped(text, row->tool);
    il__text_puts(text, "  ");
    il__text_escaped(text, row->mode);
    il__text_puts(text, "  for ");
    il__text_escaped(text, row->principal);
}

void il__pending_time(struct il__text *text, const struct il_store_row *row, int64_t now_ms)
{
    if (il__pending_still(row)) {
        il__text_puts(text, "stands still: its process ended");
        return;
    }
    if (row->expires_ms) il__countdown_text(text, row->expires_ms, now_ms);
    else il__text_puts(text, "no end");
    if (row->letters && !row->owned) il__text_puts(text, ", answered");
}

enum il__tone il__pending_tone(const struct il_store_row *row, int64_t now_ms)
{
    if (il__pending_still(row) || (row->expires_ms && row->expires_ms <= now_ms)) return IL__TONE_BAD;
    return row->expires_ms && row->expires_ms - now_ms < SOON_MS ? IL__TONE_OPEN : IL__TONE_PLAIN;
}

void il__pending_count(struct il__text *text, const struct il__pending *p)
{
    if (!p->waiting) il__text_puts(text, "no run waits");
    else il__text_printf(text, "%zu %s", p->waiting, p->waiting == 1 ? "run waits" : "runs wait");
    if (p->still) il__text_printf(text, "; %zu %s still", p->still, p->still == 1 ? "stands" : "stand");
}

/* ---- the screen ---- */

struct screen {
    struct il__io *io;
    il_store *store;
    const char *path;
    struct il__pending pending;
    struct il__text frame, line;
    struct termios before;
    bool raw;
    int width, height, lines;
};

static void measure(struct screen *s)
{
    struct winsize size = { 0, 0, 0, 0 };
    bool told = ioctl(fileno(s->io->out.file), TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row;
    s->width = told ? size.ws_col : s->io->out.width;
    s->height = told ? size.ws_row : ROWS_DEFAULT;
    if (s->width > CUT_MOST) s->width = CUT_MOST;
}

/* As much of s->line as fits the width, as the next line of the frame. */
static void put_line(struct screen *s, enum il__tone tone)
{
    static const char *const codes[] = { "", "\033[32m", "\033[31m", "\033[33m", "\033[2m", "\033[1m" };
    struct il_str text = il__text_get(&s->line);
    bool coloured = s->io->out.colour && tone != IL__TONE_PLAIN;
    size_t end = 0;
    for (size_t used = 0; end < text.len; end += used) {
        (void)il__text_next(text.ptr + end, text.len - end, &used);
        if (il__out_columns((struct il_str){ text.ptr, end + used }) > s->width) break;
    }
    if (s->lines++) il__text_puts(&s->frame, "\r\n");
    if (coloured) il__text_puts(&s->frame, codes[tone]);
    il__text_add(&s->frame, text.ptr, end);
    if (coloured) il__text_puts(&s->frame, "\033[0m");
    il__text_puts(&s->frame, "\033[K");
    il__text_reset(&s->line);
}

static void put_id(struct screen *s, struct il_str id)
{
    il__text_puts(&s->line, s->width >= 40 ? "    " : "");
    il__text_escaped(&s->line, id);
}

/* Lines that a run takes: its ids share one where they fit. */
static int lines_of(const struct screen *s, const struct il_store_row *row)
{
    bool both = row->request_id.ptr && (int)(row->run_id.len + row->request_id.len) + 6 > s->width;
    return both ? 3 : 2;
}

static void put_row(struct screen *s, const struct il_store_row *row, int64_t now)
{
    il__pending_time(&s->line, row, now);
    il__text_puts(&s->line, "  ");
    il__pending_title(&s->line, row);
    bool apart = lines_of(s, row) == 3;
    put_line(s, il__pending_tone(row, now));
    put_id(s, row->run_id);
    if (apart) {
        put_line(s, IL__TONE_DIM);
        put_id(s, row->request_id);
    } else if (row->request_id.ptr) {
        il__text_puts(&s->line, "  ");
        il__text_escaped(&s->line, row->request_id);
    }
    put_line(s, IL__TONE_DIM);
}

static void draw(struct screen *s)
{
    int64_t now = il__wall_ms();
    size_t shown = 0, all = s->pending.waiting + s->pending.still;
    il__text_reset(&s->frame);
    il__text_puts(&s->frame, "\033[H");
    s->lines = 0;
    il__pending_count(&s->line, &s->pending);
    il__text_puts(&s->line, "   q ends");
    put_line(s, IL__TONE_BOLD);
    while (shown < s->pending.count) {
        const struct il_store_row *row = &s->pending.rows[shown]->row;
        int left = s->height - s->lines - (shown + 1 < all); /* the last line says how many more there are */
        if (lines_of(s, row) > left) break;
        put_row(s, row, now);
        shown++;
    }
    if (shown < all) {
        il__text_printf(&s->line, "and %zu more", all - shown);
        put_line(s, IL__TONE_DIM);
    }
    il__text_puts(&s->frame, "\033[J");
    il__out_text(&s->io->out, &s->frame);
    if (fflush(s->io->out.file) != 0 && !s->io->out.lost) s->io->out.lost = errno ? errno : EIO;
}

/* Keys come one by one and are not echoed; Ctrl-C stays a signal, which is waited for like a key. */
static void enter(struct screen *s)
{
    struct termios raw;
    il__out_puts(&s->io->out, "\033[?1049h\033[?25l\033[2J");
    if (isatty(STDIN_FILENO) != 1 || tcgetattr(STDIN_FILENO, &s->before) != 0) return;
    raw = s->before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VSUSP] = _POSIX_VDISABLE; /* stopped, it would leave the screen to the shell */
    s->raw = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

static void leave(struct screen *s)
{
    if (s->raw) tcsetattr(STDIN_FILENO, TCSANOW, &s->before);
    il__out_puts(&s->io->out, "\033[?25h\033[?1049l");
    fflush(s->io->out.file);
}

/* Waits a moment; true when the watch is over. */
static bool over(const struct screen *s, int signals)
{
    struct pollfd fds[2] = { { signals, POLLIN, 0 }, { s->raw ? STDIN_FILENO : -1, POLLIN, 0 } };
    char key = '\0';
    if (s->io->out.lost || poll(fds, 2, LOOK_MS) < 0) return s->io->out.lost || errno != EINTR;
    struct signalfd_siginfo taken; /* left there, it would end the process once it is let through */
    if (fds[0].revents) return read(signals, &taken, sizeof taken) == (ssize_t)sizeof taken;
    if (!fds[1].revents) return false;
    return read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q' || key == '\004';
}

static int watch_screen(struct screen *s, int signals, struct il_error *err)
{
    enum il_code code = IL_OK;
    int64_t second = -1;
    int width = 0, height = 0;
    enter(s);
    do {
        bool changed = second < 0 || il_store_changed(s->store);
        if (changed) code = il__pending_read(&s->pending, s->store, err);
        measure(s);
        bool due = changed || il__wall_ms() / 1000 != second || s->width != width || s->height != height;
        second = il__wall_ms() / 1000;
        width = s->width;
        height = s->height;
        if (code == IL_OK && due) draw(s);
    } while (code == IL_OK && !over(s, signals));
    leave(s);
    return code == IL_OK ? 0 : il__report(s->io, false, NULL, err, 8);
}

/* ---- in a pipe ---- */

static bool is_among(const struct il__pending *p, const struct il_store_row *row)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct il_store_row *r = &p->rows[i]->row;
        if (r->run_id.len == row->run_id.len && memcmp(r->run_id.ptr, row->run_id.ptr, row->run_id.len) == 0 &&
            r->request_id.len == row->request_id.len &&
            (!row->request_id.len || memcmp(r->request_id.ptr, row->request_id.ptr, row->request_id.len) == 0))
            return true;
    }
    return false;
}

/* Those of `in` that are not among `than`, a line each. */
static void tell_changes(struct screen *s, const struct il__pending *in, const struct il__pending *than,
                         const char *word, bool json)
{
    for (size_t i = 0; i < in->count; i++) {
        const struct il_store_row *row = &in->rows[i]->row;
        if (is_among(than, row)) continue;
        if (json) {
            il__text_printf(&s->line, "{\"change\":\"%s\",\"run\":", word);
            il__pending_json(&s->line, row, il__wall_ms());
            il__text_puts(&s->line, "}\n");
        } else {
            il__text_printf(&s->line, "%s  ", il__pending_still(row) && word[0] == 'w' ? "stands still" : word);
            il__text_escaped(&s->line, row->run_id);
            il__text_puts(&s->line, "  ");
            il__text_escaped(&s->line, row->request_id);
            il__text_puts(&s->line, "  ");
            if (row->expires_ms) il__wall_text(&s->line, row->expires_ms);
            il__text_puts(&s->line, "  ");
            il__text_escaped(&s->line, row->tool);
            il__text_puts(&s->line, "\n");
        }
        il__out_text(&s->io->out, &s->line);
        il__text_reset(&s->line);
    }
}

static int watch_lines(struct screen *s, int signals, bool json, struct il_error *err)
{
    struct il__pending before;
    enum il_code code = IL_OK;
    bool first = true;
    il__pending_init(&before, IL__CLI_PENDING_ROWS);
    do {
        if (!first && !il_store_changed(s->store)) continue;
        first = false;
        struct il__pending swap = before;
        before = s->pending;
        s->pending = swap;
        code = il__pending_read(&s->pending, s->store, err);
        if (code != IL_OK) break;
        tell_changes(s, &before, &s->pending, "gone", json);
        tell_changes(s, &s->pending, &before, "waits", json);
        if (fflush(s->io->out.file) != 0 && !s->io->out.lost) s->io->out.lost = errno ? errno : EIO;
    } while (!over(s, signals));
    il__pending_clear(&before);
    return code == IL_OK ? 0 : il__report(s->io, json, NULL, err, 8);
}

int il__pending_watch(struct il__io *io, const struct il__args *args, il_store *store)
{
    struct screen s;
    struct il_error err = IL_ERROR_INIT;
    memset(&s, 0, sizeof s);
    s.io = io;
    s.store = store;
    il__pending_init(&s.pending, IL__CLI_PENDING_ROWS);
    int signals = il__signals_open();
    (void)il_store_changed(store); /* from here on */
    bool on_screen = io->out.tty && !il__args_json(args);
    int status = on_screen ? watch_screen(&s, signals, &err) : watch_lines(&s, signals, il__args_json(args), &err);
    if (signals >= 0) close(signals);
    il__signals_release();
    il__pending_clear(&s.pending);
    il__text_clear(&s.frame);
    il__text_clear(&s.line);
    return status;
}
