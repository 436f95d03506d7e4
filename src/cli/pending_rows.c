/* Rows that want a person (pending_rows.h): one pass over the store, and an ordered array of the soonest. */
#include "cli/pending_rows.h"

#include "cli/mem.h"
#include "cli/moment.h"

#include <string.h>

void il__pending_init(struct il__pending *pending, size_t most)
{
    memset(pending, 0, sizeof *pending);
    pending->most = most < IL__CLI_PENDING_ROWS ? most : IL__CLI_PENDING_ROWS;
}

bool il__pending_still(const struct il_store_row *row)
{
    return row->state == IL_ROW_MOVING && !row->owned;
}

/* Standing still comes first, then the soonest expiry; the order of ids decides between equals. */
static int64_t key_of(const struct il_store_row *row)
{
    return il__pending_still(row) ? INT64_MIN : row->expires_ms ? row->expires_ms : INT64_MAX;
}

/* Where a row of this key belongs: behind its equals. */
static size_t place_of(const struct il__pending *p, int64_t key)
{
    size_t low = 0, high = p->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (key_of(&p->rows[middle]->row) <= key) low = middle + 1;
        else high = middle;
    }
    return low;
}

static bool keep(void *ctx, const struct il_store_row *row)
{
    struct il__pending *p = ctx;
    if (row->state != IL_ROW_WAITING && !il__pending_still(row)) return true;
    p->waiting += row->state == IL_ROW_WAITING;
    p->still += row->state != IL_ROW_WAITING;
    size_t at = place_of(p, key_of(row));
    if (at == p->most) return true;
    size_t last = p->count < p->most ? p->count : p->most - 1; /* its place is used again */
    struct il__shelf_row *slot = p->rows[last];
    if (!slot) {
        slot = il__cli_resize(NULL, sizeof *slot);
        if (slot) memset(slot, 0, sizeof *slot);
    }
    p->rows[last] = slot;
    if (!slot || !il__shelf_copy(slot, row)) {
        p->failed = true;
        return false;
    }
    memmove(&p->rows[at + 1], &p->rows[at], (last - at) * sizeof *p->rows);
    p->rows[at] = slot;
    p->count = last + 1;
    return true;
}

enum il_code il__pending_read(struct il__pending *pending, il_store *store, struct il_error *err)
{
    pending->count = pending->waiting = pending->still = 0;
    pending->failed = false;
    enum il_code code = il_store_list(store, NULL, keep, pending, err);
    if (code != IL_OK || !pending->failed) return code;
    err->code = IL_OUT_OF_MEMORY;
    snprintf(err->message, sizeof err->message, "no memory for the list");
    return err->code;
}

void il__pending_clear(struct il__pending *pending)
{
    for (size_t i = 0; i < IL__CLI_PENDING_ROWS; i++) {
        if (!pending->rows[i]) continue;
        il__shelf_clear(pending->rows[i]);
        il__cli_resize(pending->rows[i], 0);
        pending->rows[i] = NULL;
    }
}

static void member(struct il__text *text, const char *name, struct il_str value)
{
    il__text_printf(text, "%s\"%s\":", text->len && text->ptr[text->len - 1] != '{' ? "," : "", name);
    il__text_json(text, value);
}

void il__pending_json(struct il__text *text, const struct il_store_row *row, int64_t now_ms)
{
    il__text_puts(text, "{");
    member(text, "runId", row->run_id);
    member(text, "status", row->status);
    member(text, "requestId", row->request_id);
    member(text, "tool", row->tool);
    member(text, "mode", row->mode);
    member(text, "principal", row->principal);
    member(text, "tenant", row->tenant);
    member(text, "session", row->session_id);
    il__text_puts(text, ",\"createdAt\":\"");
    il__wall_text(text, row->created_ms);
    il__text_puts(text, "\",\"expiresAt\":");
    if (row->expires_ms) {
        il__text_puts(text, "\"");
        il__wall_text(text, row->expires_ms);
        il__text_printf(text, "\",\"expiresInMs\":%lld", (long long)(row->expires_ms - now_ms));
    } else {
        il__text_puts(text, "null,\"expiresInMs\":null");
    }
    il__text_printf(text, ",\"letters\":%llu,\"owned\":%s}", (unsigned long long)row->letters,
                    row->owned ? "true" : "false");
}
