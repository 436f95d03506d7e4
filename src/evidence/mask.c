/* Masks (mask.h). */
#include "evidence/mask.h"

#include "base/error.h"
#include "base/limits.h"
#include "wire/base64.h"

#include <string.h>

enum { SHORTEST_TICKET = 4 }; /* shorter ones are masked by their member's name alone */

void il__mask_init(struct il__mask *mask, struct il__mem *mem, struct il__digest *digest)
{
    *mask = (struct il__mask){ .mem = mem, .digest = digest };
    il__arena_init(&mask->arena, mem);
}

void il__mask_begin(struct il__mask *mask)
{
    il__arena_clear(&mask->arena);
    mask->ticket_count = 0;
}

void il__mask_clear(struct il__mask *mask)
{
    il__mem_free(mask->mem, mask->tickets, mask->ticket_cap * sizeof *mask->tickets);
    il__arena_clear(&mask->arena);
    mask->tickets = NULL;
    mask->ticket_count = mask->ticket_cap = 0;
}

/* ---- tickets ---- */

static bool is_key(const struct il__json *doc, uint32_t at, const char *const *names)
{
    const struct il__json_node *n = il__json_at(doc, at);
    if (!(n->flags & IL__JSON_KEY)) return false;
    const struct il_str name = { doc->text.ptr + n->off, n->len };
    for (; *names; names++)
        if (il__str_eq(name, il__str(*names))) return true;
    return false;
}

static bool member_is(const struct il__json *doc, uint32_t parent, const char *name, const char *value)
{
    uint32_t at = il__json_get(doc, parent, name);
    if (!at || il__json_kind(doc, at) != IL__JSON_STRING) return false;
    const struct il__json_node *n = il__json_at(doc, at);
    return il__str_eq((struct il_str){ doc->text.ptr + n->off, n->len }, il__str(value));
}

/* Members whose values are tickets, anywhere in a document. */
static bool names_ticket(const struct il__json *doc, uint32_t key)
{
    static const char *const names[] = { "leaseId", "lease_id", "grantId", "grant_id", "approvalGrantId",
                                         "approval_grant_id", NULL };
    return is_key(doc, key, names);
}

/* And those of the core's own records. */
static bool names_ticket_in_body(const struct il__json *doc, uint32_t body, uint32_t key)
{
    static const char *const sent[] = { "lease", "grant", NULL }, *const id[] = { "id", NULL };
    if (key < body) return false;
    if (member_is(doc, 0, "kind", "execute")) return is_key(doc, key, sent);
    return is_key(doc, key, id) &&
           (member_is(doc, 0, "kind", "leased") || member_is(doc, body, "what", "control lease"));
}

static enum il_code learn(struct il__mask *mask, struct il_str ticket, struct il_error *err)
{
    if (ticket.len < SHORTEST_TICKET) return IL_OK;
    for (size_t i = 0; i < mask->ticket_count; i++)
        if (il__str_eq(mask->tickets[i], ticket)) return IL_OK;
    if (mask->ticket_count == mask->ticket_cap) {
        size_t cap = mask->ticket_cap ? mask->ticket_cap * 2 : 16;
        struct il_str *more = il__mem_resize(mask->mem, mask->tickets, mask->ticket_cap * sizeof *more,
                                             cap * sizeof *more);
        if (!more) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for an export");
        mask->tickets = more;
        mask->ticket_cap = cap;
    }
    if (il__arena_str(&mask->arena, ticket, &mask->tickets[mask->ticket_count]))
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for an export");
    mask->ticket_count++;
    return IL_OK;
}

enum il_code il__mask_learn(struct il__mask *mask, struct il__json *doc, bool record, struct il_error *err)
{
    uint32_t body = record ? il__json_get(doc, 0, "body") : 0;
    enum il_code code = IL_OK;
    for (uint32_t at = body; at + 1 < doc->count && !code; at++) {
        if (!(il__json_at(doc, at)->flags & IL__JSON_KEY) || il__json_kind(doc, at + 1) != IL__JSON_STRING) continue;
        if (!names_ticket(doc, at) && !(record && names_ticket_in_body(doc, body, at))) continue;
        const struct il__json_node *value = il__json_at(doc, at + 1);
        code = learn(mask, (struct il_str){ doc->text.ptr + value->off, value->len }, err);
    }
    return code;
}

static bool holds_ticket(const struct il__mask *mask, struct il_str text)
{
    for (size_t i = 0; i < mask->ticket_count; i++)
        if (text.len >= mask->tickets[i].len && memmem(text.ptr, text.len, mask->tickets[i].ptr, mask->tickets[i].len))
            return true;
    return false;
}

/* ---- pointers ---- */

bool il__mask_is_pointer(struct il_str p)
{
    if (!il__str_present(p) || (p.len && p.ptr[0] != '/')) return false;
    for (size_t i = 0; i < p.len; i++)
        if (p.ptr[i] == '~' && (i + 1 == p.len || (p.ptr[i + 1] != '0' && p.ptr[i + 1] != '1'))) return false;
    return true;
}

/* The place of a node below `root`: its pointer, without that of the root. */
static struct il_str place_of(const struct il__json *doc, uint32_t at, uint32_t root, char *buf, size_t cap)
{
    char above[1024];
    il__json_pointer(doc, root, above, sizeof above);
    il__json_pointer(doc, at, buf, cap);
    return il__str(buf + strlen(above));
}

