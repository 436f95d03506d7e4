/* Terminal or not, colour or not, how wide: decided once here, then lines are wrapped and marked.
 * Uses isatty, TIOCGWINSZ and the environment. Must never send colour to anything but a terminal. */
#include "cli/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool has_text(const char *name)
{
    const char *value = getenv(name);
    return value && value[0];
}

/* The terminal's own width, else COLUMNS, else 80. */
static int width_of(int fd, bool tty)
{
    struct winsize size = { 0, 0, 0, 0 };
    long width = 0;
    const char *columns = getenv("COLUMNS");
    if (tty && ioctl(fd, TIOCGWINSZ, &size) == 0) width = size.ws_col;
    if (width == 0 && columns && columns[0]) {
        char *end;
        width = strtol(columns, &end, 10);
        if (*end) width = 0;
    }
    if (width <= 0) width = 80;
    return width < 20 ? 20 : width > 200 ? 200 : (int)width;
}

/* Whether the environment promises UTF-8: read as text, since the program never leaves the C locale. */
static bool utf8_promised(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (!value || !value[0]) continue;
        return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8") || strstr(value, "utf-8");
    }
    return false;
}

void il__out_init(struct il__out *out, FILE *file)
{
    const char *term = getenv("TERM");
    int fd = fileno(file);
    out->file = file;
    out->lost = 0;
    out->tty = isatty(fd) == 1;
    out->colour = out->tty && !has_text("NO_COLOR") && term && term[0] && strcmp(term, "dumb") != 0;
    out->unicode = out->tty && utf8_promised();
    out->width = width_of(fd, out->tty);
}

void il__out_write(struct il__out *out, struct il_str s)
{
    if (s.len && fwrite(s.ptr, 1, s.len, out->file) < s.len && !out->lost) out->lost = errno ? errno : EIO;
}

void il__out_puts(struct il__out *out, const char *z)
{
    il__out_write(out, il__text_of(z));
}

void il__out_text(struct il__out *out, const struct il__text *text)
{
    if (text->failed && !out->lost) out->lost = ENOMEM;
    il__out_write(out, il__text_get(text));
}

void il__out_tone(struct il__out *out, enum il__tone tone, struct il_str s)
{
    static const char *const codes[] = { "", "\033[32m", "\033[31m", "\033[33m", "\033[2m", "\033[1m" };
    bool coloured = out->colour && tone != IL__TONE_PLAIN && s.len;
    if (coloured) il__out_puts(out, codes[tone]);
    il__out_write(out, s);
    if (coloured) il__out_puts(out, "\033[0m");
}

/* ---- wrapping ---- */

