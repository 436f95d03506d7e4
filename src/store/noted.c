/* Bounded copies of what is to be written (noted.h). Uses base, the map and the port's types. Must never drop or
 * reorder what it took before it was told to. */
#include "store/noted.h"

#include "base/error.h"
#include "base/limits.h"

void il__noted_init(struct il__noted *noted, struct il__mem *mem)
{
    *noted = (struct il__noted){ .mem = mem };
    noted->end = &noted->batches;
    il__map_init(&noted->by_run, mem);
}

/* ---- copies ---- */

/* Copies `*s` to `*at`, NUL-terminated, and moves `*at` behind it. */
static void put(char **at, struct il_str *s)
{
    if (!s->ptr) return;
    if (s->len) memcpy(*at, s->ptr, s->len);
    (*at)[s->len] = '\0';
    s->ptr = *at;
    *at += s->len + 1;
}

enum { ROW_TEXTS = 8 };

static void row_texts(struct il__store_row *row, struct il_str *texts[ROW_TEXTS])
{
    struct il_str *const all[ROW_TEXTS] = { &row->run_id, &row->status,     &row->request_id, &row->tool,
                                            &row->mode,   &row->session_id, &row->principal,  &row->tenant };
    memcpy(texts, all, sizeof all);
}

struct il__noted_row *il__noted_row_copy(struct il__mem *mem, const struct il__store_row *row)
{
    struct il__store_row copy = *row;
    struct il_str *texts[ROW_TEXTS];
    size_t bytes = sizeof(struct il__noted_row);
    row_texts(&copy, texts);
    for (size_t i = 0; i < ROW_TEXTS; i++) {
        if (texts[i]->len > IL__LIMIT_STORE_PENDING_BYTES) return NULL;
        bytes += texts[i]->len + 1;
    }
    struct il__noted_row *piece = il__mem_zalloc(mem, 1, bytes);
    if (!piece) return NULL;
    char *at = (char *)(piece + 1);
    for (size_t i = 0; i < ROW_TEXTS; i++) put(&at, texts[i]);
    piece->bytes = bytes;
    piece->row = copy;
    return piece;
}

void il__noted_row_free(struct il__mem *mem, struct il__noted_row *row)
{
    if (row) il__mem_free(mem, row, row->bytes);
}

void il__noted_record_free(struct il__mem *mem, struct il__noted_record *record)
{
    if (record) il__mem_free(mem, record, record->bytes);
}

/* ---- batches ---- */

static void free_batch(struct il__noted *noted, struct il__batch *batch)
{
    il__noted_row_free(noted->mem, batch->create);
    il__noted_row_free(noted->mem, batch->index);
    while (batch->records) {
        struct il__noted_record *record = batch->records;
        batch->records = record->next;
        il__noted_record_free(noted->mem, record);
    }
    while (batch->letters) {
        struct il__noted_letter *letter = batch->letters;
        batch->letters = letter->next;
        il__mem_free(noted->mem, letter, sizeof *letter);
    }
    if (batch->past) il__mem_free(noted->mem, batch->past, batch->past->bytes);
    il__mem_free(noted->mem, batch, sizeof *batch + batch->run_id.len + 1);
}

void il__noted_clear(struct il__noted *noted)
{
    while (noted->batches) {
        struct il__batch *batch = noted->batches;
        noted->batches = batch->next;
        free_batch(noted, batch);
    }
    il__map_clear(&noted->by_run);
    il__noted_init(noted, noted->mem);
}

struct il__batch *il__noted_of(const struct il__noted *noted, struct il_str run_id)
{
    return il__map_get(&noted->by_run, run_id);
}

/* The batch of a run, made when there is none. */
static enum il_code batch_of(struct il__noted *noted, struct il_str run_id, struct il__batch **out,
                             struct il_error *err)
{
    if (!run_id.len) return il__fail_at(err, IL_INVALID_REQUEST, "store", "run", "a run has an id");
    if ((*out = il__noted_of(noted, run_id))) return IL_OK;
    struct il__batch *batch = il__mem_zalloc(noted->mem, 1, sizeof *batch + run_id.len + 1);
    if (!batch) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for what the store is to write");
    char *at = (char *)(batch + 1);
    batch->run_id = run_id;
    put(&at, &batch->run_id);
    batch->records_end = &batch->records;
    batch->letters_end = &batch->letters;
    if (!il__map_put(&noted->by_run, batch->run_id, batch)) {
        free_batch(noted, batch);
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for what the store is to write");
    }
    *noted->end = batch;
    noted->end = &batch->next;
    *out = batch;
    return IL_OK;
}

