/* Cases as text (policy_case.h). */
#include "cli/policy_case.h"

#include "cli/look.h"

#include <string.h>

void il__case_begin(struct il__text *out, struct il_str document)
{
    bool alone = il__look_get(document, "tool").len && !il__look_get(document, "action").len;
    il__text_reset(out);
    if (alone) il__text_puts(out, "{\"action\":");
    il__text_str(out, document);
    if (alone) il__text_puts(out, "}");
}

static char plain(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* "targetSensitivity" and "target_sensitivity" are one name. `quoted` is the member's, with its quotes. */
static bool same_name(struct il_str quoted, struct il_str name)
{
    size_t i = 1, k = 0;
    for (;;) {
        while (i + 1 < quoted.len && quoted.ptr[i] == '_') i++;
        while (k < name.len && name.ptr[k] == '_') k++;
        if (i + 1 >= quoted.len || k >= name.len) return i + 1 >= quoted.len && k >= name.len;
        if (plain(quoted.ptr[i++]) != plain(name.ptr[k++])) return false;
    }
}

struct step {
    struct il_str name;
    struct il_str object;   /* that has or gets the member; empty: none is there yet */
    struct il_str quoted;   /* the member's name as it stands there; empty: a new one */
    struct il_str value;
};

static size_t split(struct il_str path, struct step steps[IL__CASE_STEPS])
{
    size_t count = 0, from = 0;
    for (size_t i = 0; i <= path.len; i++) {
        if (i < path.len && path.ptr[i] != '.') continue;
        if (i == from || count == IL__CASE_STEPS) return 0;
        steps[count++] = (struct step){ .name = { path.ptr + from, i - from } };
        from = i + 1;
    }
    return count;
}

static void walk(struct il_str doc, struct step *steps, size_t count)
{
    struct il_str object = doc;
    for (size_t i = 0; i < count; i++) {
        struct il_str name, value;
        steps[i].object = object.len && object.ptr[0] == '{' ? object : (struct il_str){ NULL, 0 };
        for (size_t at = 0; il__look_next(steps[i].object, &at, &name, &value);) {
            if (!same_name(name, steps[i].name)) continue;
            steps[i].quoted = name;
            steps[i].value = value;
        }
        object = steps[i].value;
    }
}

/* The object of a step with its member set to `json`, or without it. */
static void rebuild(struct il__text *out, const struct step *step, struct il_str json)
{
    struct il_str name, value;
    bool first = true, placed = false;
    il__text_puts(out, "{");
    for (size_t at = 0; il__look_next(step->object, &at, &name, &value);) {
        bool here = step->quoted.len && name.ptr == step->quoted.ptr;
        placed |= here;
        if (here && !json.len) continue;
        if (!first) il__text_puts(out, ",");
        first = false;
        il__text_str(out, name);
        il__text_puts(out, ":");
        il__text_str(out, here ? json : value);
    }
    if (!placed && json.len) {
        if (!first) il__text_puts(out, ",");
        il__text_json(out, step->name);
        il__text_puts(out, ":");
        il__text_str(out, json);
    }
    il__text_puts(out, "}");
}

bool il__case_set(struct il__text *doc, struct il_str path, struct il_str json)
{
    struct step steps[IL__CASE_STEPS];
    struct il__text value = IL__TEXT_INIT, outer = IL__TEXT_INIT;
    size_t count = split(path, steps);
    if (!count) return false;
    walk(il__text_get(doc), steps, count);
    il__text_str(&value, json);
    for (size_t i = count; i > 0; i--) {
        il__text_reset(&outer);
        rebuild(&outer, &steps[i - 1], il__text_get(&value));
        struct il__text swap = outer;
        outer = value;
        value = swap;
    }
    il__text_clear(&outer);
    il__text_clear(doc);
    *doc = value;
    return !doc->failed;
}

bool il__case_add(struct il__text *doc, struct il_str path, struct il_str json)
{
    char name[64];
    struct il__text list = IL__TEXT_INIT;
    if (path.len >= sizeof name) return false;
    memcpy(name, path.ptr, path.len);
    name[path.len] = '\0';
    struct il_str have = il__look_get(il__text_get(doc), name);
    bool any = have.len > 2 && have.ptr[0] == '[';
    if (any) il__text_add(&list, have.ptr, have.len - 1);
    else il__text_puts(&list, "[");
    if (any) il__text_puts(&list, ",");
    il__text_str(&list, json);
    il__text_puts(&list, "]");
    bool good = il__case_set(doc, path, il__text_get(&list));
    il__text_clear(&list);
    return good;
}

static bool has_member(struct il_str object, struct il_str quoted)
{
    struct il_str name, value;
    for (size_t at = 0; il__look_next(object, &at, &name, &value);)
        if (name.len == quoted.len && memcmp(name.ptr, quoted.ptr, name.len) == 0) return true;
    return false;
}

bool il__case_merge(struct il__text *doc, const char *name, struct il_str object)
{
    struct il__text merged = IL__TEXT_INIT;
    struct il_str member, value, have = il__look_get(il__text_get(doc), name);
    il__text_puts(&merged, "{");
    for (size_t at = 0; il__look_next(have, &at, &member, &value);) {
        if (has_member(object, member)) continue;
        il__text_puts(&merged, merged.len > 1 ? "," : "");
        il__text_str(&merged, member);
        il__text_puts(&merged, ":");
        il__text_str(&merged, value);
    }
    il__text_puts(&merged, merged.len > 1 ? "," : "");
    il__text_add(&merged, object.ptr + 1, object.len - 1);
    bool good = !merged.failed && il__case_set(doc, il__text_of(name), il__text_get(&merged));
    il__text_clear(&merged);
    return good;
}

void il__case_value(struct il__text *out, struct il_str value)
{
    char c = value.len ? value.ptr[0] : '\0';
    bool json = c == '"' || c == '{' || c == '[' || il__text_same(value, "true") || il__text_same(value, "false") ||
                il__text_same(value, "null");
    bool number = value.len > 0;
    for (size_t i = 0; i < value.len; i++) number = number && memchr("0123456789.-+eE", value.ptr[i], 15);
    number = number && ((c >= '0' && c <= '9') || (c == '-' && value.len > 1));
    if (json || number) il__text_str(out, value);
    else il__text_json(out, value);
}
