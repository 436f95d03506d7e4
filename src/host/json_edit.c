/* Changing one member of a document (json_edit.h): finds how far the pointer leads, and puts the rest in there. */
#include "host/json_edit.h"

#include "base/error.h"
#include "wire/json_write.h"

enum { DEEPEST = 16, NAME_BYTES = 256 };

void il__json_edit_part(struct il__buf *pointer, struct il_str name)
{
    il__buf_putc(pointer, '/');
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '~') il__buf_puts(pointer, "~0");
        else if (name.ptr[i] == '/') il__buf_puts(pointer, "~1");
        else il__buf_putc(pointer, name.ptr[i]);
    }
}

/* The part at `*at` of the pointer, unescaped into `room`; `*at` moves behind it. False: it is no part. */
static bool next_part(struct il_str pointer, size_t *at, char room[NAME_BYTES], struct il_str *out)
{
    size_t len = 0;
    if (*at >= pointer.len || pointer.ptr[*at] != '/') return false;
    for (++*at; *at < pointer.len && pointer.ptr[*at] != '/'; ++*at) {
        char c = pointer.ptr[*at];
        if (c == '~') {
            if (++*at >= pointer.len) return false;
            c = pointer.ptr[*at] == '0' ? '~' : '/';
        }
        if (len == NAME_BYTES) return false;
        room[len++] = c;
    }
    *out = (struct il_str){ room, len };
    return true;
}

/* The bytes [from, to) of the document give way to the value, inside the objects that the rest of the pointer needs. */
struct place {
    size_t from, to;
    bool member, first; /* `name` has to be written, and a comma behind unless it is the first of an empty object */
    struct il_str name;
    char room[NAME_BYTES];
    size_t rest;        /* where the rest of the pointer begins */
};

static bool find(const struct il__json *doc, struct il_str pointer, struct place *p)
{
    uint32_t node = 0;
    size_t at = 0;
    *p = (struct place){ .to = doc->text.len };
    while (at < pointer.len) {
        if (il__json_kind(doc, node) == IL__JSON_NULL && node) break; /* absent: an object comes here */
        if (il__json_kind(doc, node) != IL__JSON_OBJECT) return false;
        if (!next_part(pointer, &at, p->room, &p->name)) return false;
        uint32_t child = il__json_get_str(doc, node, p->name);
        if (!child) {
            p->from = p->to = (size_t)il__json_at(doc, node)->off + 1;
            p->member = true;
            p->first = il__json_at(doc, node)->count == 0;
            break;
        }
        node = child;
        struct il_str raw = il__json_raw(doc, node);
        p->from = (size_t)(raw.ptr - doc->text.ptr);
        p->to = p->from + raw.len;
    }
    p->rest = at;
    return true;
}

static void put_name(struct il__buf *out, struct il_str name)
{
    struct il__json_writer w;
    il__jw_init(&w, out);
    il__jw_str(&w, name);
    il__buf_putc(out, ':');
}

enum il_code il__json_edit(const struct il__json *doc, struct il_str pointer, struct il_str value, struct il__buf *out,
                           struct il_error *err)
{
    struct place p;
    char room[NAME_BYTES];
    struct il_str name;
    size_t opened = 0;
    if (!find(doc, pointer, &p))
        return il__fail(err, IL_INVALID_REQUEST, "nothing can stand at %.*s", IL_STR_FMT(pointer));
    il__buf_add(out, doc->text.ptr, p.from);
    if (p.member) put_name(out, p.name);
    for (size_t at = p.rest; at < pointer.len; opened++) {
        if (opened == DEEPEST || !next_part(pointer, &at, room, &name))
            return il__fail(err, IL_INVALID_REQUEST, "nothing can stand at %.*s", IL_STR_FMT(pointer));
        il__buf_putc(out, '{');
        put_name(out, name);
    }
    il__buf_str(out, value);
    while (opened-- > 0) il__buf_putc(out, '}');
    if (p.member && !p.first) il__buf_putc(out, ',');
    il__buf_add(out, doc->text.ptr + p.to, doc->text.len - p.to);
    return il__buf_check(out, err);
}
