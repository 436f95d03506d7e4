/* Texts of refusals, see show.h. Uses the schema engine to write objects, over a fixed piece of stack. Must never
 * decide anything: a text that had to be cut or left out changes no check. */
#include "check/show.h"

#include <stdio.h>

/* A fixed-size text that is cut, with "..." at the end, when it would overflow. */
struct shown {
    char *buf;
    size_t len;
    bool cut;
};

static void add(struct shown *out, struct il_str s)
{
    if (out->cut) return;
    size_t room = IL__SHOW_MAX - 4 - out->len, take = s.len;
    if (take > room) {
        take = room;
        while (take > 0 && ((unsigned char)s.ptr[take] & 0xc0) == 0x80) take--; /* not inside a character */
        out->cut = true;
    }
    if (take > 0) memcpy(out->buf + out->len, s.ptr, take);
    out->len += take;
    if (!out->cut) return;
    memcpy(out->buf + out->len, "...", 3);
    out->len += 3;
}

static struct il_str done(struct shown *out)
{
    out->buf[out->len] = '\0';
    return (struct il_str){ out->buf, out->len };
}

static void add_window(struct shown *out, struct il__window_id id)
{
    char number[24];
    switch (id.kind) {
    case IL__WINDOW_NONE:
        break;
    case IL__WINDOW_TEXT:
        add(out, IL_STR("\""));
        add(out, id.text);
        add(out, IL_STR("\""));
        break;
    case IL__WINDOW_TOKEN:
        snprintf(number, sizeof number, "%lld", (long long)id.token);
        add(out, il__str(number));
        break;
    }
}

struct il_str il__show_window(struct il__window_id id, char buf[IL__SHOW_MAX])
{
    struct shown out = { buf, 0, false };
    if (id.kind == IL__WINDOW_NONE) return IL_STR_NONE;
    add_window(&out, id);
    return done(&out);
}

struct il_str il__show_windows(struct il__windows ids, char buf[IL__SHOW_MAX])
{
    struct shown out = { buf, 0, false };
    add(&out, IL_STR("["));
    for (size_t i = 0; i < ids.count && !out.cut; i++) {
        if (i > 0) add(&out, IL_STR(","));
        add_window(&out, ids.items[i]);
    }
    add(&out, IL_STR("]"));
    return done(&out);
}

struct il_str il__show_strs(struct il__strs list, char buf[IL__SHOW_MAX])
{
    struct shown out = { buf, 0, false };
    add(&out, IL_STR("["));
    for (size_t i = 0; i < list.count && !out.cut; i++) {
        add(&out, i > 0 ? IL_STR(",\"") : IL_STR("\""));
        add(&out, list.items[i]);
        add(&out, IL_STR("\""));
    }
    add(&out, IL_STR("]"));
    return done(&out);
}

struct il_str il__show_int(int64_t value, char buf[IL__SHOW_MAX])
{
    snprintf(buf, IL__SHOW_MAX, "%lld", (long long)value);
    return il__str(buf);
}

struct il_str il__show_above(int64_t value, char buf[IL__SHOW_MAX])
{
    snprintf(buf, IL__SHOW_MAX, "more than %lld", (long long)value);
    return il__str(buf);
}

struct il_str il__show_time(struct il__instant at, char buf[IL__SHOW_MAX])
{
    return (struct il_str){ buf, il__rfc3339_format(at, buf) };
}

struct il_str il__show_later(struct il__instant at, char buf[IL__SHOW_MAX])
{
    char text[IL__RFC3339_MAX];
    struct shown out = { buf, 0, false };
    add(&out, IL_STR("later than "));
    add(&out, (struct il_str){ text, il__rfc3339_format(at, text) });
    return done(&out);
}

struct il_str il__show_name(const char *const *names, int index)
{
    for (int i = 0; index >= 0 && names[i]; i++)
        if (i == index) return il__str(names[i]);
    return IL_STR_NONE;
}

/* Memory for one object written to be shown: taken from the stack, bump by bump; what does not fit is not shown. */
struct scratch {
    size_t used;
    char bytes[4096];
};

static void *scratch_alloc(void *ctx, void *ptr, size_t old_size, size_t new_size)
{
    struct scratch *scratch = ctx;
    size_t size = (new_size + 15) & ~(size_t)15;
    if (new_size == 0 || size < new_size || size > sizeof scratch->bytes - scratch->used) return NULL;
    void *block = scratch->bytes + scratch->used;
    scratch->used += size;
    if (ptr) memcpy(block, ptr, old_size < new_size ? old_size : new_size);
    return block;
}

/* The object as JSON in `scratch`, or absent. */
static struct il_str write_object(const struct il__schema *schema, const void *obj, struct scratch *scratch)
{
    struct il__mem mem;
    struct il__buf buf;
    struct il__json_writer writer;
    if (!obj) return IL_STR_NONE;
    scratch->used = 0;
    il__mem_init(&mem, scratch_alloc, scratch, 0);
    il__buf_init(&buf, &mem, 0);
    il__jw_init(&writer, &buf);
    il__encode(schema, obj, &writer);
    return buf.code == IL_OK ? il__buf_get(&buf) : IL_STR("too large to be shown");
}

static struct il_str show_from(struct il_str text, size_t from, char buf[IL__SHOW_MAX])
{
    struct shown out = { buf, 0, false };
    if (!il__str_present(text)) return text;
    if (from > 0) add(&out, IL_STR("..."));
    add(&out, (struct il_str){ text.ptr + from, text.len - from });
    return done(&out);
}

void il__show_objects(const struct il__schema *schema, const void *expected, const void *actual,
                      char want[IL__SHOW_MAX], char got[IL__SHOW_MAX], struct il_str *want_out, struct il_str *got_out)
{
    struct scratch a, b;
    struct il_str x = write_object(schema, expected, &a), y = write_object(schema, actual, &b);
    size_t same = 0, from;
    while (same < x.len && same < y.len && x.ptr[same] == y.ptr[same]) same++;
    for (from = same; from > 0 && !(x.ptr[from - 1] == ',' || x.ptr[from - 1] == '{'); from--) continue;
    if (from <= 1) from = 0;
    *want_out = show_from(x, from, want);
    *got_out = show_from(y, from, got);
}
