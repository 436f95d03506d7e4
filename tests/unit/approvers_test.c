/* The approvers file (SPEC §6): what is read, what is refused and where, its limits, and that there is one source. */
#include "tap.h"

#include "base/limits.h"
#include "wire/sign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bed {
    il_host *host;
    char file[256];
    struct il_error err;
};

static void open_bed(struct bed *b)
{
    const struct il_host_options o = IL_HOST_OPTIONS_INIT;
    const uint8_t seed[IL__KEY_BYTES] = { 1 };
    struct il__sign_key key;
    char text[IL__KEY_TEXT];
    memset(b, 0, sizeof *b);
    if (il_host_new(&o, &b->host, &b->err) || il__sign_key_from_seed(&key, seed, NULL)) abort();
    il__public_key_text(&key.public, text);
    (void)snprintf(b->file, sizeof b->file, "{\"approvers\":[{\"id\":\"ann\",\"key\":\"%s\"}]}", text);
}

static void close_bed(struct bed *b)
{
    il_host_free(b->host);
}

static void valid_file(void *ctx, const char *path, const char *bytes, size_t len)
{
    struct bed b;
    (void)ctx;
    open_bed(&b);
    tap_int(il_host_set_approvers_json(b.host, (struct il_str){ bytes, len }, &b.err), IL_OK, "%s (%s)", path,
            b.err.message);
    close_bed(&b);
}

static void invalid_file(void *ctx, const char *path, const char *bytes, size_t len)
{
    struct bed b;
    char want[64];
    (void)ctx;
    open_bed(&b);
    tap_int(il_host_set_approvers_json(b.host, (struct il_str){ bytes, len }, &b.err), IL_DECODE, "%s is refused (%s)",
            path, b.err.message);
    tap_str(il__str(b.err.object), "approvers", "by its object");
    const char *at = strchr(path, '@');
    if (at) {
        (void)snprintf(want, sizeof want, "/%.*s", (int)(strlen(at + 1) - 5), at + 1);
        for (char *c = want; *c; c++)
            if (*c == '.') *c = '/';
        tap_str(il__str(b.err.field), want, "at its place");
    }
    tap_int(il_host_set_approvers_json(b.host, il__str(b.file), &b.err), IL_OK, "and none of them stays");
    close_bed(&b);
}

static void file_limits(void)
{
    size_t cap = (IL__LIMIT_APPROVERS + 2) * 96;
    char *text = malloc(cap);
    if (!text) abort();
    for (int extra = 0; extra < 2; extra++) {
        struct bed b;
        open_bed(&b);
        size_t at = (size_t)snprintf(text, cap, "{\"approvers\":[");
        for (int i = 0; i < IL__LIMIT_APPROVERS + extra; i++) {
            uint8_t seed[IL__KEY_BYTES] = { (uint8_t)i, (uint8_t)(i >> 8), 9 };
            struct il__sign_key key;
            char key_text[IL__KEY_TEXT];
            if (il__sign_key_from_seed(&key, seed, NULL)) abort();
            il__public_key_text(&key.public, key_text);
            at += (size_t)snprintf(text + at, cap - at, "%s{\"id\":\"a%d\",\"key\":\"%s\"}", i ? "," : "", i, key_text);
        }
        (void)snprintf(text + at, cap - at, "]}");
        tap_int(il_host_set_approvers_json(b.host, il__str(text), &b.err), extra ? IL_DECODE : IL_OK, "approvers: %s",
                extra ? "one more is refused" : "as many as that");
        close_bed(&b);
    }
    free(text);
}

static void one_source(void)
{
    struct bed b;
    open_bed(&b);
    tap_int(il_host_set_approvers_json(b.host, il__str(b.file), &b.err), IL_OK, "a file");
    tap_int(il_host_add_approver(b.host, IL_STR("dot"), NULL, 0, &b.err), IL_CONFLICT,
            "nobody is vouched for beside the file (%s)", b.err.message);
    tap_int(il_host_set_approvers_json(b.host, il__str(b.file), &b.err), IL_CONFLICT, "one file (%s)", b.err.message);
    close_bed(&b);
    open_bed(&b);
    tap_int(il_host_add_approver(b.host, IL_STR("dot"), NULL, 0, &b.err), IL_OK, "somebody is vouched for");
    tap_int(il_host_set_approvers_json(b.host, il__str(b.file), &b.err), IL_CONFLICT, "then there is no file (%s)",
            b.err.message);
    close_bed(&b);
}

int main(void)
{
    tap_each("tests/vectors/approvers/valid", ".json", valid_file, NULL);
    tap_each("tests/vectors/approvers/invalid", ".json", invalid_file, NULL);
    file_limits();
    one_source();
    return tap_done();
}
