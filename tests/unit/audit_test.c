/* The parts of an audit: trees against known roots, heads and tips as texts, a proof and every byte of it, what a
 * witness may hold, and the public functions over a store in memory. */
#include "evidence/links.h"
#include "evidence/mask.h"
#include "evidence/tree.h"
#include "host/store.h"
#include "base/limits.h"
#include "tap.h"
#include "vault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- trees ---- */

/* Leaves and roots that implementations of RFC 6962 are tested with. */
static const struct { struct il_str leaf; const char *root; } known[] = {
    { { "", 0 }, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d" },
    { { "\x00", 1 }, "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125" },
    { { "\x10", 1 }, "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77" },
    { { "\x20\x21", 2 }, "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7" },
    { { "\x30\x31", 2 }, "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4" },
    { { "\x40\x41\x42\x43", 4 }, "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef" },
    { { "PQRSTUVW", 8 }, "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c" },
    { { "`abcdefghijklmno", 16 }, "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328" },
};
enum { LEAVES = sizeof known / sizeof *known, MOST = 40 };

static void known_roots(void)
{
    for (size_t n = 1; n <= LEAVES; n++) {
        uint8_t leaves[LEAVES][IL__SHA256_BYTES], root[IL__SHA256_BYTES];
        char hex[IL__SHA256_HEX];
        for (size_t i = 0; i < n; i++) il__tree_leaf(vault_digest, known[i].leaf, leaves[i]);
        il__tree_root(vault_digest, leaves, n, 0, NULL, root);
        il__hex(root, sizeof root, hex);
        tap_str(il__str(hex), known[n - 1].root, "the root over %zu leaves", n);
    }
}

static void every_path(void)
{
    size_t good = 0, strangers = 0, short_ones = 0, all = 0;
    for (size_t n = 1; n <= MOST; n++) {
        for (size_t i = 0; i < n; i++, all++) {
            uint8_t leaves[MOST][IL__SHA256_BYTES], leaf[IL__SHA256_BYTES], root[IL__SHA256_BYTES],
                up[IL__SHA256_BYTES];
            struct il__tree_path path;
            for (size_t k = 0; k < n; k++)
                il__tree_leaf(vault_digest, (struct il_str){ (const char *)&k, sizeof k }, leaves[k]);
            memcpy(leaf, leaves[i], sizeof leaf);
            il__tree_root(vault_digest, leaves, n, i, &path, root);
            good += il__tree_climb(vault_digest, leaf, i, n, &path, up) && memcmp(up, root, sizeof up) == 0;
            leaf[0] ^= 1;
            strangers += il__tree_climb(vault_digest, leaf, i, n, &path, up) && memcmp(up, root, sizeof up) == 0;
            path.count++;
            short_ones += il__tree_climb(vault_digest, leaf, i, n, &path, up);
        }
    }
    tap_int((long long)good, (long long)all, "each leaf of trees up to %d has a path to the root", MOST);
    tap_int((long long)strangers, 0, "no other leaf has it");
    tap_int((long long)short_ones, 0, "a path that is too long is none");
}

/* ---- heads ---- */

static enum il_code read_head(struct il_str line, struct il__head *head)
{
    struct il_error err = IL_ERROR_INIT;
    return il__head_read(head, &vault_mem, vault_digest, line, &err);
}

static void heads(const struct il_str line)
{
    struct il__head head;
    size_t read = 0, believed = 0;
    tap_int(read_head(line, &head), IL_OK, "a head is read");
    tap_ok(head.signed_by_key, "its signature is its key's");
    for (size_t i = 0; i < line.len; i++) {
        char *bent = malloc(line.len + 1);
        memcpy(bent, line.ptr, line.len);
        bent[line.len] = '\0';
        bent[i] = (char)(bent[i] ^ 1);
        if (!read_head(il__str(bent), &head)) {
            read++;
            believed += head.signed_by_key;
        }
        free(bent);
    }
    tap_int((long long)believed, 0, "no head with one byte changed is signed (%zu could be read)", read);
    char spaced[2048];
    snprintf(spaced, sizeof spaced, " %.*s", IL_STR_FMT(line));
    tap_int(read_head(il__str(spaced), &head), IL_DECODE, "another spelling of a head is none");
    tap_int(read_head(IL_STR("{}"), &head), IL_DECODE, "an empty object is no head");
    tap_int(read_head((struct il_str){ line.ptr, line.len - 1 }, &head), IL_DECODE, "half a head is none");
}

/* ---- links ---- */

static void limits(void)
{
    struct vault *v = malloc(sizeof *v);
    struct il__links links;
    struct il_error err = IL_ERROR_INIT;
    const char *flaw = NULL;
    vault_init(v);
    vault_new_run(v);
    il__links_init(&links, &vault_mem, vault_digest);
    links.run_count = IL__LIMIT_AUDIT_RUNS;
    tap_int(il__links_add(&links, &v->links[0], &flaw, &err), IL_LIMIT_EXCEEDED, "audit_runs: one more is refused");
    links.run_count = 0;
    tap_int(il__links_add(&links, &v->links[0], &flaw, &err), IL_OK, "audit_runs: up to it a run is taken");
    il__links_clear(&links);
    free(v);
}

/* ---- masks ---- */

static const uint8_t salt[IL__SALT_BYTES] = { 1, 2, 3 };

/* What becomes of a payload when these pointers are masked; HMACs as <>. */
static const char *masked(const char *json, const char *const *pointers, size_t count)
{
    static char shown[2048];
    struct il_str list[IL__LIMIT_AUDIT_MASKS];
    struct il__json doc = { 0 };
    struct il__mask mask;
    struct il__buf out;
    for (size_t i = 0; i < count; i++) list[i] = il__str(pointers[i]);
    il__buf_init(&out, &vault_mem, 0);
    il__mask_init(&mask, &vault_mem, vault_digest);
    mask.pointers = list;
    mask.pointer_count = count;
    bool whole = !il__json_parse(&doc, &vault_mem, il__str(json), IL__JSON_PAYLOAD, NULL) &&
                 !il__mask_learn(&mask, &doc, false, NULL) &&
                 !il__mask_write(&mask, &doc, 0, "/payload", salt, &out, NULL);
    size_t n = 0;
    struct il_str text = il__buf_get(&out);
    for (size_t i = 0; whole && i < text.len && n + 3 < sizeof shown; i++) {
        static const char open[] = "{\"masked\":\"hmac-sha256:";
        bool mac = text.len - i >= sizeof open - 1 && memcmp(text.ptr + i, open, sizeof open - 1) == 0;
        if (mac) i += sizeof open - 1 + 64 + 1;
        if (mac) shown[n++] = '<';
        shown[n++] = mac ? '>' : text.ptr[i];
    }
    shown[n] = '\0';
    il__mask_clear(&mask);
    il__json_clear(&doc);
    il__buf_clear(&out);
    return shown;
}

static void masks(void)
{
    static const struct { const char *json, *pointer, *want, *name; } rows[] = {
        { "{\"a\":1}", "/a", "{\"a\":<>}", "a member" },
        { "{\"a\":{\"b\":[1,2,{\"c\":\"x\"}]}}", "/a/b/2/c", "{\"a\":{\"b\":[1,2,{\"c\":<>}]}}", "deep inside" },
        { "{\"a\":{\"b\":1}}", "/a", "{\"a\":<>}", "an object as a whole" },
        { "[1,2]", "", "<>", "everything" },
        { "[1,2]", "/1", "[1,<>]", "an element" },
        { "[1,2]", "/01", "[1,2]", "no second spelling of an index" },
        { "{\"a/b\":1,\"~\":2}", "/a~1b", "{\"a/b\":<>,\"~\":2}", "a name with a slash" },
        { "{\"a/b\":1,\"~\":2}", "/~0", "{\"a/b\":1,\"~\":<>}", "a name with a tilde" },
        { "{\"\\u0061\":1}", "/a", "{\"\\u0061\":<>}", "an escaped name" },
        { "{ \"a\" : [ 1 ,\n2 ] , \"b\":\" x \\\" y \" }", "/b", "{\"a\":[1,2],\"b\":<>}", "without blanks" },
        { "{ \"a\" : \" x \\\" y \" }", "/b", "{\"a\":\" x \\\" y \"}", "blanks in a text stay" },
        { "{\"leaseId\":\"lease-77\",\"n\":1}", "/none", "{\"leaseId\":<>,\"n\":1}", "a lease id by its name" },
        { "{\"x\":{\"grant_id\":\"gr-4711\"},\"t\":\"see gr-4711.\"}", "/none",
          "{\"x\":{\"grant_id\":<>},\"t\":<>}", "a grant id wherever it stands" },
        { "{\"leaseId\":\"a\",\"b\":\"banana\"}", "/none", "{\"leaseId\":<>,\"b\":\"banana\"}",
          "a short id at its place" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        tap_str(il__str(masked(rows[i].json, &rows[i].pointer, 1)), rows[i].want, "masked: %s", rows[i].name);
    static const char *const two[] = { "/b", "/a" };
    tap_str(il__str(masked("{\"a\":1,\"b\":2,\"c\":3}", two, 2)), "{\"a\":<>,\"b\":<>,\"c\":3}", "masked: two");
    tap_ok(il__mask_is_pointer(IL_STR("")) && il__mask_is_pointer(IL_STR("/a~0~1/")), "pointers");
    tap_ok(!il__mask_is_pointer(IL_STR("a")) && !il__mask_is_pointer(IL_STR("/~2")),
           "and others");
}

static bool count_lines(void *ctx, struct il_str line)
{
    (void)line;
    ++*(size_t *)ctx;
    return true;
}

static void exports(il_store *store)
{
    struct il_str many[IL__LIMIT_AUDIT_MASKS + 1];
    struct il_export_options o = IL_EXPORT_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    size_t lines = 0;
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) many[i] = IL_STR("/a");
    o.masks = many;
    o.mask_count = IL__LIMIT_AUDIT_MASKS;
    tap_int(il_audit_export(store, &o, count_lines, &lines, &err), IL_OK, "audit_masks: so many are taken");
    tap_int((long long)lines, 22, "each record is a line");
    o.mask_count++;
    tap_int(il_audit_export(store, &o, count_lines, &lines, &err), IL_LIMIT_EXCEEDED, "audit_masks: one more");
    o.mask_count = 0;
    o.one = true;
    tap_int(il_audit_export(store, &o, count_lines, &lines, &err), IL_INVALID_REQUEST, "one record is of one run");
    o.run_id = IL_STR("nobody");
    tap_int(il_audit_export(store, &o, count_lines, &lines, &err), IL_CONFLICT, "a run that is not there");
}

static void salts(il_store *store, struct il_str run)
{
    struct il_error err = IL_ERROR_INIT;
    char first[65], again[65], other[65];
    tap_int(il_audit_salt(store, run, 0, first, &err), IL_OK, "a record has a salt %s", err.message);
    tap_ok(!il_audit_salt(store, run, 0, again, &err) && strcmp(first, again) == 0, "always the same");
    tap_ok(!il_audit_salt(store, run, 1, other, &err) && strcmp(first, other) != 0, "and the next one another");
    tap_int(il_audit_salt(store, run, 99, other, &err), IL_CONFLICT, "a record that is not there has none");
}

/* ---- the public functions ---- */

static il_store *open_store(void)
{
    struct il_store_options options = IL_STORE_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    il_store *store = NULL;
    tap_int(il_store_open(&options, &store, &err), IL_OK, "a store is opened %s", err.message);
    return store;
}

static void fill(il_store *store, const struct vault *v)
{
    const struct il__store port = il__store_port(store);
    bool whole = true;
    for (size_t i = 0; i < v->run_count; i++) {
        const struct il__store_row row = { .run_id = il__str(v->runs[i].id), .status = IL_STR("moving"),
                                           .created_ms = v->now_ms };
        whole = whole && !port.ops->create(port.self, &row, NULL);
        for (size_t n = 0; n < v->runs[i].count && whole; n++)
            whole = !port.ops->append(port.self, &v->runs[i].records[n], NULL);
    }
    tap_ok(whole && !port.ops->flush(port.self, NULL), "it is filled");
}

static size_t findings;

static void count(void *ctx, const struct il_audit_finding *finding)
{
    struct il_error err = IL_ERROR_INIT;
    (void)finding;
    findings++;
    tap_int(il_store_stop(ctx, IL_STR_NONE, &err), IL_CONFLICT, "a report cannot come back into the store");
}

static struct il_str public_key;

static struct il_audit_options options_of(struct il_str witness)
{
    struct il_audit_options o = IL_AUDIT_OPTIONS_INIT;
    o.keys = &public_key;
    o.key_count = 1;
    o.witness = witness;
    return o;
}

static enum il_code verify(il_store *store, struct il_str witness, struct il_audit_summary *s, struct il_error *err)
{
    struct il_audit_options o = options_of(witness);
    o.report = count;
    o.report_ctx = store;
    return il_audit_verify(store, &o, s, err);
}

static void bent_proofs(const struct il_text *proof)
{
    struct il_text out = IL_TEXT_INIT;
    size_t held = 0;
    char *bent = malloc(proof->len + 1);
    for (size_t i = 0; i < proof->len; i++) {
        struct il_error err = IL_ERROR_INIT;
        memcpy(bent, proof->ptr, proof->len + 1);
        bent[i] = (char)(bent[i] ^ 1);
        held += !il_audit_check_proof(il__str(bent), &public_key, 1, &out, &err);
    }
    tap_int((long long)held, 0, "no proof with one byte changed holds");
    free(bent);
    il_text_clear(&out);
}

static void proofs(il_store *store, const struct vault *v)
{
    struct il_text proof = IL_TEXT_INIT, out = IL_TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_audit_options o = options_of(IL_STR_NONE);
    size_t held = 0, all = 0;
    for (size_t i = 0; i < v->run_count; i++)
        for (size_t n = 0; n < v->runs[i].count; n++, all++) {
            o.run_id = il__str(v->runs[i].id);
            if (il_audit_proof(store, &o, n, &proof, &err)) tap_note("%s", err.message);
            held += !il_audit_check_proof((struct il_str){ proof.ptr, proof.len }, &public_key, 1, &out, &err);
        }
    tap_int((long long)held, (long long)all, "every record has a proof that holds %s", err.message);
    tap_ok(out.len && strstr(out.ptr, v->runs[v->run_count - 1].id) != NULL, "it says of which run");
    bent_proofs(&proof);
    const struct il_str other = IL_STR("11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");
    tap_int(il_audit_check_proof((struct il_str){ proof.ptr, proof.len }, &other, 1, &out, &err), IL_IDENTITY_MISMATCH,
            "with another key it does not hold");
    tap_int(il_audit_proof(store, &o, 99, &proof, &err), IL_CONFLICT, "a record that is not there has no proof");
    o.run_id = IL_STR("nobody");
    tap_int(il_audit_proof(store, &o, 0, &proof, &err), IL_CONFLICT, "nor has a run that is not there");
    il_text_clear(&proof);
    il_text_clear(&out);
}

static void witnesses(il_store *store, struct il_str line)
{
    struct il_audit_summary s = IL_AUDIT_SUMMARY_INIT;
    struct il_error err = IL_ERROR_INIT;
    char text[4096];
    tap_int(verify(store, line, &s, &err), IL_OK, "a witness is read %s", err.message);
    tap_int(s.verdict, IL_AUDIT_INTACT, "and the store is intact");
    snprintf(text, sizeof text, "%.*s\n\n%.*s\n", IL_STR_FMT(line), IL_STR_FMT(line));
    tap_int(verify(store, il__str(text), &s, &err), IL_OK, "empty lines and line feeds do not matter");
    snprintf(text, sizeof text, "%.*s\n%.*s", IL_STR_FMT(line), (int)line.len - 9, line.ptr);
    tap_int(verify(store, il__str(text), &s, &err), IL_DECODE, "a line that was cut short is refused");
    tap_ok(strstr(err.message, "line 2") != NULL, "by its number: %s", err.message);
    tap_int(verify(store, IL_STR(""), &s, &err), IL_DECODE, "an empty witness is none");
    struct il_audit_options o = options_of(line);
    const struct il_str other = IL_STR("11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");
    o.keys = &other;
    tap_int(il_audit_verify(store, &o, &s, &err), IL_IDENTITY_MISMATCH, "a head by another key is not believed");
    o.key_count = 0;
    tap_int(il_audit_verify(store, &o, &s, &err), IL_INVALID_REQUEST, "a witness needs a key");
    char *big = calloc(1, (size_t)IL__LIMIT_WITNESS_BYTES + 1);
    memset(big, '\n', (size_t)IL__LIMIT_WITNESS_BYTES + 1);
    o = options_of((struct il_str){ big, (size_t)IL__LIMIT_WITNESS_BYTES + 1 });
    tap_int(il_audit_verify(store, &o, &s, &err), IL_LIMIT_EXCEEDED, "witness_bytes: one more is refused");
    free(big);
    il_store *stranger = open_store();
    tap_int(verify(stranger, line, &s, &err), IL_OK, "a witness of another store");
    tap_int(s.verdict, IL_AUDIT_FORKED, "does not stand for this one");
    il_store_close(stranger);
}

static void public_functions(void)
{
    struct vault *v = malloc(sizeof *v);
    char pem[IL__KEY_PEM];
    struct il_text line = IL_TEXT_INIT;
    struct il_audit_summary s = IL_AUDIT_SUMMARY_INIT;
    struct il_error err = IL_ERROR_INIT;
    public_key = il__str(vault_public);
    vault_init(v);
    for (size_t i = 0; i < 5; i++) vault_new_run(v);
    for (size_t i = 0; i < 17; i++) vault_record(v, i % 5, i % 3 == 0);
    il_store *store = open_store();
    fill(store, v);
    il__sign_key_pem(&vault_key, pem);
    struct il_audit_options o = options_of(IL_STR_NONE);
    tap_int(verify(store, IL_STR_NONE, &s, &err), IL_OK, "it is audited %s", err.message);
    tap_int(s.verdict, IL_AUDIT_NOT_WITNESSED, "and nobody witnessed its end");
    tap_int((long long)s.records, 22, "every record was read");
    o.run_id = il__str(v->runs[1].id);
    tap_int(il_audit_verify(store, &o, &s, &err), IL_OK, "one run is audited");
    tap_int((long long)s.runs, 1, "alone");
    tap_int(il_audit_head(store, il__str(pem), &o, NULL, NULL, &line, &err), IL_INVALID_REQUEST,
            "a head is of all runs");
    o.run_id = IL_STR_NONE;
    tap_int(il_audit_head(store, il__str(pem), &o, NULL, NULL, &line, &err), IL_OK, "a head is signed %s", err.message);
    heads((struct il_str){ line.ptr, line.len });
    witnesses(store, (struct il_str){ line.ptr, line.len });
    proofs(store, v);
    exports(store);
    salts(store, il__str(v->runs[0].id));
    tap_int(il_audit_head(store, il__str(pem), &o, NULL, NULL, &line, &err), IL_OK, "a second head is signed %s",
            err.message);
    tap_int(verify(store, (struct il_str){ line.ptr, line.len }, &s, &err), IL_OK, "and holds");
    tap_int((long long)s.heads, 2, "both stand in the store");
    tap_ok(findings == 1, "the stranger was the only finding");
    il_store_close(store);
    /* A store whose record does not hold is not signed. */
    v->runs[2].records[1].hash[3] ^= 1;
    store = open_store();
    fill(store, v);
    tap_int(il_audit_head(store, il__str(pem), &o, NULL, NULL, &line, &err), IL_CONFLICT,
            "what was edited is not signed");
    tap_ok(strstr(err.message, "edited") && strstr(err.message, v->runs[2].id), "and it says what: %s", err.message);
    o.run_id = il__str(v->runs[2].id);
    tap_int(il_audit_proof(store, &o, 0, &line, &err), IL_CONFLICT, "nor proven");
    il_store_close(store);
    il_text_clear(&line);
    free(v);
}

int main(void)
{
    vault_start();
    known_roots();
    every_path();
    limits();
    masks();
    public_functions();
    tap_str(il__str(il_audit_verdict_name(IL_AUDIT_NOT_WITNESSED)), "intact, end not witnessed", "verdicts have names");
    tap_str(il__str(il_audit_verdict_name(IL_AUDIT_VERDICT_COUNT)), "unknown", "and others none");
    vault_forget();
    return tap_done();
}
