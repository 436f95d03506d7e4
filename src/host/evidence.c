/* The public functions on evidence: evaluation, receipts, keys. Each works with the allocator of the text it fills and
 * leaves nothing behind; there is no host and no state. Must never leave a private key in memory that it gives back. */
#include "base/buf.h"
#include "base/error.h"
#include "base/secret.h"
#include "evidence/evaluate.h"
#include "evidence/seal.h"
#include "host/text.h"
#include "wire/key_file.h"

/* What one call works with: memory by the allocator of `text`, and a buffer for its result. */
struct call {
    struct il__mem mem;
    struct il__buf buf;
    struct il_error *err;
};

static void enter(struct call *c, const struct il_text *text, struct il_error *err)
{
    il__error_clear(err);
    il__mem_init(&c->mem, text ? text->alloc : NULL, text ? text->alloc_ctx : NULL, 0);
    il__buf_init(&c->buf, &c->mem, 0);
    c->err = err;
}

/* On IL_OK the buffer becomes the text; what the text held may have been the input, and goes last. */
static enum il_code leave(struct call *c, struct il_text *out, enum il_code code)
{
    if (code == IL_OK) code = il__buf_check(&c->buf, c->err);
    if (code == IL_OK) code = il__text_set(out, il__buf_get(&c->buf), c->err);
    il__buf_clear(&c->buf);
    return code;
}

enum il_code il_evaluate(struct il_str events, struct il_str trajectory, bool *passed, struct il_text *out,
                         struct il_error *err)
{
    struct call c;
    bool verdict = false;
    enter(&c, out, err);
    enum il_code code = leave(&c, out, il__evaluate(&c.mem, events, trajectory, &verdict, &c.buf, err));
    if (code == IL_OK) *passed = verdict;
    return code;
}

enum il_code il_receipt_seal(struct il_str receipt, struct il_text *out, struct il_error *err)
{
    struct call c;
    enter(&c, out, err);
    return leave(&c, out, il__receipt_seal(&c.mem, receipt, &c.buf, err));
}

enum il_code il_receipt_verify(struct il_str receipt, struct il_error *err)
{
    struct call c;
    enter(&c, NULL, err);
    return il__receipt_verify(&c.mem, receipt, NULL, err);
}

enum il_code il_receipt_sign(struct il_str receipt, struct il_str private_key, struct il_text *out,
                             struct il_error *err)
{
    struct call c;
    struct il__sign_key key;
    enter(&c, out, err);
    enum il_code code = il__sign_key_from_pem(&key, private_key, err);
    if (code == IL_OK) code = il__receipt_sign(&c.mem, receipt, &key, &c.buf, err);
    il__sign_key_clear(&key);
    return leave(&c, out, code);
}

enum il_code il_receipt_check_signature(struct il_str receipt, struct il_str envelope, struct il_str public_key,
                                        struct il_error *err)
{
    struct call c;
    struct il__public_key key;
    enter(&c, NULL, err);
    enum il_code code = il__public_key_read(&key, public_key, err);
    return code ? code : il__receipt_check_signature(&c.mem, receipt, envelope, &key, err);
}

/* Hands a private key out as PEM and wipes it, here and in the buffer. */
static enum il_code give_key(struct call *c, struct il__sign_key *key, struct il_text *out, enum il_code code)
{
    char pem[IL__KEY_PEM];
    struct il_text kept = { NULL, 0, out->alloc, out->alloc_ctx, 0 };
    const size_t len = code == IL_OK ? il__sign_key_pem(key, pem) : 0;
    char *to = len > 0 ? il__mem_alloc(&c->mem, len + 1) : NULL;
    if (len > 0 && !to) code = il__fail(c->err, IL_OUT_OF_MEMORY, "out of memory for a key");
    if (to) {
        memcpy(to, pem, len + 1);
        kept.ptr = to;
        kept.len = len;
        kept.room_bytes = len + 1;
        il_text_clear(out);
        *out = kept;
    }
    il__secret_wipe(pem, sizeof pem);
    il__sign_key_clear(key);
    return code;
}

enum il_code il_key_new(il_random_fn random, void *random_ctx, struct il_text *private_key, struct il_error *err)
{
    struct call c;
    struct il__sign_key key;
    enter(&c, private_key, err);
    return give_key(&c, &key, private_key, il__sign_key_new(&key, random, random_ctx, err));
}

/* A text that is neither begins like one of them, or is taken for base64. */
static enum il_code public_of(struct il_str key, struct il__public_key *public, struct il_error *err)
{
    static const char begin[] = "-----BEGIN PRIVATE";
    struct il__sign_key private;
    if (!key.ptr || key.len < sizeof begin || memcmp(key.ptr, begin, sizeof begin - 1) != 0)
        return il__public_key_read(public, key, err);
    enum il_code code = il__sign_key_from_pem(&private, key, err);
    *public = private.public;
    il__sign_key_clear(&private);
    return code;
}

enum il_code il_key_public(struct il_str key, struct il_text *out, char id[17], struct il_error *err)
{
    struct call c;
    struct il__public_key public = { { 0 } };
    char text[IL__KEY_TEXT];
    enter(&c, out, err);
    enum il_code code = public_of(key, &public, err);
    if (code == IL_OK) {
        il__public_key_text(&public, text);
        il__buf_puts(&c.buf, text);
    }
    code = leave(&c, out, code);
    if (code == IL_OK && id) il__public_key_id(&public, id);
    return code;
}

enum il_code il_key_file_read(struct il_str path, struct il_text *private_key, struct il_error *err)
{
    struct call c;
    struct il__sign_key key;
    enter(&c, private_key, err);
    return give_key(&c, &key, private_key, il__key_file_read(path, &key, err));
}

enum il_code il_key_file_write(struct il_str path, struct il_str private_key, struct il_error *err)
{
    struct il__sign_key key;
    il__error_clear(err);
    enum il_code code = il__sign_key_from_pem(&key, private_key, err);
    if (code == IL_OK) code = il__key_file_write(path, &key, err);
    il__sign_key_clear(&key);
    return code;
}
