/* The public functions on evidence and keys: who owns the texts, the caller's allocator, texts handed in again, nothing
 * left of a private key. */
#include "include/interlock.h"

#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct il_str str(const char *z)
{
    return (struct il_str){ z, strlen(z) };
}

static struct il_str of(const struct il_text *text)
{
    return (struct il_str){ text->ptr, text->len };
}

/* An allocator that counts, fails on demand, and looks at what it is given back. */
struct heap {
    size_t in_use;
    unsigned calls, fail_at;
    const char *secret; /* must not be in a block that comes back */
    unsigned leaked;
};

static bool holds(const char *block, size_t len, const char *secret)
{
    const size_t n = strlen(secret);
    for (size_t i = 0; i + n <= len; i++)
        if (memcmp(block + i, secret, n) == 0) return true;
    return false;
}

static void *heap_alloc(void *ctx, void *ptr, size_t old_size, size_t new_size)
{
    struct heap *h = ctx;
    if (new_size > old_size && ++h->calls == h->fail_at) return NULL;
    if (new_size < old_size && h->secret && holds((char *)ptr + new_size, old_size - new_size, h->secret)) h->leaked++;
    h->in_use = h->in_use - old_size + new_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

static const char unsealed[] =
    "{\"schemaVersion\":1,\"protocol\":\"adk-rust-computer-use-v8-evaluation\",\"subjectVersion\":\"8.0.0\","
    "\"generatedAt\":\"2026-07-13T12:00:00Z\",\"commands\":[\"a\",\"b\"],\"assertions\":[\"c\"],\"claims\":{"
    "\"testsPassed\":true,\"authBound\":true,\"multimodalEvidence\":true,\"duplicateMutations\":0,"
    "\"crashPointsCovered\":2,\"testCount\":2},\"sources\":[{\"path\":\"test.rs\",\"digest\":\"sha256:"
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}],\"sourceDigest\":\"sha256:"
    "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\",\"outputDigest\":\"sha256:"
    "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc\"}";

static void evaluating(void)
{
    struct heap heap = { 0 };
    struct il_text out = { NULL, 0, heap_alloc, &heap, 0 };
    struct il_error err = IL_ERROR_INIT;
    bool passed = false;
    tap_int(il_evaluate(str("[]"), str("[]"), &passed, &out, &err), IL_OK, "an evaluation");
    tap_ok(passed && strncmp(out.ptr, "{\"passed\":true,", 15) == 0 && out.ptr[out.len] == '\0', "a result as text");
    tap_ok(heap.in_use == out.room_bytes && heap.in_use > out.len, "in the caller's memory, and nothing else of it");
    const char *before = out.ptr;
    tap_int(il_evaluate(str("[]"), str("{}"), &passed, &out, &err), IL_DECODE, "a refusal");
    tap_ok(out.ptr == before && passed, "writes nothing");
    tap_int(il_evaluate(str("[]"), str("[{\"tool\":\"a\"}]"), &passed, &out, &err), IL_OK, "after it the next call");
    tap_ok(err.code == IL_OK && !passed && strncmp(out.ptr, "{\"passed\":false,", 16) == 0, "starts afresh");
    tap_int((long long)heap.in_use, (long long)out.room_bytes, "the text before it was given back");
    il_text_clear(&out);
    tap_int((long long)heap.in_use, 0, "and so is this one");
    tap_ok(!out.ptr && !out.len && out.alloc == heap_alloc, "a cleared text can be used again");
    il_text_clear(&out);
    il_text_clear(NULL);
}

static void receipts(void)
{
    struct heap heap = { 0 };
    struct il_text out = { NULL, 0, heap_alloc, &heap, 0 };
    struct il_text key = IL_TEXT_INIT, public = IL_TEXT_INIT, sig = IL_TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    tap_int(il_receipt_seal(str(unsealed), &out, &err), IL_OK, "a receipt is sealed");
    tap_int(il_receipt_seal(of(&out), &out, &err), IL_OK, "and again, out of the text into the text");
    tap_int(il_receipt_verify(of(&out), &err), IL_OK, "and verified");
    tap_int(il_receipt_verify(str(unsealed), &err), IL_IDENTITY_MISMATCH, "an unsealed one is not");
    if (il_key_new(NULL, NULL, &key, &err) || il_key_public(of(&key), &public, NULL, &err)) abort();
    tap_int(il_receipt_sign(of(&out), of(&key), &sig, &err), IL_OK, "signed");
    tap_int(il_receipt_check_signature(of(&out), of(&sig), of(&public), &err), IL_OK, "and the signature checked");
    tap_int(il_receipt_check_signature(of(&out), of(&sig), of(&key), &err), IL_DECODE, "not with a private key");
    tap_int(il_receipt_sign(of(&out), of(&public), &sig, &err), IL_DECODE, "nor the other way round");
    tap_int(il_receipt_sign(str(unsealed), of(&key), &sig, &err), IL_IDENTITY_MISMATCH, "nor is what has no seal");
    il_text_clear(&out);
    il_text_clear(&sig);
    il_text_clear(&public);
    il_text_clear(&key);
    tap_int((long long)heap.in_use, 0, "nothing left");
}

