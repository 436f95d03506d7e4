/* The rules of one member, taken from its row, and the words for them. Uses nothing but the row and the value; the same
 * rules serve decode and encode, so that what is written can be read. Must never put a value into words that could be
 * a secret: texts are described by their length. */
#include "contract/field.h"

#include <inttypes.h>
#include <stdio.h>

size_t il__field_count(const struct il__schema *schema)
{
    size_t n = 0;
    while (schema->fields[n].wire) n++;
    return n;
}

bool il__field_present(const struct il__field *field, const void *obj)
{
    const void *p = il__field_of(field, obj);
    bool opt = (field->flags & IL__F_OPT) != 0;
    switch (field->kind) {
    case IL__F_STR: return ((const struct il_str *)p)->ptr != NULL;
    case IL__F_BOOL: return !opt || ((const struct il__opt_bool *)p)->has;
    case IL__F_INT: return !opt || ((const struct il__opt_int *)p)->has;
    case IL__F_NUM: return !opt || ((const struct il__opt_num *)p)->has;
    case IL__F_ENUM: return *(const int *)p >= 0;
    case IL__F_STRS:
    case IL__F_ENUMS: return ((const struct il__strs *)p)->items != NULL;
    case IL__F_OBJECT: return *(const void *const *)p != NULL;
    case IL__F_OBJECTS: return ((const struct il__objects *)p)->items != NULL;
    case IL__F_ANY:
    case IL__F_ARGS: return ((const struct il__any *)p)->doc != NULL;
    case IL__F_WINDOW: return ((const struct il__window_id *)p)->kind != IL__WINDOW_NONE;
    case IL__F_WINDOWS: return ((const struct il__windows *)p)->items != NULL;
    case IL__F_COUNTS: return ((const struct il__counts *)p)->names != NULL;
    }
    return false;
}

static bool is_sha256(struct il_str s)
{
    static const char prefix[] = "sha256:";
    size_t n = sizeof(prefix) - 1;
    if (s.len != n + 64 || memcmp(s.ptr, prefix, n) != 0) return false;
    return il__str_is_hex((struct il_str){ s.ptr + n, 64 }, 64);
}

static enum il_code check_enum(const struct il__field *field, int v, struct il__fault *fault)
{
    int count = 0;
    while (field->names[count]) count++;
    if (v < count) return IL_OK;
    (void)snprintf(fault->actual, sizeof(fault->actual), "another value");
    return IL_DECODE;
}

static void describe_text(struct il_str s, struct il__fault *fault)
{
    if (s.len == 0) (void)snprintf(fault->actual, sizeof(fault->actual), "an empty text");
    else (void)snprintf(fault->actual, sizeof(fault->actual), "another text of %zu bytes", s.len);
}

static enum il_code check_str(const struct il__field *field, struct il_str s, struct il__fault *fault)
{
    bool ok = !((field->flags & IL__F_NONEMPTY) && s.len == 0);
    if ((field->flags & IL__F_HEX64) && !il__str_is_hex(s, 64)) ok = false;
    if ((field->flags & IL__F_SHA256) && !is_sha256(s)) ok = false;
    if (ok) return IL_OK;
    describe_text(s, fault);
    return IL_DECODE;
}

static enum il_code check_int(const struct il__field *field, int64_t v, struct il__fault *fault)
{
    if (v >= field->least && v <= field->most) return IL_OK;
    (void)snprintf(fault->actual, sizeof(fault->actual), "%" PRId64, v);
    return IL_DECODE;
}

static enum il_code check_num(const struct il__field *field, double v, struct il__fault *fault)
{
    if (field->most == 0 || (v >= (double)field->least && v <= (double)field->most)) return IL_OK;
    char text[32];
    (void)il__double_text(v, text);
    (void)snprintf(fault->actual, sizeof(fault->actual), "%s", text);
    return IL_DECODE;
}

static enum il_code check_count(const struct il__field *field, size_t count, struct il__fault *fault)
{
    int64_t least = (field->flags & IL__F_NONEMPTY) && field->least < 1 ? 1 : field->least;
    if ((int64_t)count >= least && (field->most == 0 || (int64_t)count <= field->most)) return IL_OK;
    (void)snprintf(fault->actual, sizeof(fault->actual), "%zu of them", count);
    return IL_DECODE;
}

