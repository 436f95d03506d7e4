/* Normalization over libutf8proc (nfc.h). Its functions that take memory are not used. */
#include "check/nfc.h"

#include "base/limits.h"
#include "base/utf8.h"

#include <utf8proc.h>

/* Every character is UTF-8, and none has more marks than the limit. */
static bool check_text(struct il_str text, const char **why)
{
    size_t marks = 0;
    for (size_t at = 0; at < text.len;) {
        uint32_t code = 0;
        size_t step = il__utf8_read((const unsigned char *)text.ptr + at, text.len - at, &code);
        if (step == 0) {
            *why = "it is not UTF-8";
            return false;
        }
        at += step;
        marks = utf8proc_get_property((utf8proc_int32_t)code)->combining_class ? marks + 1 : 0;
        if (marks > IL__LIMIT_NFC_MARKS) {
            *why = "a character has more than 30 combining marks (nfc_marks)";
            return false;
        }
    }
    return true;
}

bool il__nfc_points(struct il_str text, int32_t *room, size_t size, size_t *count, const char **why)
{
    const utf8proc_option_t options = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
    if (!check_text(text, why)) return false;
    utf8proc_ssize_t n = utf8proc_decompose((const utf8proc_uint8_t *)text.ptr, (utf8proc_ssize_t)text.len, room,
                                            (utf8proc_ssize_t)size, options);
    if (n >= 0 && (size_t)n <= size) n = utf8proc_normalize_utf32(room, n, options);
    if (n < 0 || (size_t)n > size) {
        *why = "it does not fit when it is normalized";
        return false;
    }
    *count = (size_t)n;
    return true;
}

size_t il__nfc_write(const int32_t *points, size_t count, char *out, size_t size)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        char bytes[4];
        size_t n = il__utf8_write((uint32_t)points[i], bytes);
        if (n > size - len) return SIZE_MAX;
        memcpy(out + len, bytes, n);
        len += n;
    }
    return len;
}

int32_t il__fold_point(int32_t point)
{
    return utf8proc_tolower(utf8proc_toupper(point));
}

bool il__point_is_visible(int32_t point)
{
    utf8proc_category_t kind = utf8proc_category(point);
    return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_SO;
}

bool il__text_is_folded(struct il_str text)
{
    enum { MOST = 252, ROOM = 18 * MOST }; /* one code point becomes 18 at most */
    const utf8proc_option_t options =
        UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE;
    utf8proc_int32_t room[ROOM];
    char folded[MOST];
    const char *why;
    if (text.len > MOST || !check_text(text, &why)) return false;
    utf8proc_ssize_t n = utf8proc_decompose((const utf8proc_uint8_t *)text.ptr, (utf8proc_ssize_t)text.len, room, ROOM,
                                            options);
    if (n >= 0 && n <= ROOM) n = utf8proc_normalize_utf32(room, n, options);
    if (n < 0 || n > ROOM) return false;
    size_t len = il__nfc_write(room, (size_t)n, folded, sizeof folded);
    return len == text.len && memcmp(folded, text.ptr, len) == 0;
}
