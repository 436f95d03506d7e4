/* Signed and packed bundles through the public API: what holds is loaded, whatever was changed is not, and is named. */
#include "tap.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANIFEST                                                                                                     \
    "{\"name\":\"b\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"p.lua\",\"level\":\"hard\","          \
    "\"params\":{\"n\":{\"type\":\"integer\",\"default\":1}}}],\"files\":[\"lib/m.lua\",\"d.bin\"]}"
#define POLICY "return require 'interlock.policy' { name = 'p', preview = function() end }"

static struct il_error err;
static struct il_text team = IL_TEXT_INIT, other = IL_TEXT_INIT;          /* private */
static struct il_text team_pub = IL_TEXT_INIT, other_pub = IL_TEXT_INIT;
static char team_id[17], other_id[17];

static struct il_str str(const char *z)
{
    return (struct il_str){ z, strlen(z) };
}

static struct il_str get(const struct il_text *t)
{
    return (struct il_str){ t->ptr, t->len };
}

enum { FILES = 4, ROOM = 8 };
struct set { struct il_file files[ROOM]; size_t count; };

static struct set sound(void)
{
    struct set s = { { { str("bundle.json"), str(MANIFEST) }, { str("p.lua"), str(POLICY) },
                       { str("lib/m.lua"), str("return {}") }, { str("d.bin"), { "\0\xff\x01", 3 } } }, FILES };
    return s;
}

static void put(struct set *s, const char *path, struct il_str bytes)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->files[i].path.len == strlen(path) && memcmp(s->files[i].path.ptr, path, strlen(path)) == 0) {
            s->files[i].bytes = bytes;
            return;
        }
    s->files[s->count++] = (struct il_file){ str(path), bytes };
}

static struct il_bundle bundle_of(const struct set *s)
{
    return (struct il_bundle){ .files = s->files, .file_count = s->count };
}

static enum il_code check(const struct set *s, const struct il_text *key)
{
    const struct il_bundle b = bundle_of(s);
    const struct il_str keys[1] = { key ? get(key) : str("") };
    return il_bundle_check(&b, keys, key ? 1 : 0, NULL, &err);
}

/* Refused, as policy_error, with this in the message. */
static void refused(const struct set *s, const struct il_text *key, const char *part, const char *name)
{
    tap_int(check(s, key), IL_POLICY_ERROR, "%s: refused", name);
    if (!tap_ok(strstr(err.message, part) != NULL, "%s: says '%s'", name, part)) tap_note("got: %s", err.message);
}

static void sign(const struct set *s, const struct il_text *key, struct il_text *out)
{
    const struct il_bundle b = bundle_of(s);
    const enum il_code code = il_bundle_sign(&b, get(key), out, &err);
    if (!tap_int(code, IL_OK, "a sound bundle is signed")) tap_note("%s", err.message);
}

/* ---- signatures ---- */

static void holds(void)
{
    struct il_text sig = IL_TEXT_INIT, facts = IL_TEXT_INIT;
    struct set s = sound();
    char want[64];
    refused(&s, &team_pub, "b/bundle.sig: is missing", "an unsigned bundle with keys");
    tap_int(check(&s, NULL), IL_OK, "an unsigned bundle without keys is loaded");
    sign(&s, &team, &sig);
    put(&s, "bundle.sig", get(&sig));
    tap_int(check(&s, &team_pub), IL_OK, "a signed bundle with its key is loaded");
    tap_int(check(&s, NULL), IL_OK, "a signed bundle without keys is loaded");
    refused(&s, &other_pub, "is not signed by a trusted key", "a bundle signed by another key");
    tap_ok(strstr(err.message, team_id) && strstr(err.message, other_id), "who is named, and who is trusted, is said");

    const struct il_bundle b = { .files = s.files, .file_count = s.count, .params_json = str("{\"n\":7}") };
    const struct il_str both[] = { get(&other_pub), get(&team_pub) };
    tap_int(il_bundle_check(&b, both, 2, &facts, &err), IL_OK, "one of two keys is enough; parameters are not signed");
    snprintf(want, sizeof want, "\"signed\":true,\"signedBy\":\"%s\"", team_id);
    tap_ok(facts.ptr && strstr(facts.ptr, want), "the facts name the key that signed");
    tap_int(il_bundle_check(&b, NULL, 0, &facts, &err), IL_OK, "without keys");
    tap_ok(facts.ptr && strstr(facts.ptr, "\"signed\":true,\"version\""), "the facts name nobody that was not proved");
    il_text_clear(&sig);
    il_text_clear(&facts);
}

