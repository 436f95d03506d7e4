/* `resume --all`: page by page through the store, so that memory does not grow with the runs that wait; only those are
 * taken over that an answer, their expiry or the end of their process lets move. */
#include "cli/look.h"
#include "cli/moment.h"
#include "cli/resume.h"

#include <string.h>

enum { PAGE = 64 };

struct sweep {
    struct il__io *io;
    struct il__run_input *in;
    struct il__shelf_row rows[PAGE];
    size_t count;
    int64_t now;
    size_t seen, others, owned, rest, moved;
    int status; /* the worst so far */
    bool stopped;
};

/* SPEC §11 in its order; what only waits on is no failure here. */
static int rank(int status)
{
    static const int order[] = { 0, 4, 5, 1, 6, 3, 65, 2, 8, 7 };
    int n = (int)(sizeof order / sizeof *order);
    for (int i = 0; i < n; i++)
        if (order[i] == status) return i;
    return n;
}

static bool same(struct il_str a, const char *z)
{
    return z ? a.ptr && il__text_same(a, z) : !a.len;
}

static bool may_move(struct sweep *s, const struct il_store_row *row)
{
    s->seen++;
    if (!same(row->principal, s->in->principal) || !same(row->tenant, il__people_tenant(&s->in->people, s->in->args))) {
        s->others++;
        return false;
    }
    if (row->owned) {
        s->owned++;
        return false;
    }
    if (row->letters || row->state == IL_ROW_MOVING || (row->expires_ms && row->expires_ms <= s->now)) return true;
    s->rest++;
    return false;
}

static bool take_row(void *ctx, const struct il_store_row *row)
{
    struct sweep *s = ctx;
    if (row->state == IL_ROW_ENDED || !may_move(s, row)) return true;
    if (il__shelf_copy(&s->rows[s->count], row)) s->count++;
    return s->count < PAGE;
}

/* ---- one of them ---- */

static void tell(struct sweep *s, const struct il__drive *drive)
{
    struct il_summary summary = { .size = sizeof summary };
    struct il__text line = IL__TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_str id = il_run_id(drive->run), doc;
    il_run_summary(drive->run, &summary);
    if (rank(summary.exit_status) > rank(s->status) && summary.exit_status != 4) s->status = summary.exit_status;
    if (s->in->json) {
        if (il_run_document(drive->run, &doc, &err) == IL_OK) il__text_str(&line, doc);
        il__text_puts(&line, "\n");
        il__out_text(&s->io->out, &line);
    } else {
        il__text_printf(&line, "%.*s  %s", (int)id.len, id.ptr, summary.status);
        if (summary.reason.ptr) il__text_puts(&line, ": ");
        il__text_escaped(&line, summary.reason);
        if (summary.error.code != IL_OK) il__text_printf(&line, ": %s", summary.error.message);
        il__out_wrap(&s->io->out, "", 2, IL__TONE_PLAIN, il__text_get(&line));
    }
    il__text_clear(&line);
}

static void take(struct sweep *s, const struct il__shelf_row *row)
{
    struct il__drive drive;
    struct il__run_input *in = s->in;
    memset(&drive, 0, sizeof drive);
    drive.io = s->io;
    drive.in = in;
    in->row = row;
    in->session = in->server ? row->row.session_id.ptr : NULL;
    il__text_reset(&in->scopes);
    il__shelf_pinned(in->store, row->row.run_id, "scopes", &in->scopes);
    il__account_init(&drive.account, &s->io->out, in->json, in->trace);
    drive.account.muted = true;
    int status = il__run_begin(&drive);
    do {
        if (status == 0) status = il__run_drive(&drive);
    } while (status == 0 && il__run_again(&drive));
    s->moved += status == 0;
    if (status == 0) tell(s, &drive);
    else if (rank(status) > rank(s->status)) s->status = status;
    s->stopped = drive.interrupted;
    il__run_leave(&drive);
}

/* ---- all ---- */

/* One page of them; false behind the last. `after` is where the next one begins. */
static bool page(struct sweep *s, struct il__text *after, struct il_error *err)
{
    struct il_store_filter filter = IL_STORE_FILTER_INIT;
    s->count = 0;
    s->now = il__wall_ms();
    if (after->len) filter.after = il__text_get(after);
    if (il_store_list(s->in->store, &filter, take_row, s, err) != IL_OK || s->count == 0) return false;
    il__text_reset(after);
    il__text_str(after, s->rows[s->count - 1].row.run_id);
    for (size_t i = 0; i < s->count && !s->stopped; i++) take(s, &s->rows[i]);
    return s->count == PAGE && !s->stopped;
}

static void sum_up(const struct sweep *s)
{
    struct il__text line = IL__TEXT_INIT;
    if (s->in->json) return;
    il__text_printf(&line, "%zu %s on", s->moved, s->moved == 1 ? "run went" : "runs went");
    if (s->rest) il__text_printf(&line, "; %zu %s for an answer", s->rest, s->rest == 1 ? "waits" : "wait");
    if (s->owned) il__text_printf(&line, "; %zu %s with a living process", s->owned, s->owned == 1 ? "is" : "are");
    if (s->others) il__text_printf(&line, "; %zu %s to another principal or tenant", s->others,
                                   s->others == 1 ? "belongs" : "belong");
    il__out_wrap(&s->io->out, "", 2, IL__TONE_BOLD, il__text_get(&line));
    il__text_clear(&line);
}

int il__resume_all(struct il__io *io, struct il__run_input *in)
{
    struct il_error err = IL_ERROR_INIT;
    struct il__text after = IL__TEXT_INIT;
    struct sweep s;
    memset(&s, 0, sizeof s);
    s.io = io;
    s.in = in;
    while (page(&s, &after, &err)) continue;
    for (size_t i = 0; i < PAGE; i++) il__shelf_clear(&s.rows[i]);
    il__text_clear(&after);
    if (err.code != IL_OK) {
        il__io_error(io, "%s", err.message);
        return 8;
    }
    sum_up(&s);
    return s.status;
}
