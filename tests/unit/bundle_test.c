/* Policy bundles: what is taken, what is refused, and what the host policy digest covers. */
#include "fake_run.h"
#include "script/bundle.h"
#include "script/policies.h"

static struct il__mem mem;
static struct il__clock clock_;
static struct il__digest *digest;
static struct il_error last;

#define POLICY "return require 'interlock.policy' { name = 'p', preview = function() end }"

static bool contains(const char *text, const char *part)
{
    if (strstr(text, part)) return true;
    printf("# got: %s (%s)\n# without: %s\n", text, last.field, part);
    return false;
}

static struct il_file file(const char *path, const char *bytes)
{
    return (struct il_file){ il__str(path), il__str(bytes) };
}

/* Adds one bundle to a set of its own; the digest comes back in `out` ("" when it was refused). */
static enum il_code add(const struct il_file *files, size_t count, const char *params, char out[IL__DIGEST_TEXT])
{
    struct il__policy_set *set = NULL;
    struct il__policy_set_options options = { .mem = &mem, .clock = &clock_, .digest = digest };
    il__error_clear(&last);
    if (il__policy_set_new(&options, &set, &last)) exit(1);
    enum il_code code = il__policy_set_add(set, files, count, params ? il__str(params) : IL_STR_NONE, &last);
    if (out) {
        struct il__policies port = il__policy_set_port(set);
        struct il_str text = port.digest(port.ctx);
        snprintf(out, IL__DIGEST_TEXT, "%.*s", IL_STR_FMT(text));
    }
    il__policy_set_free(set);
    return code;
}

static enum il_code add_json(const char *json, const char *policy, const char *params)
{
    struct il_file files[] = { file("bundle.json", json), file("p.lua", policy) };
    return add(files, 2, params, NULL);
}

#define JSON(rest) "{\"name\":\"b\",\"version\":\"1\",\"requires\":1," rest "}"
#define ONE(params) JSON("\"policies\":[{\"file\":\"p.lua\",\"level\":\"hard\"" params "}]")

