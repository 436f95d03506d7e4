/* What policies call on texts may be fed anything: a pattern or folder up to the first line break, the text behind it.
 * What is read reads as itself, what is not says why, and a glob is the same in any order of looking. */
#include "base/zone.h"
#include "check/domain.h"
#include "check/glob.h"
#include "check/nfc.h"
#include "check/path.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 600 }; /* longer inputs say nothing new, and take long */

static void try_path(struct il_str text)
{
    static struct il__path path, again;
    const char *why = NULL;
    if (!il__path_read(text, &path, &why)) {
        if (!why) abort();
        return;
    }
    if (path.len > IL__LIMIT_RULE_PATH_BYTES || path.root == 0 || path.root > path.len) abort();
    if (!il__path_read((struct il_str){ path.text, path.len }, &again, &why)) abort();
    if (again.len != path.len || memcmp(again.text, path.text, path.len) != 0 || again.root != path.root) abort();
    if (!il__path_under(&path, &again)) abort();
    again.len = again.root;
    if (!il__path_under(&path, &again)) abort();
}

static void try_domain(struct il_str text, struct il_str pattern)
{
    struct il__domain domain, again;
    const char *why = NULL;
    bool read = il__domain_read(text, &domain, &why);
    if (!read && !why) abort();
    enum il__domain_match found = il__domain_is(text, pattern, &why);
    if ((found == IL__DOMAIN_MATCHES && !read) || (found == IL__DOMAIN_PATTERN && !why)) abort();
    if (!read) return;
    if (domain.len == 0 || domain.len > 253 || domain.text[domain.len]) abort();
    if (!il__domain_read((struct il_str){ domain.text, domain.len }, &again, &why)) abort();
    if (again.len != domain.len || memcmp(again.text, domain.text, domain.len) != 0) abort();
    if (again.address != domain.address) abort();
}

static void try_zone(struct il_str text, size_t seed)
{
    struct il__zone zone;
    struct il__local l;
    const char *why = NULL;
    char shown[IL__LOCAL_TEXT_MAX];
    struct il__instant at = { (int64_t)seed * 86413 * 977, 0 };
    if (!il__zone_parse(text, &zone, &why)) {
        if (!why) abort();
        return;
    }
    il__zone_local(&zone, at, &l);
    if (l.month < 1 || l.month > 12 || l.day < 1 || l.day > 31 || l.hour < 0 || l.hour > 23) abort();
    if (l.offset < -90000 || l.offset > 90000 || !l.name[0]) abort();
    if (il__local_format(&zone, at, shown) >= sizeof shown) abort();
}

static void try_nfc(struct il_str text)
{
    static int32_t room[IL__NFC_ROOM(MOST)], again[IL__NFC_ROOM(3 * MOST)];
    static char out[4 * IL__NFC_ROOM(MOST)];
    size_t count = 0, count_again = 0;
    const char *why = NULL;
    if (!il__nfc_points(text, room, IL__NFC_ROOM(MOST), &count, &why)) {
        if (!why) abort();
        return;
    }
    size_t len = il__nfc_write(room, count, out, sizeof out);
    if (len > 3 * MOST) abort();
    if (!il__nfc_points((struct il_str){ out, len }, again, IL__NFC_ROOM(3 * MOST), &count_again, &why)) {
        if (count <= IL__LIMIT_NFC_MARKS) abort(); /* taken apart it may have more marks than the limit */
        return;
    }
    if (count != count_again || memcmp(room, again, count * sizeof *room) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > MOST) return 0;
    const char *bytes = (const char *)data, *line = size ? memchr(bytes, '\n', size) : NULL;
    struct il_str first = { size ? bytes : "", line ? (size_t)(line - bytes) : size }, rest = first;
    if (line) rest = (struct il_str){ line + 1, size - first.len - 1 };
    const char *why = NULL;
    enum il__glob found = il__glob_match(first, rest, &why);
    if (found == IL__GLOB_MALFORMED && !why) abort();
    try_path(first);
    try_path(rest);
    try_domain(rest, first);
    try_zone(first, size);
    try_nfc(rest);
    return 0;
}