static void edited(void)
{
    static const char renamed[] = "{\"name\":\"c\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"p.lua\","
                                  "\"level\":\"hard\"}],\"files\":[\"lib/m.lua\",\"d.bin\"]}";
    static const char softer[] = "{\"name\":\"b\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"p.lua\","
                                 "\"level\":\"advisory\"}],\"files\":[\"lib/m.lua\",\"d.bin\"]}";
    static const char more[] = "{\"name\":\"b\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"p.lua\","
                               "\"level\":\"hard\"}],\"files\":[\"lib/m.lua\",\"d.bin\",\"e.txt\"]}";
    static const char less[] = "{\"name\":\"b\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"p.lua\","
                               "\"level\":\"hard\"}],\"files\":[\"d.bin\"]}";
    struct il_text sig = IL_TEXT_INIT;
    struct set s = sound();
    sign(&s, &team, &sig);
    for (int keyed = 0; keyed < 2; keyed++) {
        const struct il_text *key = keyed ? &team_pub : NULL;
        s = sound();
        put(&s, "bundle.sig", get(&sig));
        put(&s, "p.lua", str(POLICY " "));
        refused(&s, key, "b/p.lua: is not the file that was signed", "an edited policy");
        put(&s, "p.lua", str(POLICY));
        put(&s, "lib/m.lua", str("return{}"));
        refused(&s, key, "b/lib/m.lua: is not the file that was signed", "an edited module");
        put(&s, "lib/m.lua", str("return {}"));
        put(&s, "d.bin", (struct il_str){ "\0\xff\x02", 3 });
        refused(&s, key, "b/d.bin: is not the file that was signed", "an edited data file");
        put(&s, "d.bin", (struct il_str){ "\0\xff\x01", 3 });
        put(&s, "bundle.json", str(softer));
        refused(&s, key, "b/bundle.json: is not what was signed", "a softened level");
        put(&s, "bundle.json", str(renamed));
        refused(&s, key, "c/bundle.sig: is the signature of another bundle: b", "a renamed bundle");
        put(&s, "bundle.json", str(less));
        s.files[2] = s.files[--s.count];
        refused(&s, key, "b/lib/m.lua: was signed and is not listed any more", "a file taken out");
        s = sound();
        put(&s, "bundle.sig", get(&sig));
        put(&s, "bundle.json", str(more));
        put(&s, "e.txt", str("x"));
        refused(&s, key, "b/e.txt: was not there when the bundle was signed", "a file put in");
    }
    il_text_clear(&sig);
}

