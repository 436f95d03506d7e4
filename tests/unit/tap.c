/* See tap.h. Uses only the C library. Must never change what it reports about: it only reads. */
#include "tap.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static unsigned checks;
static unsigned failures;
static bool planned;

static bool result(bool cond, const char *fmt, va_list args)
{
    char name[512];
    vsnprintf(name, sizeof name, fmt, args);
    for (char *p = name; *p; p++)
        if (*p == '\n' || *p == '\r' || *p == '#') *p = ' ';
    checks++;
    if (!cond) failures++;
    printf("%sok %u - %s\n", cond ? "" : "not ", checks, name);
    fflush(stdout);
    return cond;
}

bool tap_ok(bool cond, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    result(cond, fmt, args);
    va_end(args);
    return cond;
}

static void show(const char *label, const char *bytes, size_t len)
{
    printf("#   %s ", label);
    if (!bytes) {
        printf("(absent)\n");
        return;
    }
    size_t shown = len < 2000 ? len : 2000;
    putchar('"');
    for (size_t i = 0; i < shown; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c < 0x20 || c == 0x7f) printf("\\x%02x", c);
        else putchar(c);
    }
    printf("\"%s (%zu bytes)\n", shown < len ? "..." : "", len);
}

bool tap_str(struct il_str got, const char *want, const char *fmt, ...)
{
    size_t len = want ? strlen(want) : 0;
    bool same = (got.ptr == NULL) == (want == NULL) && got.len == len && (len == 0 || memcmp(got.ptr, want, len) == 0);
    va_list args;
    va_start(args, fmt);
    result(same, fmt, args);
    va_end(args);
    if (!same) {
        show("got ", got.ptr, got.len);
        show("want", want, len);
    }
    return same;
}

bool tap_int(long long got, long long want, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    result(got == want, fmt, args);
    va_end(args);
    if (got != want) printf("#   got  %lld\n#   want %lld\n", got, want);
    return got == want;
}

void tap_note(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    printf("#   ");
    vprintf(fmt, args);
    printf("\n");
    va_end(args);
}

char *tap_slurp(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    size_t cap = 65536, have = 0, got;
    char *bytes = malloc(cap + 1);
    if (!file || !bytes) {
        printf("Bail out! cannot read %s\n", path);
        exit(1);
    }
    while ((got = fread(bytes + have, 1, cap - have, file)) > 0) {
        have += got;
        if (have < cap) continue;
        cap *= 2;
        bytes = realloc(bytes, cap + 1);
        if (!bytes) exit(1);
    }
    fclose(file);
    bytes[have] = 0;
    if (len) *len = have;
    return bytes;
}

static bool has_suffix(const char *name, const char *suffix)
{
    size_t n = strlen(name), s = strlen(suffix);
    return n >= s && strcmp(name + n - s, suffix) == 0;
}

static size_t each(const char *dir, const char *suffix,
                   void (*fn)(void *ctx, const char *path, const char *bytes, size_t len), void *ctx)
{
    struct dirent **names = NULL;
    int n = scandir(dir, &names, NULL, alphasort);
    size_t found = 0;
    for (int i = 0; i < n; i++) {
        char path[4096];
        struct stat st;
        snprintf(path, sizeof path, "%s/%s", dir, names[i]->d_name);
        if (names[i]->d_name[0] != '.' && stat(path, &st) == 0) {
            if (S_ISDIR(st.st_mode)) {
                found += each(path, suffix, fn, ctx);
            } else if (has_suffix(names[i]->d_name, suffix)) {
                size_t len;
                char *bytes = tap_slurp(path, &len);
                fn(ctx, path, bytes, len);
                free(bytes);
                found++;
            }
        }
        free(names[i]);
    }
    free(names);
    return found;
}

size_t tap_each(const char *dir, const char *suffix,
                void (*fn)(void *ctx, const char *path, const char *bytes, size_t len), void *ctx)
{
    size_t found = each(dir, suffix, fn, ctx);
    if (found == 0) tap_ok(false, "%s holds files *%s", dir, suffix);
    return found;
}

void tap_plan_end(void)
{
    if (planned) return;
    planned = true;
    printf("1..%u\n", checks);
    fflush(stdout);
}

int tap_done(void)
{
    tap_plan_end();
    return failures == 0 && checks > 0 ? 0 : 1;
}
