/* SHA-256 and HMAC against published vectors (FIPS 180-2, RFC 4231), piecewise use, and failing allocations. */
#include "wire/digest.h"

#include "tap.h"

#include <stdlib.h>

static const char abc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
static const char nothing[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

static void vectors(struct il__digest *d)
{
    char hex[IL__SHA256_HEX];
    char text[IL__DIGEST_TEXT];
    il__sha256_hex(d, IL_STR("abc"), hex);
    tap_str(il__str(hex), abc, "abc");
    il__sha256_hex(d, IL_STR(""), hex);
    tap_str(il__str(hex), nothing, "the empty text");
    il__sha256_hex(d, IL_STR_NONE, hex);
    tap_str(il__str(hex), nothing, "an absent text is digested like an empty one");
    il__sha256_hex(d, IL_STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), hex);
    tap_str(il__str(hex), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1", "two blocks");
    il__sha256_text(d, IL_STR("abc"), text);
    tap_ok(memcmp(text, "sha256:", 7) == 0 && strcmp(text + 7, abc) == 0, "the text form");
    il_sha256_hex(IL_STR("abc"), hex);
    tap_str(il__str(hex), abc, "the public function");
    il__hex((const uint8_t *)"\x00\x9f\xff", 3, hex);
    tap_str(il__str(hex), "009fff", "hex");
}

static void piecewise(struct il__digest *d)
{
    uint8_t raw[IL__SHA256_BYTES];
    char hex[IL__SHA256_HEX];
    char *million = malloc(1000000);
    if (!million) abort();
    memset(million, 'a', 1000000);
    il__sha256_begin(d);
    for (size_t at = 0, n = 1; at < 1000000; at += n, n = n * 2 + 1) {
        if (n > 1000000 - at) n = 1000000 - at;
        il__sha256_add(d, million + at, n);
    }
    il__sha256_add(d, NULL, 0);
    il__sha256_end(d, raw);
    il__hex(raw, sizeof raw, hex);
    tap_str(il__str(hex), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
            "a million letters in pieces");
    il__sha256_begin(d);
    il__sha256_add(d, "xyz", 3);
    il__sha256_begin(d);
    il__sha256_add(d, "abc", 3);
    il__sha256_end(d, raw);
    il__hex(raw, sizeof raw, hex);
    tap_str(il__str(hex), abc, "beginning again forgets what was added");
    uint8_t again[IL__SHA256_BYTES] = { 0 };
    memset(raw, 0, sizeof raw);
    il__sha256_end(d, raw);
    il__sha256_end(d, again);
    tap_ok(memcmp(raw, again, sizeof raw) != 0, "an end without a beginning equals nothing");
    free(million);
}

static void hmac(struct il__digest *d)
{
    static const struct {
        const char *key, *bytes, *hex;
    } rows[] = {
        { "\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b", "Hi There",
          "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7" },
        { "Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" },
    };
    uint8_t raw[IL__SHA256_BYTES];
    char hex[IL__SHA256_HEX];
    char key[131], text[50];
    for (size_t i = 0; i < 2; i++) {
        il__hmac_sha256(d, il__str(rows[i].key), il__str(rows[i].bytes), raw);
        il__hex(raw, sizeof raw, hex);
        tap_str(il__str(hex), rows[i].hex, "RFC 4231 case %zu", i + 1);
    }
    memset(key, 0xaa, sizeof key);
    il__hmac_sha256(d, (struct il_str){ key, 131 }, IL_STR("Test Using Larger Than Block-Size Key - Hash Key First"),
                    raw);
    il__hex(raw, sizeof raw, hex);
    tap_str(il__str(hex), "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            "RFC 4231 case 6: a key longer than a block");
    il__hmac_sha256(d, (struct il_str){ key, 131 },
                    IL_STR("This is a test using a larger than block-size key and a larger than block-size data. The "
                           "key needs to be hashed before being used by the HMAC algorithm."),
                    raw);
    il__hex(raw, sizeof raw, hex);
    tap_str(il__str(hex), "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
            "RFC 4231 case 7: and data longer than a block");
    memset(text, 0xdd, sizeof text);
    il__hmac_sha256(d, (struct il_str){ key, 20 }, (struct il_str){ text, sizeof text }, raw);
    il__hex(raw, sizeof raw, hex);
    tap_str(il__str(hex), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe", "RFC 4231 case 3");
    for (size_t i = 0; i < 25; i++) key[i] = (char)(i + 1);
    memset(text, 0xcd, sizeof text);
    il__hmac_sha256(d, (struct il_str){ key, 25 }, (struct il_str){ text, sizeof text }, raw);
    il__hex(raw, sizeof raw, hex);
    tap_str(il__str(hex), "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b", "RFC 4231 case 4");
}

static void system_bytes(void)
{
    uint8_t a[300] = { 0 };
    uint8_t b[300] = { 0 };
    tap_int(il__random_system(NULL, a, sizeof a), 0, "random bytes");
    tap_int(il__random_system(NULL, b, sizeof b), 0, "and more");
    tap_ok(memcmp(a, b, sizeof a) != 0, "are different");
    tap_int(il__random_system(NULL, a, 0), 0, "none are fine, too");
}

int main(void)
{
    struct il__mem mem;
    il__mem_init(&mem, NULL, NULL, 0);
    struct il__digest *d = il__digest_new(&mem);
    if (!tap_ok(d != NULL, "a digest context")) return tap_done();
    vectors(d);
    piecewise(d);
    hmac(d);
    il__digest_free(d);
    il__digest_free(NULL);
    tap_int((long long)mem.in_use_bytes, 0, "nothing left");
    mem.fail_at = mem.calls + 1;
    tap_ok(il__digest_new(&mem) == NULL, "out of memory is NULL");
    tap_int((long long)mem.in_use_bytes, 0, "nothing left");
    system_bytes();
    return tap_done();
}