static const struct {
    const char *json, *params;
    enum il_code code;
    const char *message;
} manifests[] = {
    { ONE(""), NULL, IL_OK, "" },
    { "{", NULL, IL_DECODE, "" },
    { "[]", NULL, IL_DECODE, "" },
    { JSON("\"policies\":[]"), NULL, IL_DECODE, "" },
    { JSON("\"policies\":[{\"file\":\"p.lua\",\"level\":\"mandatory\"}]"), NULL, IL_DECODE, "" },
    { JSON("\"policies\":[{\"file\":\"p.lua\"}]"), NULL, IL_DECODE, "" },
    { JSON("\"policies\":[{\"file\":\"p.lua\",\"level\":\"hard\",\"order\":1}]"), NULL, IL_DECODE, "order" },
    { JSON("\"policies\":[{\"file\":\"p.lua\",\"level\":\"hard\"}],\"author\":\"me\""), NULL, IL_DECODE, "author" },
    { "{\"name\":\"b\",\"version\":\"1\",\"requires\":2,\"policies\":[{\"file\":\"p.lua\",\"level\":\"hard\"}]}", NULL,
      IL_INVALID_REQUEST, "/requires: bundle.json requires script API version 2; this host has version 1" },
    { "{\"name\":\"b\",\"version\":\"1\",\"requires\":0,\"policies\":[{\"file\":\"p.lua\",\"level\":\"hard\"}]}", NULL,
      IL_DECODE, "" },
    { "{\"name\":\"b c\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"p.lua\",\"level\":\"hard\"}]}",
      NULL, IL_INVALID_REQUEST, "name" },
    { JSON("\"policies\":[{\"file\":\"p.lua\",\"level\":\"hard\"},{\"file\":\"p.lua\",\"level\":\"soft\"}]"), NULL,
      IL_INVALID_REQUEST, "p.lua: stands twice" },
    { JSON("\"policies\":[{\"file\":\"q.lua\",\"level\":\"hard\"}]"), NULL, IL_INVALID_REQUEST, "q.lua: is listed" },
    { JSON("\"policies\":[{\"file\":\"../p.lua\",\"level\":\"hard\"}]"), NULL, IL_INVALID_REQUEST,
      "../p.lua: is no path" },
    { JSON("\"policies\":[{\"file\":\"p_test.lua\",\"level\":\"hard\"}]"), NULL, IL_INVALID_REQUEST,
      "cannot be listed" },
    { ONE(",\"params\":{\"n\":{\"type\":\"integer\",\"default\":9}}"), NULL, IL_OK, "" },
    { ONE(",\"params\":{\"n\":{\"type\":\"integer\",\"default\":9}}"), "{\"n\":3}", IL_OK, "" },
    { ONE(",\"params\":{\"n\":{\"type\":\"integer\",\"default\":9}}"), "{\"n\":\"3\"}", IL_INVALID_REQUEST,
      "n: the value of the parameter must be an integer; it is string \"3\"" },
    { ONE(",\"params\":{\"n\":{\"type\":\"integer\",\"default\":9}}"), "{\"n\":3.5}", IL_INVALID_REQUEST,
      "an integer" },
    { ONE(",\"params\":{\"opens\":{\"type\":\"integer\",\"default\":9}}"), "{\"open\":3}", IL_INVALID_REQUEST,
      "open: bundle b has no such parameter; did you mean \"opens\"?" },
    { ONE(",\"params\":{\"opens\":{\"type\":\"integer\",\"default\":9}}"), "{\"frob\":3}", IL_INVALID_REQUEST,
      "frob: bundle b has no such parameter" },
    { ONE(",\"params\":{\"n\":{\"type\":\"integer\",\"default\":9}}"), "[]", IL_DECODE, "an object {name: value}" },
    { ONE(",\"params\":{\"n\":{\"type\":\"integer\",\"default\":9}}"), "{\"n\":1,\"n\":2}", IL_DECODE, "" },
    { ONE(",\"params\":{\"n\":{\"type\":\"integer\",\"default\":\"x\"}}"), NULL, IL_INVALID_REQUEST,
      "bundle.json:1: /policies/0/params/n/default: the default of the parameter n must be an integer" },
    { ONE(",\"params\":{\"n\":{\"type\":\"integer\"}}"), NULL, IL_INVALID_REQUEST, "n: the parameter has no default" },
    { ONE(",\"params\":{\"n\":{\"type\":\"integer\"}}"), "{\"n\":4}", IL_OK, "" },
    { ONE(",\"params\":{\"n\":{\"type\":\"float\",\"default\":1}}"), NULL, IL_DECODE, "" },
    { ONE(",\"params\":{\"n\":{\"type\":\"number\",\"default\":1.5,\"about\":\"x\"}}"), NULL, IL_DECODE, "about" },
    { ONE(",\"params\":{\"n\":{\"type\":\"number\",\"default\":1.5}}"), "{\"n\":2}", IL_OK, "" },
    { ONE(",\"params\":{\"n\":{\"type\":\"boolean\",\"default\":true}}"), "{\"n\":1}", IL_INVALID_REQUEST,
      "true or false" },
    { ONE(",\"params\":{\"n\":{\"type\":\"strings\",\"default\":[]}}"), "{\"n\":[\"a\",\"b\"]}", IL_OK, "" },
    { ONE(",\"params\":{\"n\":{\"type\":\"strings\",\"default\":[]}}"), "{\"n\":[\"a\",1]}", IL_INVALID_REQUEST,
      "a list of strings" },
    { ONE(",\"params\":{\"n\":{\"type\":\"string\",\"default\":\"\"}}"), "{\"n\":null}", IL_INVALID_REQUEST,
      "a string" },
};