/* Whatever byte of bundle.sig is another one: with the key nothing but a hint may change. */
static void every_byte(void)
{
    struct il_text sig = IL_TEXT_INIT;
    struct set s = sound();
    sign(&s, &team, &sig);
    char *copy = malloc(sig.len);
    size_t loaded = 0, wrong = 0;
    const char *keyid = strstr(sig.ptr, "\"keyid\":\"");
    const size_t from = keyid ? (size_t)(keyid - sig.ptr) : 0, to = from + 9 + 16 + 1;
    for (size_t i = 0; copy && i < sig.len; i++) {
        memcpy(copy, sig.ptr, sig.len);
        copy[i] = copy[i] == 'A' ? 'B' : 'A';
        put(&s, "bundle.sig", (struct il_str){ copy, sig.len });
        const enum il_code code = check(&s, &team_pub);
        if (!code) loaded++;
        const bool hint = (i >= from && i < to) || sig.ptr[i] == '\n';
        if (!code && !hint) wrong++;
        if (code && code != IL_POLICY_ERROR) wrong++;
    }
    tap_ok(loaded >= 16 && wrong == 0, "of the bytes of bundle.sig only those of the key id may differ (%zu)", wrong);
    wrong = 0;
    for (size_t len = 0; len + 1 < sig.len; len++) {
        put(&s, "bundle.sig", (struct il_str){ sig.ptr, len });
        if (check(&s, &team_pub) != IL_POLICY_ERROR || check(&s, NULL) != IL_POLICY_ERROR) wrong++;
    }
    tap_int((long long)wrong, 0, "every truncation of bundle.sig is refused, with and without keys");
    put(&s, "bundle.sig", str("{\"payload\":\"e30=\",\"payloadType\":\"application/vnd.interlock.policy-bundle+json\","
                              "\"signatures\":[]}"));
    refused(&s, &team_pub, "b/bundle.sig: is not signed by a trusted key: it names none", "an envelope nobody signed");
    refused(&s, NULL, "b/bundle.sig: states no files", "another statement");
    put(&s, "bundle.sig", str("{\"payload\":\"e30=\",\"payloadType\":\"interlock/head/v1\",\"signatures\":[]}"));
    refused(&s, NULL, "is no signature of a bundle", "a statement of another kind");
    free(copy);
    il_text_clear(&sig);
}

static void keys(void)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_str many[IL__LIMIT_BUNDLE_KEYS + 1];
    struct set s = sound();
    il_host *host = NULL;
    if (il_host_new(&options, &host, &err)) exit(1);
    for (size_t i = 0; i <= IL__LIMIT_BUNDLE_KEYS; i++) many[i] = get(&team_pub);
    tap_int(il_host_trust_bundles(host, many, IL__LIMIT_BUNDLE_KEYS + 1, &err), IL_LIMIT_EXCEEDED, "too many keys");
    tap_ok(strstr(err.message, "bundle_keys") != NULL || strcmp(err.field, "bundle_keys") == 0, "bundle_keys is named");
    many[1] = str("nonsense");
    tap_int(il_host_trust_bundles(host, many, 2, &err), IL_DECODE, "what is no key");
    tap_int(il_host_add_bundle(host, s.files, s.count, str(""), &err), IL_DECODE, "an empty text is no parameters");
    tap_int(il_host_trust_bundles(host, many, 1, &err), IL_OK, "a key is trusted");
    tap_int(il_host_add_bundle(host, s.files, s.count, (struct il_str){ NULL, 0 }, &err), IL_POLICY_ERROR,
            "then an unsigned bundle is not added");
    tap_ok(!il_host_policy_digest(host).ptr, "and leaves nothing behind");
    struct il_text sig = IL_TEXT_INIT;
    sign(&s, &team, &sig);
    put(&s, "bundle.sig", get(&sig));
    tap_int(il_host_add_bundle(host, s.files, s.count, (struct il_str){ NULL, 0 }, &err), IL_OK, "a signed one is");
    tap_int(il_host_trust_bundles(host, many, 1, &err), IL_CONFLICT, "keys are set before the first bundle");
    il_host_free(host);
    il_text_clear(&sig);
}

/* ---- packed ---- */

static const char *const packed_path = "build/bundle_trust_test.bundle";

static enum il_code load_packed(struct il_str text, struct il_text *facts)
{
    FILE *f = fopen(packed_path, "wb");
    if (!f || fwrite(text.ptr, 1, text.len, f) != text.len) exit(1);
    fclose(f);
    const struct il_bundle b = { .path = str(packed_path) };
    return il_bundle_check(&b, NULL, 0, facts, &err);
}

