/* The digests of an action. The vectors in tests/vectors/argsdigest hold arguments and envelope, the text that the
 * runtime hashes, and its digest; a digest of null means that the rule cannot be computed here. */
#include "check_kit.h"
#include "table.h"
#include "tap.h"

#include "base/limits.h"
#include "check/args_digest.h"

#include <stdio.h>
#include <stdlib.h>

struct tools {
    struct il__mem mem;
    struct il__digest *digest;
};

static void vector(void *ctx, const char *path, const char *bytes, size_t len)
{
    struct tools *tools = ctx;
    struct il__json doc;
    struct il_error err = IL_ERROR_INIT;
    struct il_str want = IL_STR_NONE;
    char hex[IL__SHA256_HEX] = "";
    table_json(&doc, &tools->mem, (struct il_str){ bytes, len });
    uint32_t args = il__json_get(&doc, 0, "arguments"), env = il__json_get(&doc, 0, "envelope");
    uint32_t digest = il__json_get(&doc, 0, "argsDigest"), text = il__json_get(&doc, 0, "text");
    struct il__any arguments = { args ? &doc : NULL, args };
    enum il_code code = il__args_digest(tools->digest, &tools->mem, &doc, env, arguments, hex, &err);
    if (il__json_kind(&doc, digest) == IL__JSON_NULL) {
        tap_ok(code == IL_UNSUPPORTED && err.code == IL_OK && hex[0] == '\0', "%s: not computable here", path);
    } else {
        bool read = il__json_string(&doc, digest, &want, NULL) == IL_OK;
        if (!tap_ok(read && code == IL_OK && il__str_eq(il__str(hex), want), "%s", path))
            tap_note("code %s, text %.*s", il_code_name(code), IL_STR_FMT(il__json_raw(&doc, text)));
    }
    il__json_clear(&doc);
}

/* Every envelope member that the rule covers changes the digest; those it does not cover do not. */
static void coverage(struct tools *tools)
{
    static const struct { const char *what, *env; bool covered; } rows[] = {
        { "tool", "\"tool\":\"u\",\"operation\":\"o\",\"requestedMode\":\"shadow\",\"dataLabels\":[]", true },
        { "operation", "\"tool\":\"t\",\"operation\":\"p\",\"requestedMode\":\"shadow\",\"dataLabels\":[]", true },
        { "mode", "\"tool\":\"t\",\"operation\":\"o\",\"requestedMode\":\"foreground\",\"dataLabels\":[]", true },
        { "labels", "\"tool\":\"t\",\"operation\":\"o\",\"requestedMode\":\"shadow\",\"dataLabels\":[\"x\"]", true },
        { "target", "\"target\":{\"appId\":\"a\"},\"tool\":\"t\",\"operation\":\"o\",\"requestedMode\":\"shadow\","
                    "\"dataLabels\":[]", true },
        { "session", "\"sessionId\":\"s\",\"tool\":\"t\",\"operation\":\"o\",\"requestedMode\":\"shadow\","
                     "\"dataLabels\":[]", false },
        { "the empty resource", "\"resource\":{},\"tool\":\"t\",\"operation\":\"o\",\"requestedMode\":\"shadow\","
                                "\"dataLabels\":[]", false },
    };
    static const char base[] = "{\"tool\":\"t\",\"operation\":\"o\",\"requestedMode\":\"shadow\",\"dataLabels\":[]}";
    struct il__any none = { NULL, 0 };
    struct il__json doc;
    struct il_error err = IL_ERROR_INIT;
    char first[IL__SHA256_HEX] = "", hex[IL__SHA256_HEX] = "", text[300];
    table_json(&doc, &tools->mem, il__str(base));
    tap_int(il__args_digest(tools->digest, &tools->mem, &doc, 0, none, first, &err), IL_OK, "a small envelope");
    il__json_clear(&doc);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, "{%s}", rows[i].env);
        table_json(&doc, &tools->mem, il__str(text));
        enum il_code code = il__args_digest(tools->digest, &tools->mem, &doc, 0, none, hex, &err);
        tap_ok(code == IL_OK && (strcmp(first, hex) != 0) == rows[i].covered, "%s is%s covered", rows[i].what,
               rows[i].covered ? "" : " not");
        il__json_clear(&doc);
    }
}