static const struct {
    const char *policy, *message;
} policies[] = {
    { "return {", "b/p.lua:1: " },
    { "return {}", "b/p.lua:1: a policy file ends with `return policy { ... }`; this one returns table" },
    { "local x = 1", "this one returns nothing" },
    { "local policy = require 'interlock.policy'\nreturn policy { preview = function() end }",
      "b/p.lua:2: policy: name is needed" },
    { "return require 'interlock.policy' { name = 'a b', preview = function() end }", "name must be" },
    { "return require 'interlock.policy' { name = 'p' }", "give at least one of propose, preview, approve, execute" },
    { "return require 'interlock.policy' { name = 'p', preveiw = function() end }",
      "policy: there is no \"preveiw\"; did you mean \"preview\"?" },
    { "return require 'interlock.policy' { name = 'p', preview = true }",
      "policy: preview must be a function: preview = function(action, ctx) ... end" },
    { "return require 'interlock.policy' { name = 'p', preview = print }", "preview must be a function" },
    { "return require 'interlock.policy' ('p')", "policy takes one table" },
    { "return require 'interlock.polcy' {}", "no module 'interlock.polcy'; there are: interlock.policy" },
    { "while true do end", "script_" },
    /* `require` of the bundle's own modules by name, and of nothing else */
    { "require 'os'", "no module 'os'" },
    { "require 'io'", "no module 'io'" },
    { "require 'debug'", "no module 'debug'" },
    { "require 'package'", "no module 'package'" },
    { "require 'string'", "no module 'string'" },
    { "require '_G'", "no module '_G'" },
    { "require 'p'", "no module 'p'" },
    { "require 'p.lua'", "no module 'p.lua'" },
    { "require './p'", "no module './p'" },
    { "require '../b/p'", "no module '../b/p'" },
    { "require '/etc/passwd'", "no module '/etc/passwd'" },
    { "require 'b.p'", "no module 'b.p'" },
    { "require 'bundle.json'", "no module 'bundle.json'" },
    { "require 'bundle'", "no module 'bundle'" },
    { "require 'interlock'", "no module 'interlock'" },
    { "require 'interlock.scenario'", "no module 'interlock.scenario'" },
    { "require 'interlock.fake'", "no module 'interlock.fake'" },
    { "require 'interlock.policy\\0'", "b/p.lua:1:" },
    { "require ''", "no module ''" },
    { "require(1)", "b/p.lua:1:" },
    { "require()", "b/p.lua:1:" },
    { "require(setmetatable({}, { __tostring = function() return 'interlock.policy' end }))", "b/p.lua:1:" },
    { "require(('x'):rep(100000))", "b/p.lua:1:" },
    { "package.loaded.x = {}", "package" },
    { "require('interlock.policy').deny = nil", "b/p.lua:1:" },
    { "load('x = 1')", "load" },
    { "dofile 'p.lua'", "dofile" },
    { "loadfile 'p.lua'", "loadfile" },
};

static void test_refusals(void)
{
    for (size_t i = 0; i < sizeof manifests / sizeof manifests[0]; i++) {
        enum il_code code = add_json(manifests[i].json, POLICY, manifests[i].params);
        tap_int(code, manifests[i].code, "%s %s", manifests[i].json, manifests[i].params ? manifests[i].params : "");
        if (code && manifests[i].message[0]) {
            char both[700];
            snprintf(both, sizeof both, "%s %s", last.message, last.field);
            tap_ok(contains(both, manifests[i].message), "it says: %s", manifests[i].message);
        }
    }
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        enum il_code code = add_json(ONE(""), policies[i].policy, NULL);
        tap_ok(code == IL_SCRIPT_ERROR || code == IL_LIMIT_EXCEEDED, "a policy file is refused: %s",
               policies[i].policy);
        tap_ok(contains(last.message, policies[i].message), "it says: %s", policies[i].message);
    }
}