static void packed(void)
{
    struct il_text one = IL_TEXT_INIT, two = IL_TEXT_INIT, a = IL_TEXT_INIT, b = IL_TEXT_INIT, sig = IL_TEXT_INIT;
    struct set s = sound(), turned = { .count = FILES };
    struct il_bundle whole = bundle_of(&s);
    put(&s, "README.md", str("# it"));
    put(&s, "p_test.lua", str("return {}"));
    whole = bundle_of(&s);
    for (size_t i = 0; i < FILES; i++) turned.files[i] = s.files[FILES - 1 - i];
    const struct il_bundle other_order = bundle_of(&turned);
    const struct il_str none = { NULL, 0 };
    tap_int(il_bundle_pack(&whole, none, &one, &err), IL_OK, "a bundle is packed");
    tap_int(il_bundle_pack(&other_order, none, &two, &err), IL_OK, "in another order, without what lies beside");
    tap_ok(one.len == two.len && memcmp(one.ptr, two.ptr, one.len) == 0, "packing gives the same bytes");
    tap_int(il_bundle_check(&whole, NULL, 0, &a, &err), IL_OK, "the bundle from memory");
    if (load_packed(get(&one), &b)) tap_note("%s", err.message);
    tap_ok(a.len == b.len && a.ptr && b.ptr && memcmp(a.ptr, b.ptr, a.len) == 0, "and the packed one say the same");
    tap_ok(strstr(one.ptr, "{\"base64\":\"AP8B\",\"path\":\"d.bin\"}") != NULL, "what is no text is base64");

    size_t wrong = 0;
    for (size_t len = 0; len < one.len; len++)
        if (!load_packed((struct il_str){ one.ptr, len }, NULL)) wrong++;
    tap_int((long long)wrong, 0, "every truncation is refused");
    char *copy = malloc(one.len + 8);
    const char *behind = strstr(one.ptr, "{\"base64\""); /* a blank in the text of bundle.json is none in its content */
    for (size_t i = behind ? (size_t)(behind - one.ptr) : 0; copy && i <= one.len; i++) {
        memcpy(copy, one.ptr, i);
        copy[i] = ' ';
        memcpy(copy + i + 1, one.ptr + i, one.len - i);
        const enum il_code code = load_packed((struct il_str){ copy, one.len + 1 }, &b);
        if (!code && b.len == a.len && memcmp(a.ptr, b.ptr, a.len) == 0) wrong++;
    }
    tap_int((long long)wrong, 0, "with one blank more it is refused, or another bundle");
    free(copy);

    sign(&s, &team, &sig);
    tap_int(il_bundle_pack(&whole, get(&sig), &two, &err), IL_OK, "packed with its signature");
    tap_int(load_packed(get(&two), NULL), IL_OK, "and loaded");
    const struct il_bundle from_file = { .path = str(packed_path) };
    const struct il_str key = get(&team_pub), wrong_key = get(&other_pub);
    tap_int(il_bundle_check(&from_file, &key, 1, NULL, &err), IL_OK, "with its key");
    tap_int(il_bundle_check(&from_file, &wrong_key, 1, NULL, &err), IL_POLICY_ERROR, "and not with another");
    put(&s, "p.lua", str(POLICY " "));
    whole = bundle_of(&s);
    tap_int(il_bundle_pack(&whole, get(&sig), &two, &err), IL_POLICY_ERROR, "a signature of another is not packed");
    struct il_text *texts[] = { &one, &two, &a, &b, &sig };
    for (size_t i = 0; i < 5; i++) il_text_clear(texts[i]);
}