/* An envelope that lacks a member has no digest; nothing else is hashed in its place. */
static void incomplete(struct tools *tools)
{
    static const char *const envelopes[] = { "{}", "{\"tool\":\"t\",\"operation\":\"o\"}", "[]", "\"x\"" };
    for (size_t i = 0; i < sizeof envelopes / sizeof *envelopes; i++) {
        struct il__json doc;
        struct il__any none = { NULL, 0 };
        char hex[IL__SHA256_HEX];
        table_json(&doc, &tools->mem, il__str(envelopes[i]));
        enum il_code code = il__args_digest(tools->digest, &tools->mem, &doc, 0, none, hex, NULL);
        tap_ok(code == IL_UNSUPPORTED, "not computable: %s", envelopes[i]);
        il__json_clear(&doc);
    }
}

static void canonical(struct tools *tools)
{
    char a[IL__SHA256_HEX] = "", b[IL__SHA256_HEX] = "";
    struct il_error err = IL_ERROR_INIT;
    enum il_code code = il__canon_digest(tools->digest, &tools->mem, S("{\"b\":[1.0, 2],\"a\":\"x\"}"), a, &err);
    tap_int(code, IL_OK, "a document has a digest");
    code = il__canon_digest(tools->digest, &tools->mem, S(" { \"a\" : \"\\u0078\", \"b\":[1,2e0] } "), b, &err);
    tap_ok(code == IL_OK && strcmp(a, b) == 0, "that of its canonical text, whatever the spelling");
    il__sha256_hex(tools->digest, S("{\"a\":\"x\",\"b\":[1,2]}"), b);
    tap_str(il__str(a), b, "which is this");
    code = il__canon_digest(tools->digest, &tools->mem, S("{\"a\":\"x\",\"b\":[1,3]}"), b, &err);
    tap_ok(code == IL_OK && strcmp(a, b) != 0, "another document has another");
    code = il__canon_digest(tools->digest, &tools->mem, S("{\"a\":1,\"a\":2}"), b, &err);
    tap_ok(code == IL_DECODE && err.code == IL_DECODE, "what cannot be read has none");
    il__error_clear(&err);
    code = il__canon_digest(tools->digest, &tools->mem, S("9007199254740993"), b, &err);
    tap_ok(code != IL_OK && err.code == code, "nor has what has no canonical text");
}

/* Every allocation fails once: nothing is left behind, and no digest comes out. */
static void torture(struct tools *tools)
{
    char *bytes, hex[IL__SHA256_HEX], seen = 0;
    size_t len;
    bytes = tap_slurp("tests/vectors/argsdigest/target_all.json", &len);
    for (uint64_t n = 1; n < 200 && !seen; n++) {
        struct il__json doc;
        struct il_error err = IL_ERROR_INIT;
        table_json(&doc, &tools->mem, (struct il_str){ bytes, len });
        struct il__any args = { &doc, il__json_get(&doc, 0, "arguments") };
        size_t before = tools->mem.in_use_bytes;
        tools->mem.fail_at = tools->mem.calls + n;
        enum il_code code = il__args_digest(tools->digest, &tools->mem, &doc, il__json_get(&doc, 0, "envelope"), args,
                                            hex, &err);
        seen = tools->mem.calls < tools->mem.fail_at;
        tools->mem.fail_at = 0;
        tap_ok(seen ? code == IL_OK : code == IL_OUT_OF_MEMORY && err.code == IL_OUT_OF_MEMORY, "allocation %llu fails",
               (unsigned long long)n);
        tap_ok(tools->mem.in_use_bytes <= before + 4096, "nothing is left behind but the document's");
        il__json_clear(&doc);
    }
    free(bytes);

    struct il__json doc;
    struct il__any none = { NULL, 0 };
    struct il_error err = IL_ERROR_INIT;
    table_json(&doc, &tools->mem, S("{\"dataLabels\":[]}"));
    il__fail(&err, IL_STORE, "an earlier error");
    for (int i = 0; i < 2; i++) {
        tools->mem.fail_at = tools->mem.calls + 1;
        enum il_code code = il__args_digest(tools->digest, &tools->mem, &doc, 0, none, hex, i ? &err : NULL);
        tap_ok(code != IL_OK && err.code == IL_STORE, "an earlier error stays, and none need be wanted");
        tools->mem.fail_at = 0;
    }
    il__json_clear(&doc);
}

int main(void)
{
    struct tools tools;
    il__mem_init(&tools.mem, NULL, NULL, 0);
    tools.digest = il__digest_new(&tools.mem);
    if (!tap_ok(tools.digest != NULL, "there is a digest")) return tap_done();
    size_t count = tap_each("tests/vectors/argsdigest", ".json", vector, &tools);
    tap_ok(count >= 30, "there are vectors");
    coverage(&tools);
    incomplete(&tools);
    canonical(&tools);
    torture(&tools);
    il__digest_free(tools.digest);
    tap_int((long long)tools.mem.in_use_bytes, 0, "nothing is left behind at the end");
    return tap_done();
}