static uint32_t child(const struct il__json *doc, uint32_t at, struct il_str part)
{
    if (il__json_kind(doc, at) == IL__JSON_OBJECT) return il__json_get_str(doc, at, part);
    if (il__json_kind(doc, at) != IL__JSON_ARRAY || !part.len || part.len > 9) return 0;
    size_t index = 0;
    for (size_t i = 0; i < part.len; i++) {
        if (part.ptr[i] < '0' || part.ptr[i] > '9' || (i == 1 && part.ptr[0] == '0')) return 0;
        index = index * 10 + (size_t)(part.ptr[i] - '0');
    }
    uint32_t item = il__json_first(doc, at);
    while (item && index--) item = il__json_next(doc, at, item);
    return item;
}

/* The node that a pointer names below `root`, or 0xffffffff. */
static uint32_t resolve(const struct il__json *doc, uint32_t root, struct il_str pointer)
{
    char part[1024];
    uint32_t at = root;
    for (size_t i = 0; i < pointer.len;) {
        size_t len = 0;
        for (i++; i < pointer.len && pointer.ptr[i] != '/'; i++) {
            if (len == sizeof part) return UINT32_MAX;
            bool escape = pointer.ptr[i] == '~';
            part[len++] = escape ? (pointer.ptr[++i] == '0' ? '~' : '/') : pointer.ptr[i];
        }
        if (!(at = child(doc, at, (struct il_str){ part, len }))) return UINT32_MAX;
    }
    return at;
}

/* ---- writing ---- */

static void write_mask(const struct il__mask *mask, const char *place, struct il_str below, struct il_str value,
                       const uint8_t salt[IL__SALT_BYTES], struct il__buf *out)
{
    uint8_t mac[IL__SHA256_BYTES];
    char hex[IL__SHA256_HEX];
    struct il__buf text;
    il__buf_init(&text, mask->mem, 0);
    il__buf_puts(&text, place);
    il__buf_str(&text, below);
    il__buf_putc(&text, '\n');
    il__buf_str(&text, value);
    if (text.code) {
        out->code = text.code;
    } else {
        il__hmac_sha256(mask->digest, (struct il_str){ (const char *)salt, IL__SALT_BYTES }, il__buf_get(&text), mac);
        il__hex(mac, sizeof mac, hex);
        il__buf_printf(out, "{\"masked\":\"hmac-sha256:%s\"}", hex);
    }
    il__buf_clear(&text);
}

/* Copies bytes of a document, without the blanks between its tokens. `from` and `to` lie outside of strings. */
static void copy_tight(struct il_str text, size_t from, size_t to, struct il__buf *out)
{
    bool inside = false;
    size_t start = from;
    for (size_t i = from; i < to; i++) {
        char c = text.ptr[i];
        if (inside && c == '\\') i++;
        else if (c == '"') inside = !inside;
        else if (!inside && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
            il__buf_add(out, text.ptr + start, i - start);
            start = i + 1;
        }
    }
    if (to > start) il__buf_add(out, text.ptr + start, to - start);
}

static bool pointed_at(const uint32_t *masked, size_t count, uint32_t at)
{
    for (size_t i = 0; i < count; i++)
        if (masked[i] == at) return true;
    return false;
}

static bool is_ticket(const struct il__mask *mask, const struct il__json *doc, uint32_t root, bool record, uint32_t at)
{
    const struct il__json_node *n = il__json_at(doc, at);
    if (mask->show_tickets || n->kind != IL__JSON_STRING) return false;
    if (at && (names_ticket(doc, at - 1) || (record && names_ticket_in_body(doc, root, at - 1)))) return true;
    return holds_ticket(mask, (struct il_str){ doc->text.ptr + n->off, n->len });
}

enum il_code il__mask_write(const struct il__mask *mask, struct il__json *doc, uint32_t root, const char *place,
                            const uint8_t salt[IL__SALT_BYTES], struct il__buf *out, struct il_error *err)
{
    size_t done = 0;
    uint32_t masked[IL__LIMIT_AUDIT_MASKS];
    for (size_t i = 0; i < mask->pointer_count; i++) masked[i] = resolve(doc, root, mask->pointers[i]);
    for (uint32_t at = root; at < il__json_at(doc, root)->end;) {
        char pointer[2048];
        bool key = il__json_at(doc, at)->flags & IL__JSON_KEY;
        if (key || !(pointed_at(masked, mask->pointer_count, at) || is_ticket(mask, doc, root, root != 0, at))) {
            at++;
            continue;
        }
        struct il_str raw = il__json_raw(doc, at);
        copy_tight(doc->text, done, (size_t)(raw.ptr - doc->text.ptr), out);
        write_mask(mask, place, place_of(doc, at, root, pointer, sizeof pointer), raw, salt, out);
        done = (size_t)(raw.ptr - doc->text.ptr) + raw.len;
        at = il__json_at(doc, at)->end;
    }
    copy_tight(doc->text, done, doc->text.len, out);
    return il__buf_check(out, err);
}

enum il_code il__mask_bytes(const struct il__mask *mask, struct il_str bytes, const char *place,
                            const uint8_t salt[IL__SALT_BYTES], struct il__buf *out, struct il_error *err)
{
    if (mask->pointer_count || (!mask->show_tickets && holds_ticket(mask, bytes))) {
        write_mask(mask, place, IL_STR(""), bytes, salt, out);
        return il__buf_check(out, err);
    }
    il__buf_puts(out, "{\"base64\":\"");
    char *room = il__buf_reserve(out, IL__BASE64_ROOM(bytes.len));
    if (room) il__buf_commit(out, il__base64_write(bytes.ptr, bytes.len, room));
    il__buf_puts(out, "\"}");
    return il__buf_check(out, err);
}