bool il__batch_ready(const struct il__batch *batch)
{
    return !batch->create || batch->records;
}

/* A batch that failed to get its first note is left empty; it writes nothing. */
static bool empty(const struct il__batch *batch)
{
    return !batch->create && !batch->index && !batch->records && !batch->letters && !batch->past;
}

bool il__noted_any(const struct il__noted *noted)
{
    for (const struct il__batch *b = noted->batches; b; b = b->next) {
        if (il__batch_ready(b) && !empty(b)) return true;
    }
    return false;
}

static size_t batch_bytes(const struct il__batch *batch)
{
    size_t bytes = sizeof *batch + batch->run_id.len;
    if (batch->create) bytes += batch->create->bytes;
    if (batch->index) bytes += batch->index->bytes;
    for (const struct il__noted_record *r = batch->records; r; r = r->next) bytes += r->bytes;
    for (const struct il__noted_letter *l = batch->letters; l; l = l->next) bytes += sizeof *l;
    if (batch->past) bytes += batch->past->bytes;
    return bytes;
}

void il__noted_settle(struct il__noted *noted)
{
    struct il__batch *all = noted->batches;
    noted->batches = NULL;
    noted->end = &noted->batches;
    noted->bytes = 0;
    il__map_reset(&noted->by_run);
    while (all) {
        struct il__batch *batch = all;
        all = batch->next;
        batch->next = NULL;
        /* The map keeps its memory over a reset: putting back what was in it cannot fail. */
        if (batch->done || !il__map_put(&noted->by_run, batch->run_id, batch)) {
            free_batch(noted, batch);
            continue;
        }
        noted->bytes += batch_bytes(batch);
        *noted->end = batch;
        noted->end = &batch->next;
    }
}

/* ---- notes ---- */

static enum il_code room(struct il__noted *noted, size_t more, struct il_error *err)
{
    if (more <= IL__LIMIT_STORE_PENDING_BYTES && noted->bytes <= IL__LIMIT_STORE_PENDING_BYTES - more) return IL_OK;
    return il__fail_at(err, IL_LIMIT_EXCEEDED, "store", "store_pending_bytes",
                       "at most %d bytes wait for being written", IL__LIMIT_STORE_PENDING_BYTES);
}

static enum il_code note_row(struct il__noted *noted, const struct il__store_row *row, bool create,
                             struct il_error *err)
{
    struct il__batch *batch = NULL;
    size_t texts = row->run_id.len + row->status.len + row->request_id.len + row->tool.len + row->mode.len;
    texts += row->session_id.len + row->principal.len + row->tenant.len;
    size_t bytes = sizeof(struct il__noted_row) + texts + ROW_TEXTS + sizeof *batch + row->run_id.len;
    enum il_code code = room(noted, bytes, err);
    if (!code) code = batch_of(noted, row->run_id, &batch, err);
    if (code) return code;
    if (create && (batch->create || batch->records)) return il__run_known(row->run_id, err);
    struct il__noted_row *copy = il__noted_row_copy(noted->mem, row);
    if (!copy) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for what the store is to write");
    struct il__noted_row **at = create ? &batch->create : &batch->index;
    if (*at) noted->bytes -= (*at)->bytes;
    il__noted_row_free(noted->mem, *at);
    *at = copy;
    noted->bytes += copy->bytes;
    return IL_OK;
}

enum il_code il__noted_create(struct il__noted *noted, const struct il__store_row *row, struct il_error *err)
{
    return note_row(noted, row, true, err);
}

enum il_code il__noted_index(struct il__noted *noted, const struct il__store_row *row, struct il_error *err)
{
    return note_row(noted, row, false, err);
}