/* Order by text, then by place: of two doubles the later one comes second. */
static bool before(struct il__strs list, uint32_t a, uint32_t b)
{
    int c = il__str_cmp(list.items[a], list.items[b]);
    return c != 0 ? c < 0 : a < b;
}

static void sift(struct il__strs list, uint32_t *heap, size_t root, size_t len)
{
    while (root * 2 + 1 < len) {
        size_t child = root * 2 + 1;
        if (child + 1 < len && before(list, heap[child], heap[child + 1])) child++;
        if (!before(list, heap[root], heap[child])) return;
        uint32_t t = heap[root];
        heap[root] = heap[child];
        heap[child] = t;
        root = child;
    }
}

/* Heap sort: a long list must cost n log n at worst, and no stack. */
static void sort(struct il__strs list, uint32_t *order)
{
    for (size_t i = 0; i < list.count; i++) order[i] = (uint32_t)i;
    for (size_t i = list.count / 2; i > 0; i--) sift(list, order, i - 1, list.count);
    for (size_t len = list.count; len > 1; len--) {
        uint32_t t = order[0];
        order[0] = order[len - 1];
        order[len - 1] = t;
        sift(list, order, 0, len - 1);
    }
}

static enum il_code check_unique(struct il__strs list, struct il__mem *mem, struct il__fault *fault)
{
    if (list.count < 2) return IL_OK;
    if (list.count > UINT32_MAX) return IL_OUT_OF_MEMORY;
    uint32_t *order = il__mem_zalloc(mem, list.count, sizeof(*order));
    if (!order) return IL_OUT_OF_MEMORY;
    sort(list, order);
    size_t item = 0; /* the first element that repeats an earlier one */
    for (size_t i = 1; i < list.count; i++) {
        if (!il__str_eq(list.items[order[i - 1]], list.items[order[i]])) continue;
        if (item == 0 || order[i] + (size_t)1 < item) item = order[i] + (size_t)1;
    }
    il__mem_free(mem, order, list.count * sizeof(*order));
    if (item == 0) return IL_OK;
    fault->item = item;
    (void)snprintf(fault->actual, sizeof(fault->actual), "a text that stands earlier in the list");
    return IL_DECODE;
}

static enum il_code check_strs(const struct il__field *field, struct il__strs list, struct il__mem *mem,
                               struct il__fault *fault)
{
    enum il_code code = check_count(field, list.count, fault);
    for (size_t i = 0; !code && i < list.count; i++) {
        struct il_str s = list.items[i];
        bool unknown = field->names && il__name_index(field->names, s) < 0;
        if (!unknown && !((field->flags & IL__F_ITEMS_NONEMPTY) && s.len == 0)) continue;
        fault->item = i + 1;
        describe_text(s, fault);
        return IL_DECODE;
    }
    if (!code && (field->flags & IL__F_UNIQUE)) code = check_unique(list, mem, fault);
    return code;
}

static enum il_code check_window(struct il__window_id id, struct il__fault *fault)
{
    const int64_t most = INT64_C(9007199254740991);
    if (id.kind != IL__WINDOW_TOKEN || (id.token >= -most && id.token <= most)) return IL_OK;
    (void)snprintf(fault->actual, sizeof(fault->actual), "%" PRId64, id.token);
    return IL_DECODE;
}

static enum il_code check_windows(struct il__windows list, struct il__fault *fault)
{
    for (size_t i = 0; i < list.count; i++) {
        fault->item = i + 1;
        if (check_window(list.items[i], fault)) return IL_DECODE;
    }
    fault->item = 0;
    return IL_OK;
}

static enum il_code check_counts(struct il__counts counts, struct il__fault *fault)
{
    for (size_t i = 0; i < counts.count; i++) {
        if (counts.values[i] >= 0) continue;
        (void)snprintf(fault->actual, sizeof(fault->actual), "%" PRId64, counts.values[i]);
        return IL_DECODE;
    }
    return IL_OK;
}