static int columns_of(int32_t c)
{
    if ((c >= 0x300 && c <= 0x36f) || (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0x20d0 && c <= 0x20ff)) return 0;
    bool wide = (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3) ||
                (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
                (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1f64f) || (c >= 0x1f900 && c <= 0x1f9ff) ||
                (c >= 0x20000 && c <= 0x3fffd);
    return wide ? 2 : 1;
}

int il__out_columns(struct il_str s)
{
    int columns = 0;
    for (size_t i = 0, used = 0; i < s.len; i += used)
        columns += columns_of(il__text_next(s.ptr + i, s.len - i, &used));
    return columns;
}

/* How many bytes of `s` fit `room` columns: up to the last blank that fits, else all that fit. Stops at a line feed. */
static size_t fitting(struct il_str s, int room)
{
    size_t blank = 0;
    int columns = 0;
    for (size_t i = 0, used = 0; i < s.len; i += used) {
        if (s.ptr[i] == '\n') return i;
        if (s.ptr[i] == ' ') blank = i;
        columns += columns_of(il__text_next(s.ptr + i, s.len - i, &used));
        if (columns > room) return s.ptr[i] == ' ' ? i : blank ? blank : i ? i : used;
    }
    return s.len;
}

void il__out_wrap(struct il__out *out, const char *lead, int hang, enum il__tone tone, struct il_str s)
{
    int used = il__out_columns(il__text_of(lead));
    il__out_puts(out, lead);
    if (out->width - hang < 16) hang = out->width > 40 ? 4 : 2;
    bool indent = out->width - used < 16 && s.len && il__out_columns(s) > out->width - used;
    if (indent) il__out_puts(out, "\n");
    for (bool first = true; first || s.len; first = false, indent = true) {
        if (indent)
            for (used = 0; used < hang; used++) il__out_puts(out, " ");
        size_t take = fitting(s, out->width - used);
        size_t shown = take; /* nothing ends in blanks */
        while (shown < s.len && shown && s.ptr[shown - 1] == ' ') shown--;
        il__out_tone(out, tone, (struct il_str){ s.ptr, shown });
        il__out_puts(out, "\n");
        if (take < s.len && s.ptr[take] == '\n') take++;
        else
            while (take < s.len && s.ptr[take] == ' ') take++;
        s.ptr += take;
        s.len -= take;
    }
}

void il__out_lines(struct il__out *out, const char *lead, struct il_str s)
{
    while (s.len) {
        const char *end = memchr(s.ptr, '\n', s.len);
        size_t len = end ? (size_t)(end - s.ptr) : s.len;
        il__out_puts(out, lead);
        struct il__text text = IL__TEXT_INIT;
        il__text_escaped(&text, (struct il_str){ s.ptr, len });
        il__out_write(out, il__text_get(&text));
        il__text_clear(&text);
        il__out_puts(out, "\n");
        len += end ? 1 : 0;
        s.ptr += len;
        s.len -= len;
    }
}

const char *il__out_mark(const struct il__out *out, enum il__mark mark, enum il__tone *tone)
{
    static const char *const plain[] = { "ok", "!!", "..", "  " };
    static const char *const fine[] = { "\xe2\x9c\x93 ", "\xe2\x9c\x97 ", "\xe2\x80\xa6 ", "  " };
    static const enum il__tone tones[] = { IL__TONE_GOOD, IL__TONE_BAD, IL__TONE_OPEN, IL__TONE_PLAIN };
    *tone = tones[mark];
    return out->unicode ? fine[mark] : plain[mark];
}

void il__out_pair(struct il__out *out, const char *name, enum il__tone tone, struct il_str value)
{
    char lead[40];
    struct il__text text = IL__TEXT_INIT;
    snprintf(lead, sizeof lead, "  %-14s", name);
    il__text_escaped(&text, value);
    struct il_str s = il__text_get(&text);
    int columns = il__out_columns(s);
    bool below = s.len && !memchr(s.ptr, ' ', s.len) && columns > out->width - 16 && columns <= out->width - 4;
    if (below) { /* an id is not cut when it fits on a line of its own */
        snprintf(lead, sizeof lead, "  %s\n    ", name);
        il__out_puts(out, lead);
        lead[0] = '\0';
    }
    il__out_wrap(out, lead, 16, tone, s);
    il__text_clear(&text);
}

/* ---- errors ---- */

__attribute__((format(printf, 3, 0)))
static void say(struct il__out *err, const char *prefix, const char *fmt, va_list args)
{
    char line[2048];
    struct il__text text = IL__TEXT_INIT;
    vsnprintf(line, sizeof line, fmt, args);
    il__text_puts(&text, prefix);
    il__text_escaped(&text, il__text_of(line));
    il__text_puts(&text, "\n");
    il__out_write(err, il__text_get(&text));
    il__text_clear(&text);
}

void il__io_error(struct il__io *io, const char *fmt, ...)
{
    char prefix[64];
    va_list args;
    snprintf(prefix, sizeof prefix, "interlock%s%s: ", io->command[0] ? " " : "", io->command);
    if (fflush(io->out.file) != 0 && !io->out.lost) io->out.lost = errno ? errno : EIO;
    va_start(args, fmt);
    say(&io->err, prefix, fmt, args);
    va_end(args);
}

void il__io_note(struct il__io *io, const char *fmt, ...)
{
    va_list args;
    if (fflush(io->out.file) != 0 && !io->out.lost) io->out.lost = errno ? errno : EIO;
    va_start(args, fmt);
    say(&io->err, "", fmt, args);
    va_end(args);
}

int il__io_close(struct il__io *io, int status)
{
    if (fflush(io->out.file) != 0 && !io->out.lost) io->out.lost = errno ? errno : EIO;
    if (io->out.lost == 0 || io->out.lost == EPIPE) return status;
    il__io_error(io, "cannot write to standard output: %s", strerror(io->out.lost));
    return status ? status : 8;
}
