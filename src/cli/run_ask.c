/* `--ask`: a person at the terminal answers a run that waits. Shows the card, asks one question, and turns the line
 * that is typed into an answer. While nobody types, time goes on: the run may expire.
 * Must never approve on a word that could be typed by habit: it takes the start of the digest that the card shows. */
#include "cli/answer.h"
#include "cli/look.h"
#include "cli/run.h"
#include "cli/wait_show.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

void il__ask_question(struct il__drive *drive)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_str doc;
    if (il_run_document(drive->run, &doc, &err) != IL_OK) return;
    il__account_flush(&drive->account);
    if (!drive->shown) il__wait_show(&drive->io->out, doc, il__run_now(drive));
    drive->asked = drive->shown = true;
    struct il__out *to = &drive->io->err;
    struct il__text question = IL__TEXT_INIT;
    fflush(drive->io->out.file);
    il__text_printf(&question, "To approve, type the first %d characters of the %s digest, and a reason if you have "
                               "one. To refuse: deny and a reason. Enter alone leaves it open.",
                    IL__DIGEST_START, strcmp(il__answer_digest_name(doc), "actionDigest") == 0 ? "action" : "proposal");
    il__out_puts(to, "\n");
    il__out_wrap(to, "", 0, IL__TONE_BOLD, il__text_get(&question));
    il__out_puts(to, "> ");
    fflush(to->file);
    il__text_clear(&question);
}

/* The line as an answer; false when it is none, after saying so. With an approver it says nothing for the runtime. */
static bool read_line(struct il__drive *drive, struct il_str doc, struct il_str line, struct il__text *answer,
                      bool *approves)
{
    const struct il__answer_runtime granted = { drive->in->approver.address != NULL, NULL, false };
    size_t word = 0;
    while (word < line.len && line.ptr[word] != ' ') word++;
    size_t rest = word;
    while (rest < line.len && line.ptr[rest] == ' ') rest++;
    struct il_str first = { line.ptr, word }, reason = { line.ptr + rest, line.len - rest };
    bool approve = il__answer_is_digest(doc, first);
    *approves = approve;
    if (approve) il__answer_build(answer, doc, true, "approve", reason, &granted);
    else if (il__text_same(first, "deny")) il__answer_build(answer, doc, true, "deny", reason, NULL);
    else il__io_note(drive->io, "That is neither the start of the digest nor deny; nothing was decided.");
    return answer->len > 0;
}

/* ---- granted at the server ---- */

static void obtained(void *ctx, const struct il_error *err)
{
    struct il__drive *drive = ctx;
    drive->obtaining = false;
    drive->shown = err->code != IL_OK;
    if (err->code == IL_OK) return;
    il__io_note(drive->io, "Not granted: %s", err->message);
    if (err->cleanup_code != IL_OK)
        il__io_error(drive->io, "the session could not be paused: %s", err->cleanup_message);
    else if (err->code == IL_APPROVAL_MISMATCH && strcmp(err->object, "approval grant") == 0)
        il__io_note(drive->io, "The grant was dropped and the session paused; nothing is sent until it is resumed.");
    drive->left_open = strcmp(err->object, "approval grant") == 0; /* from here nothing can be sent any more */
}

/* The digests that were on the screen when this was typed. */
static bool obtain(struct il__drive *drive, struct il_str doc)
{
    struct il_error err = IL_ERROR_INIT;
    struct il__text request = IL__TEXT_INIT, action = IL__TEXT_INIT, policy = IL__TEXT_INIT;
    il__look_text(&request, il__look_get(doc, "requestId"));
    il__look_text(&action, il__look_get(doc, "actionDigest"));
    il__look_text(&policy, il__look_get(doc, "policyDigest"));
    enum il_code code = il_run_obtain_grant(drive->run, il__text_get(&request), il__text_get(&action),
                                            il__text_get(&policy), obtained, drive, &err);
    drive->obtaining = code == IL_OK;
    if (code != IL_OK) il__io_note(drive->io, "Refused: %s", err.message);
    il__text_clear(&request);
    il__text_clear(&action);
    il__text_clear(&policy);
    return drive->obtaining;
}

static bool deliver(struct il__drive *drive, struct il_str answer)
{
    struct il_error err = IL_ERROR_INIT;
    if (il_run_answer(drive->run, answer, true, &err) == IL_OK) return true;
    il__io_note(drive->io, "Refused: %s", err.message);
    return false;
}

/* The line decides: what the host asks for is answered here, what the runtime asks for at the server where there is an
 * approver. The host's need first: a policy may say that this decision does not count. */
static bool settle(struct il__drive *drive, struct il_str doc, struct il_str answer, bool approve)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_str now;
    bool at_server = approve && drive->in->approver.address && il__answer_needs(doc, true);
    bool done = (at_server && !il__answer_undecided(doc)) || deliver(drive, answer);
    if (!done || !at_server) return done;
    return il_run_document(drive->run, &now, &err) == IL_OK && obtain(drive, now);
}

static bool decide(struct il__drive *drive, struct il_str doc, struct il_str line)
{
    struct il__text answer = IL__TEXT_INIT;
    bool approve = false;
    bool done = read_line(drive, doc, line, &answer, &approve) &&
                settle(drive, doc, il__text_get(&answer), approve);
    il__text_clear(&answer);
    return done;
}

void il__ask_deliver(struct il__drive *drive)
{
    const struct il__decided *given = drive->in->decided;
    struct il_error err = IL_ERROR_INIT;
    struct il_str doc;
    struct il__text copy = IL__TEXT_INIT, answer = IL__TEXT_INIT;
    const struct il__answer_runtime granted = { drive->in->approver.address != NULL, NULL, false };
    if (il_run_document(drive->run, &doc, &err) != IL_OK) return;
    il__text_str(&copy, doc); /* the run writes anew what it hands out */
    doc = il__text_get(&copy);
    if (!il__look_is(il__look_get(doc, "requestId"), given->request_id)) {
        il__io_error(drive->io, "the request that was answered is not open any more; nothing was decided");
    } else {
        il__answer_build(&answer, doc, true, given->decision, il__text_of(given->reason), &granted);
        (void)settle(drive, doc, il__text_get(&answer), strcmp(given->decision, "approve") == 0);
    }
    drive->left_open = !drive->obtaining;
    il__text_clear(&answer);
    il__text_clear(&copy);
}

/* What was typed is taken: true when the run is to go on being moved. */
static bool take(struct il__drive *drive, struct il_str line)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_str doc;
    struct il__text copy = IL__TEXT_INIT;
    if (line.len == 0 || il_run_document(drive->run, &doc, &err) != IL_OK) return false;
    drive->asked = false;
    il__text_str(&copy, doc); /* the run writes anew what it hands out */
    drive->shown = !decide(drive, il__text_get(&copy), line);
    il__text_clear(&copy);
    return true;
}

bool il__ask_poll(struct il__drive *drive, int timeout_ms)
{
    char bytes[1024];
    struct pollfd fd = { STDIN_FILENO, POLLIN, 0 };
    if (poll(&fd, 1, timeout_ms) <= 0) return true;
    ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) return true;
    while (got > 0 && (bytes[got - 1] == '\n' || bytes[got - 1] == '\r' || bytes[got - 1] == ' ')) got--;
    return take(drive, (struct il_str){ bytes, got > 0 ? (size_t)got : 0 });
}