enum il_code il__field_check(const struct il__field *field, const void *obj, struct il__mem *mem,
                             struct il__fault *fault)
{
    const void *p = il__field_of(field, obj);
    bool opt = (field->flags & IL__F_OPT) != 0;
    memset(fault, 0, sizeof(*fault));
    switch (field->kind) {
    case IL__F_STR: return check_str(field, *(const struct il_str *)p, fault);
    case IL__F_INT:
        return check_int(field, opt ? ((const struct il__opt_int *)p)->value : *(const int64_t *)p, fault);
    case IL__F_NUM: return check_num(field, opt ? ((const struct il__opt_num *)p)->value : *(const double *)p, fault);
    case IL__F_STRS:
    case IL__F_ENUMS: return check_strs(field, *(const struct il__strs *)p, mem, fault);
    case IL__F_OBJECTS: return check_count(field, ((const struct il__objects *)p)->count, fault);
    case IL__F_WINDOW: return check_window(*(const struct il__window_id *)p, fault);
    case IL__F_WINDOWS: return check_windows(*(const struct il__windows *)p, fault);
    case IL__F_COUNTS: return check_counts(*(const struct il__counts *)p, fault);
    case IL__F_ENUM: return check_enum(field, *(const int *)p, fault);
    case IL__F_BOOL:
    case IL__F_OBJECT:
    case IL__F_ANY:
    case IL__F_ARGS: return IL_OK;
    }
    return IL_DECODE;
}

static void expect_names(const char *const *names, const char *lead, char buf[IL__FIELD_TEXT_MAX])
{
    int n = snprintf(buf, IL__FIELD_TEXT_MAX, "%s", lead);
    for (size_t i = 0; names[i] && n >= 0 && n < IL__FIELD_TEXT_MAX; i++)
        n += snprintf(buf + n, (size_t)(IL__FIELD_TEXT_MAX - n), "%s%s", i ? ", " : " ", names[i]);
}

static void expect_list(const struct il__field *field, const char *what, char buf[IL__FIELD_TEXT_MAX])
{
    int64_t least = (field->flags & IL__F_NONEMPTY) && field->least < 1 ? 1 : field->least;
    const char *unique = field->flags & IL__F_UNIQUE ? "different " : "";
    const char *full = field->flags & IL__F_ITEMS_NONEMPTY ? " that are not empty" : "";
    if (field->most)
        (void)snprintf(buf, IL__FIELD_TEXT_MAX, "a list of at most %" PRId64 " %s%s%s", field->most, unique, what,
                       full);
    else if (least)
        (void)snprintf(buf, IL__FIELD_TEXT_MAX, "a list of at least %" PRId64 " %s%s%s", least, unique, what, full);
    else
        (void)snprintf(buf, IL__FIELD_TEXT_MAX, "a list of %s%s%s", unique, what, full);
}

static void expect_range(const struct il__field *field, const char *what, char buf[IL__FIELD_TEXT_MAX])
{
    if (field->most == INT64_MAX)
        (void)snprintf(buf, IL__FIELD_TEXT_MAX, "%s, %" PRId64 " or more", what, field->least);
    else if (field->most == 0)
        (void)snprintf(buf, IL__FIELD_TEXT_MAX, "%s", what);
    else
        (void)snprintf(buf, IL__FIELD_TEXT_MAX, "%s from %" PRId64 " to %" PRId64, what, field->least, field->most);
}

static const char *expect_str(unsigned flags)
{
    if (flags & IL__F_HEX64) return "64 lowercase hex digits";
    if (flags & IL__F_SHA256) return "sha256: and 64 lowercase hex digits";
    return flags & IL__F_NONEMPTY ? "a text that is not empty" : "a text";
}

void il__field_expected(const struct il__field *field, char buf[IL__FIELD_TEXT_MAX])
{
    const char *fixed = NULL;
    switch (field->kind) {
    case IL__F_STR: fixed = expect_str(field->flags); break;
    case IL__F_BOOL: fixed = "true or false"; break;
    case IL__F_INT: expect_range(field, "a whole number", buf); return;
    case IL__F_NUM: expect_range(field, "a number", buf); return;
    case IL__F_ENUM: expect_names(field->names, "one of", buf); return;
    case IL__F_STRS: expect_list(field, "texts", buf); return;
    case IL__F_ENUMS: expect_names(field->names, "a list of", buf); return;
    case IL__F_OBJECTS: expect_list(field, "objects", buf); return;
    case IL__F_OBJECT:
    case IL__F_ARGS: fixed = "an object"; break;
    case IL__F_ANY: fixed = "any value"; break;
    case IL__F_WINDOW: fixed = "a text, or a whole number within 2^53-1"; break;
    case IL__F_WINDOWS: fixed = "a list of texts, or of whole numbers within 2^53-1"; break;
    case IL__F_COUNTS: fixed = "an object of whole numbers, 0 or more"; break;
    }
    (void)snprintf(buf, IL__FIELD_TEXT_MAX, "%s", fixed ? fixed : "a value");
}
