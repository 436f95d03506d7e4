/* Asking on the terminal (decide_ask.h). Must never take Enter, the end of input or a signal for an approval. */
#include "cli/decide_ask.h"

#include "cli/answer.h"
#include "cli/moment.h"
#include "cli/wait_show.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 3 };

static void question(struct il__io *io, struct il_str doc)
{
    struct il__text text = IL__TEXT_INIT;
    bool action = strcmp(il__answer_digest_name(doc), "actionDigest") == 0;
    il__text_printf(&text, "To approve, type the first %d characters of the %s digest. Enter alone decides nothing.",
                    IL__DIGEST_START, action ? "action" : "proposal");
    il__out_puts(&io->err, "\n");
    il__out_wrap(&io->err, "", 0, IL__TONE_BOLD, il__text_get(&text));
    il__text_clear(&text);
}

/* One line of the terminal without its end; absent at the end of input. */
static struct il_str read_line(char *bytes, size_t size)
{
    ssize_t got;
    do got = read(STDIN_FILENO, bytes, size);
    while (got < 0 && errno == EINTR);
    if (got <= 0) return (struct il_str){ NULL, 0 };
    while (got > 0 && strchr("\r\n\t ", bytes[got - 1])) got--;
    return (struct il_str){ bytes, (size_t)got };
}

int il__decide_ask(struct il__io *io, const struct il__args *args, struct il_str doc)
{
    char bytes[1024];
    struct il__out *to = il__args_json(args) ? &io->err : &io->out;
    if (il__args_flag(args, "no-input") || isatty(STDIN_FILENO) != 1) return 0;
    il__wait_show(to, doc, il__wall_ms());
    fflush(to->file);
    question(io, doc);
    for (int i = 0; i < TRIES; i++) {
        il__out_puts(&io->err, "> ");
        fflush(io->err.file);
        struct il_str line = read_line(bytes, sizeof bytes);
        if (line.len && il__answer_is_digest(doc, line)) return 0;
        if (!line.len) break;
        il__io_note(io, "That is not the start of the digest.");
    }
    il__io_note(io, "Nothing was decided; the request stays open.");
    return 4;
}