/* Fills with a pattern, so that the key is known. */
static int fixed_random(void *ctx, void *buf, size_t len)
{
    (void)ctx;
    memset(buf, 0x5a, len);
    return 0;
}

static void keys(void)
{
    struct heap heap = { .secret = "WlpaWlpaWlpaWlpa" };
    struct il_text key = { NULL, 0, heap_alloc, &heap, 0 }, public = { NULL, 0, heap_alloc, &heap, 0 }, again = key;
    struct il_error err = IL_ERROR_INIT;
    char id[17] = "", id_again[17] = "", folder[] = "/tmp/evidence_api.XXXXXX", path[64];
    struct stat st;
    tap_int(il_key_new(fixed_random, NULL, &key, &err), IL_OK, "a key of known bytes");
    tap_ok(strstr(key.ptr, heap.secret) != NULL, "as PEM");
    tap_int(il_key_public(of(&key), &public, id, &err), IL_OK, "its public half");
    tap_ok(public.len == 44 && strlen(id) == 16, "as base64, with an id: %s %s", public.ptr, id);
    tap_int(il_key_public(of(&public), &public, id_again, &err), IL_OK, "a public key's public half");
    tap_ok(strcmp(id, id_again) == 0 && public.len == 44, "is itself");
    tap_int(il_key_public(str("nonsense"), &public, id, &err), IL_DECODE, "nonsense has none");
    if (!mkdtemp(folder)) abort();
    snprintf(path, sizeof path, "%s/key", folder);
    tap_int(il_key_file_write(str(path), str("nonsense"), &err), IL_DECODE, "nonsense is not written");
    tap_ok(access(path, F_OK) != 0, "nor is a file made for it");
    tap_int(il_key_file_write(str(path), of(&key), &err), IL_OK, "a key is");
    tap_int(il_key_file_read(str(path), &again, &err), IL_OK, "and read");
    tap_ok(again.len == key.len && memcmp(again.ptr, key.ptr, key.len) == 0, "as it was");
    tap_int(il_key_file_write(str(path), of(&key), &err), IL_CONFLICT, "and not overwritten");
    tap_ok(stat(path, &st) == 0 && chmod(path, 0640) == 0, "when others may read it");
    tap_int(il_key_file_read(str(path), &again, &err), IL_INVALID_REQUEST, "it is refused: %s", err.message);
    (void)remove(path);
    (void)rmdir(folder);
    il_text_clear(&key);
    il_text_clear(&public);
    il_text_clear(&again);
    tap_int((long long)heap.in_use, 0, "nothing left");
    tap_int(heap.leaked, 0, "and no memory that was given back held the key");
}

static void failing_allocations(void)
{
    struct il_error err = IL_ERROR_INIT;
    for (int what = 0; what < 4; what++) {
        enum il_code code = IL_OUT_OF_MEMORY;
        struct heap heap = { 0 };
        for (unsigned n = 1; code == IL_OUT_OF_MEMORY && n < 500; n++) {
            struct il_text out = { NULL, 0, heap_alloc, &heap, 0 };
            bool passed;
            heap.calls = 0;
            heap.fail_at = n;
            code = what == 0   ? il_evaluate(str("[]"), str("[]"), &passed, &out, &err)
                   : what == 1 ? il_receipt_seal(str(unsealed), &out, &err)
                   : what == 2 ? il_key_new(NULL, NULL, &out, &err)
                               : il_key_public(str("11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="), &out, NULL, &err);
            if (code != IL_OK && (out.ptr || err.code != code)) break;
            il_text_clear(&out);
        }
        tap_int(code, IL_OK, "call %d: out of memory is said, whichever allocation fails", what);
        tap_int((long long)heap.in_use, 0, "call %d: and nothing is left", what);
    }
}

int main(void)
{
    evaluating();
    receipts();
    keys();
    failing_allocations();
    return tap_done();
}