static void test_files(void)
{
    const char *json =
        JSON("\"policies\":[{\"file\":\"p.lua\",\"level\":\"hard\"}],\"files\":[\"lib/hours.lua\",\"data.txt\"]");
    const char *user = "assert(require('lib.hours').opens == 9) " POLICY;
    struct il_file all[] = {
        file("bundle.json", json),
        file("p.lua", user),
        file("lib/hours.lua", "return { opens = 9 }"),
        file("data.txt", "x"),
        file("bundle.sig", "anything"),
        file("p_test.lua", "syntax error("),
        file("README.md", "words"),
        file("extra.lua", "return 1"),
    };
    char with[IL__DIGEST_TEXT], without[IL__DIGEST_TEXT];
    tap_int(add(all, 7, NULL, with), IL_OK, "modules, data, and what may lie beside (%s)", last.message);
    tap_int(add(all, 4, NULL, without), IL_OK, "the same without what lies beside");
    tap_str(il__str(with), without, "what lies beside is not hashed");
    tap_ok(strlen(with) == 71 && memcmp(with, "sha256:", 7) == 0, "a digest is sha256: and 64 digits");
    tap_int(add(all, 8, NULL, NULL), IL_INVALID_REQUEST, "a file that is not listed is refused");
    tap_ok(contains(last.message, "extra.lua: is not listed in bundle.json"), "by its name");
    tap_int(add(all, 3, NULL, NULL), IL_INVALID_REQUEST, "a listed file that is missing is refused");
    tap_ok(contains(last.message, "data.txt: is listed in bundle.json and is missing"), "by its name");
    tap_int(add(all + 1, 3, NULL, NULL), IL_INVALID_REQUEST, "no bundle.json");
    tap_ok(contains(last.message, "bundle.json: is missing"), "is said");
    struct il_file swapped[] = { all[3], all[2], all[1], all[0] };
    tap_int(add(swapped, 4, NULL, with), IL_OK, "the same files in another order");
    tap_str(il__str(with), without, "are the same digest");
    all[3] = file("data.txt", "");
    tap_int(add(all, 4, NULL, NULL), IL_INVALID_REQUEST, "a listed file that is empty is refused");
    all[3] = file("data.txt", "y");
    tap_int(add(all, 4, NULL, with), IL_OK, "another byte in a listed file");
    tap_ok(strcmp(with, without) != 0, "is another digest");
    all[4] = file("p.lua", user);
    tap_int(add(all, 5, NULL, NULL), IL_INVALID_REQUEST, "a path that is given twice is refused");
    all[4] = file("/etc/passwd", "x");
    tap_int(add(all, 5, NULL, NULL), IL_INVALID_REQUEST, "an absolute path is refused");
    tap_ok(contains(last.message, "/etc/passwd: is no path of a bundle"), "as what it is");
    all[4] = file("a/../b", "x");
    tap_int(add(all, 5, NULL, NULL), IL_INVALID_REQUEST, "dots are refused");
    struct il_file hidden[] = {
        file("bundle.json",
             JSON("\"policies\":[{\"file\":\"p.lua\",\"level\":\"hard\"}],\"files\":[\"interlock/policy.lua\"]")),
        file("p.lua", POLICY),
        file("interlock/policy.lua", "return 1"),
    };
    tap_int(add(hidden, 3, NULL, NULL), IL_INVALID_REQUEST, "a module cannot hide interlock.policy");
    struct il_file many[IL__LIMIT_BUNDLE_FILES + 1];
    char names[IL__LIMIT_BUNDLE_FILES + 1][16];
    for (size_t i = 0; i <= IL__LIMIT_BUNDLE_FILES; i++) {
        snprintf(names[i], sizeof names[i], "f%zu.md", i);
        many[i] = file(names[i], "x");
    }
    many[0] = all[0];
    tap_int(add(many, IL__LIMIT_BUNDLE_FILES + 1, NULL, NULL), IL_LIMIT_EXCEEDED, "too many files");
    char *big = calloc(1, IL__LIMIT_BUNDLE_BYTES + 2);
    memset(big, 'x', IL__LIMIT_BUNDLE_BYTES + 1);
    many[1] = file("f.md", big);
    tap_int(add(many, 2, NULL, NULL), IL_LIMIT_EXCEEDED, "too many bytes");
    free(big);
}

/* The digest is over canonical text that anybody can rebuild. */
static void test_digest(void)
{
    const char *json = "{ \"version\":\"1\", \"name\":\"b\", \"requires\":1.0e0,\n \"policies\":[ "
                       "{\"level\":\"hard\",\"file\":\"p.lua\"} ] }";
    struct il_file files[] = { file("p.lua", POLICY), file("bundle.json", json) };
    char got[IL__DIGEST_TEXT], want[IL__DIGEST_TEXT], text[700], hex[IL__SHA256_HEX];
    enum il_code code = add(files, 2, NULL, got);
    tap_int(code, IL_DECODE, "1.0e0 is no count");
    json = "{ \"version\":\"1\", \"name\":\"b\", \"requires\":1,\n \"policies\":[ "
           "{\"level\":\"hard\",\"file\":\"p.lua\"} ] }";
    files[1] = file("bundle.json", json);
    tap_int(add(files, 2, NULL, got), IL_OK, "a manifest with blanks");
    il__sha256_hex(digest, IL_STR(POLICY), hex);
    snprintf(
        text, sizeof text,
        "{\"files\":[{\"path\":\"p.lua\",\"sha256\":\"%s\",\"size\":%zu}],\"manifest\":{\"name\":\"b\",\"policies\":"
        "[{\"file\":\"p.lua\",\"level\":\"hard\"}],\"requires\":1,\"version\":\"1\"},\"params\":{}}",
        hex, strlen(POLICY));
    il__sha256_text(digest, il__str(text), want);
    tap_str(il__str(got), want, "the digest is over {files, manifest, params}, canonical");
    const char *with = ONE(",\"params\":{\"n\":{\"type\":\"integer\",\"default\":9}}");
    files[1] = file("bundle.json", with);
    char a[IL__DIGEST_TEXT], b[IL__DIGEST_TEXT], c[IL__DIGEST_TEXT];
    tap_int(add(files, 2, "{\"n\":3}", a) + add(files, 2, "{ \"n\": 3 }", b) + add(files, 2, "{\"n\":4}", c), IL_OK,
            "parameters");
    tap_str(il__str(a), b, "the same parameters are the same digest");
    tap_ok(strcmp(a, c) != 0, "another value is another digest");
}