enum il_code il__noted_append(struct il__noted *noted, const struct il__store_record *record, struct il_error *err)
{
    struct il__batch *batch = NULL;
    if (record->text.len > IL__LIMIT_STORE_PENDING_BYTES || record->payload.len > IL__LIMIT_STORE_PENDING_BYTES)
        return room(noted, SIZE_MAX, err);
    size_t bytes = sizeof(struct il__noted_record) + record->text.len + record->payload.len + 2;
    enum il_code code = room(noted, bytes + sizeof *batch, err);
    if (!code) code = batch_of(noted, record->run_id, &batch, err);
    if (code) return code;
    struct il__noted_record *copy = il__mem_alloc(noted->mem, bytes);
    if (!copy) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for what the store is to write");
    *copy = (struct il__noted_record){ bytes, NULL, *record };
    char *at = (char *)(copy + 1);
    put(&at, &copy->record.text);
    put(&at, &copy->record.payload);
    copy->record.run_id = batch->run_id;
    *batch->records_end = copy;
    batch->records_end = &copy->next;
    noted->bytes += bytes;
    return IL_OK;
}

enum il_code il__noted_consume(struct il__noted *noted, struct il_str run_id, uint64_t letter, struct il_error *err)
{
    struct il__batch *batch = NULL;
    enum il_code code = room(noted, sizeof(struct il__noted_letter) + sizeof *batch, err);
    if (!code) code = batch_of(noted, run_id, &batch, err);
    if (code) return code;
    struct il__noted_letter *note = il__mem_alloc(noted->mem, sizeof *note);
    if (!note) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for what the store is to write");
    *note = (struct il__noted_letter){ NULL, letter };
    *batch->letters_end = note;
    batch->letters_end = &note->next;
    noted->bytes += sizeof *note;
    return IL_OK;
}

enum il_code il__noted_remember(struct il__noted *noted, const struct il__past *past, struct il_error *err)
{
    struct il__batch *batch = NULL;
    struct il__past copy = *past;
    struct il_str *const texts[] = { &copy.run_id, &copy.session_id, &copy.tool, &copy.app };
    size_t bytes = sizeof(struct il__noted_past);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i]->len > IL__LIMIT_STORE_PENDING_BYTES) return room(noted, SIZE_MAX, err);
        bytes += texts[i]->len + 1;
    }
    enum il_code code = room(noted, bytes + sizeof *batch, err);
    if (!code) code = batch_of(noted, past->run_id, &batch, err);
    if (code) return code;
    struct il__noted_past *note = il__mem_zalloc(noted->mem, 1, bytes);
    if (!note) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for what the store is to write");
    char *at = (char *)(note + 1);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) put(&at, texts[i]);
    *note = (struct il__noted_past){ bytes, copy };
    if (batch->past) {
        noted->bytes -= batch->past->bytes;
        il__mem_free(noted->mem, batch->past, batch->past->bytes);
    }
    batch->past = note;
    noted->bytes += bytes;
    return IL_OK;
}

/* ---- checks of both stores ---- */

enum il_code il__check_letter(struct il_str kind, struct il_str body, struct il_error *err)
{
    if (!il__str_eq(kind, IL_STR("answer")) && !il__str_eq(kind, IL_STR("decision")) &&
        !il__str_eq(kind, IL_STR("cancel")))
        return il__refuse(err, IL_INVALID_REQUEST, "letter", "kind", IL_STR("answer, decision or cancel"), kind);
    if (!il__str_present(body)) return il__fail_at(err, IL_INVALID_REQUEST, "letter", "body", "a letter has a body");
    if (body.len > IL__LIMIT_CONTRACT_BYTES)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "letter", "contract_bytes", "a letter has at most %d bytes",
                           IL__LIMIT_CONTRACT_BYTES);
    return IL_OK;
}

static enum il_code about_run(struct il_str run_id, const char *what, struct il_error *err)
{
    char shown[160];
    il__escape(shown, sizeof shown, run_id);
    return il__fail_at(err, IL_CONFLICT, "run", shown, "run %s %s", shown, what);
}

enum il_code il__lost_run(struct il_str run_id, struct il_error *err)
{
    return about_run(run_id, "has another owner, fence or next record: nothing of it was written", err);
}

enum il_code il__no_such_run(struct il_str run_id, struct il_error *err)
{
    return about_run(run_id, "is not in the store", err);
}

enum il_code il__run_known(struct il_str run_id, struct il_error *err)
{
    return about_run(run_id, "is in the store already", err);
}

enum il_code il__run_ended(struct il_str run_id, struct il_error *err)
{
    return about_run(run_id, "has ended", err);
}

enum il_code il__too_many_letters(struct il_error *err)
{
    return il__fail_at(err, IL_LIMIT_EXCEEDED, "letter", "store_letters", "%d letters wait for this run already",
                       IL__LIMIT_STORE_LETTERS);
}