static void packed_forms(void)
{
    static const struct { const char *text, *part; enum il_code code; } rows[] = {
        { "[]\n", "is no packed bundle; name the folder", IL_DECODE },
        { "{\"files\":[],\"interlockBundle\":1}\n", "files", IL_DECODE },
        { "{\"files\":[{\"path\":\"a\",\"text\":\"x\"}],\"interlockBundle\":2}\n", "interlockBundle", IL_DECODE },
        { "{\"files\":[{\"path\":\"a\",\"text\":\"x\"}],\"interlockBundle\":1,\"more\":1}\n", "more", IL_DECODE },
        { "{\"files\":[{\"path\":\"a\"}],\"interlockBundle\":1}\n", "not either text or base64", IL_DECODE },
        { "{\"files\":[{\"base64\":\"eA==\",\"path\":\"a\",\"text\":\"x\"}],\"interlockBundle\":1}\n",
          "not either text or base64", IL_DECODE },
        { "{\"files\":[{\"base64\":\"eA=\",\"path\":\"a\"}],\"interlockBundle\":1}\n", "that is none", IL_DECODE },
        { "{\"files\":[{\"base64\":\"eA==\",\"path\":\"a\"}],\"interlockBundle\":1}\n", "is not as", IL_DECODE },
        { "{\"files\":[{\"path\":\"b\",\"text\":\"x\"},{\"path\":\"a\",\"text\":\"x\"}],\"interlockBundle\":1}\n",
          "not sorted", IL_DECODE },
        { "{\"files\":[{\"path\":\"a\",\"text\":\"x\"},{\"path\":\"a\",\"text\":\"x\"}],\"interlockBundle\":1}\n",
          "not sorted", IL_DECODE },
        { "{\"files\":[{\"path\":\"a.md\",\"text\":\"x\"}],\"interlockBundle\":1}\n", "is not as", IL_DECODE },
        { "{\"files\":[{\"path\":\"../a\",\"text\":\"x\"}],\"interlockBundle\":1}\n", "no path", IL_INVALID_REQUEST },
        { "{\"files\":[{\"path\":\"a\",\"text\":\"x\"}],\"interlockBundle\":1}\n", "bundle.json", IL_INVALID_REQUEST },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_int(load_packed(str(rows[i].text), NULL), rows[i].code, "packed form %zu: refused", i);
        if (!tap_ok(strstr(err.message, rows[i].part) != NULL, "packed form %zu: says '%s'", i, rows[i].part))
            tap_note("got: %s", err.message);
    }
    char *huge = malloc(IL__LIMIT_BUNDLE_PACKED_BYTES + 1);
    if (huge) memset(huge, ' ', IL__LIMIT_BUNDLE_PACKED_BYTES + 1);
    tap_int(load_packed((struct il_str){ huge, IL__LIMIT_BUNDLE_PACKED_BYTES + 1 }, NULL), IL_LIMIT_EXCEEDED,
            "more than bundle_packed_bytes");
    free(huge);
    remove(packed_path);
}

/* ---- memory ---- */

struct heap { long calls, fail_at; };

static void *heap_alloc(void *ctx, void *ptr, size_t old_size, size_t new_size)
{
    struct heap *h = ctx;
    if (new_size > old_size && ++h->calls == h->fail_at) return NULL;
    if (new_size) return realloc(ptr, new_size);
    free(ptr);
    return NULL;
}

static void failing_allocations(void)
{
    struct il_text sig = IL_TEXT_INIT;
    struct set s = sound(), bad;
    sign(&s, &team, &sig);
    put(&s, "bundle.sig", get(&sig));
    bad = s;
    put(&bad, "p.lua", str(POLICY " "));
    const struct il_bundle good = bundle_of(&s), edited_ = bundle_of(&bad);
    const struct il_str key = get(&team_pub);
    long n = 0, wrong = 0;
    for (enum il_code code = IL_OUT_OF_MEMORY; code && n < 5000; ) {
        struct heap heap = { 0, ++n };
        struct il_text out = { NULL, 0, heap_alloc, &heap, 0 };
        code = il_bundle_check(&good, &key, 1, &out, &err);
        if (code && (code != IL_OUT_OF_MEMORY || out.ptr)) wrong++;
        il_text_clear(&out);
        heap = (struct heap){ 0, n };
        if (il_bundle_check(&edited_, &key, 1, &out, &err) == IL_OK) wrong++;
        il_text_clear(&out);
    }
    tap_ok(n > 20 && n < 5000 && !wrong, "each of %ld allocations failing says so, and lets nothing in (%ld wrong)", n,
           wrong);
    il_text_clear(&sig);
}

int main(void)
{
    if (il_key_new(NULL, NULL, &team, &err) || il_key_new(NULL, NULL, &other, &err) ||
        il_key_public(get(&team), &team_pub, team_id, &err) || il_key_public(get(&other), &other_pub, other_id, &err))
        return 1;
    holds();
    edited();
    every_byte();
    keys();
    packed();
    packed_forms();
    failing_allocations();
    struct il_text *texts[] = { &team, &other, &team_pub, &other_pub };
    for (size_t i = 0; i < 4; i++) il_text_clear(texts[i]);
    return tap_done();
}