static void test_sets(void)
{
    struct il__policy_set *set = NULL;
    struct il__policy_set_options options = { .mem = &mem, .clock = &clock_, .digest = digest };
    char text[2000], want[IL__DIGEST_TEXT];
    if (il__policy_set_new(&options, &set, &last)) exit(1);
    struct il__policies port = il__policy_set_port(set);
    tap_str(port.digest(port.ctx), NULL, "no digest without bundles");
    struct il_file files[] = { file("bundle.json", ONE("")), file("p.lua", POLICY) };
    struct il_file other[] = {
        file(
            "bundle.json",
            "{\"name\":\"c\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"p.lua\",\"level\":\"soft\"}]}"),
        file("p.lua", POLICY),
    };
    tap_int(il__policy_set_add(set, files, 2, IL_STR_NONE, &last), IL_OK, "one bundle");
    tap_int(il__policy_set_add(set, files, 2, IL_STR_NONE, &last), IL_INVALID_REQUEST,
            "the same name again is refused");
    tap_ok(contains(last.message, "a bundle named b is there already"), "by its name");
    tap_int(il__policy_set_add(set, other, 2, IL_STR_NONE, NULL), IL_OK, "a second one");
    snprintf(text, sizeof text, "[%s,%s]", il__policy_set_bundle(set, 0)->canon.ptr,
             il__policy_set_bundle(set, 1)->canon.ptr);
    il__sha256_text(digest, il__str(text), want);
    tap_str(port.digest(port.ctx), want, "the digest of several is over their array, in order");
    tap_str(il__policy_set_bundle(set, 0)->policies[0].name, "b/p", "a policy is named bundle/policy");
    tap_ok(il__policy_set_bundle(set, 2) == NULL, "and that is all");
    il__policy_set_free(set);
    struct il_file twins[] = {
        file("bundle.json",
             JSON("\"policies\":[{\"file\":\"p.lua\",\"level\":\"hard\"},{\"file\":\"q.lua\",\"level\":\"hard\"}]")),
        file("p.lua", POLICY),
        file("q.lua", POLICY),
    };
    tap_int(add(twins, 3, NULL, NULL), IL_INVALID_REQUEST, "two policies of one name are refused");
    tap_ok(contains(last.message, "b/q.lua: the name b/p is taken by b/p.lua"), "naming both files");
    twins[0] = file("bundle.json", JSON("\"policies\":[{\"file\":\"p.lua\",\"level\":\"hard\",\"params\":{\"n\":{"
                                        "\"type\":\"integer\",\"default\":1}}},{\"file\":\"q.lua\",\"level\":\"hard\","
                                        "\"params\":{\"n\":{\"type\":\"number\",\"default\":1}}}]"));
    tap_int(add(twins, 3, NULL, NULL), IL_INVALID_REQUEST, "one parameter of two types is refused");
    tap_ok(contains(last.message, "n: it is declared as number and, in b/p.lua, as integer"), "naming where");
}

/* Every allocation of adding a bundle can fail. */
static void test_memory(void)
{
    struct il_file files[] = {
        file("bundle.json", ONE(",\"params\":{\"n\":{\"type\":\"integer\",\"default\":9}}")), file("p.lua", POLICY),
    };
    bool ok = true;
    enum il_code code = IL_OUT_OF_MEMORY;
    int n = 0;
    for (; code == IL_OUT_OF_MEMORY && n < 500; n++) {
        struct il__policy_set *set = NULL;
        struct il__policy_set_options options = { .mem = &mem, .clock = &clock_, .digest = digest };
        if (il__policy_set_new(&options, &set, NULL)) exit(1);
        size_t before = mem.in_use_bytes;
        mem.fail_at = mem.calls + 1 + (uint64_t)n;
        code = il__policy_set_add(set, files, 2, IL_STR("{\"n\":1}"), NULL);
        mem.fail_at = 0;
        if (code) ok = ok && mem.in_use_bytes == before;
        il__policy_set_free(set);
    }
    tap_int(code, IL_OK, "adding works once no allocation fails (%d)", n);
    tap_ok(ok && n > 5, "a failed allocation leaves nothing behind");
}

int main(void)
{
    il__mem_init(&mem, NULL, NULL, 0);
    il__clock_init(&clock_, NULL, NULL, NULL);
    digest = il__digest_new(&mem);
    test_refusals();
    test_files();
    test_digest();
    test_sets();
    test_memory();
    il__digest_free(digest);
    tap_int((long long)mem.in_use_bytes, 0, "all memory is given back");
    return tap_done();
}
