/* Ed25519 against RFC 8032 §7.1, every bit of a signature flipped, the texts of keys, and key files that others could
 * have read. */
#include "wire/key_file.h"

#include "base/secret.h"
#include "tap.h"
#include "wire/base64.h"
#include "wire/digest.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char private_pem[] = "-----BEGIN PRIVATE KEY-----\n"
                                  "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
                                  "-----END PRIVATE KEY-----\n";
static const char public_pem[] = "-----BEGIN PUBLIC KEY-----\n"
                                 "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
                                 "-----END PUBLIC KEY-----\n";
static const char public_text[] = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
static const char key_id[] = "21fe31dfa154a261";

static size_t from_hex(const char *hex, uint8_t *out)
{
    size_t n = 0;
    unsigned byte = 0;
    if (strcmp(hex, "-") == 0) return 0;
    for (size_t i = 0; hex[i]; i++) {
        byte = byte << 4 | (unsigned)(hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10);
        if (i % 2 == 1) out[n++] = (uint8_t)byte;
    }
    return n;
}

static struct il_str bytes_of(const uint8_t *p, size_t n)
{
    return (struct il_str){ (const char *)p, n };
}

/* Signs and checks one vector, then each bit of the signature, the message and the key the other way round. */
static void vector(char *row)
{
    char *save = NULL;
    uint8_t seed[32], public[32], message[64], want[64], sig[64];
    from_hex(strtok_r(row, " ", &save), seed);
    from_hex(strtok_r(NULL, " ", &save), public);
    const size_t len = from_hex(strtok_r(NULL, " ", &save), message);
    from_hex(strtok_r(NULL, " ", &save), want);
    struct il__sign_key key;
    struct il_error err = IL_ERROR_INIT;
    tap_int(il__sign_key_from_seed(&key, seed, &err), IL_OK, "a key of %zu bytes' message", len);
    tap_ok(memcmp(key.public.raw, public, 32) == 0, "has the public half of the vector");
    tap_int(il__sign(&key, bytes_of(message, len), sig, &err), IL_OK, "signs");
    tap_ok(memcmp(sig, want, 64) == 0, "the signature of the vector");
    tap_ok(il__sign_check(&key.public, bytes_of(message, len), bytes_of(sig, 64)), "which checks");
    unsigned good = 0;
    for (unsigned bit = 0; bit < 512; bit++) {
        sig[bit / 8] ^= (uint8_t)(1u << bit % 8);
        good += il__sign_check(&key.public, bytes_of(message, len), bytes_of(sig, 64));
        sig[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (unsigned bit = 0; bit < 8 * len; bit++) {
        message[bit / 8] ^= (uint8_t)(1u << bit % 8);
        good += il__sign_check(&key.public, bytes_of(message, len), bytes_of(sig, 64));
        message[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (unsigned bit = 0; bit < 256; bit++) {
        key.public.raw[bit / 8] ^= (uint8_t)(1u << bit % 8);
        good += il__sign_check(&key.public, bytes_of(message, len), bytes_of(sig, 64));
        key.public.raw[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    tap_int(good, 0, "no signature, message or key with one bit flipped does");
    uint8_t longer[65] = { 0 };
    memcpy(longer, sig, 64);
    tap_ok(!il__sign_check(&key.public, bytes_of(message, len), bytes_of(sig, 63)), "nor one of 63 bytes");
    tap_ok(!il__sign_check(&key.public, bytes_of(message, len), bytes_of(longer, 65)), "nor one of 65");
    tap_ok(!il__sign_check(&key.public, bytes_of(message, len), IL_STR_NONE), "nor none");
    il__sign_key_clear(&key);
}

static void vectors(void)
{
    char *text = tap_slurp("tests/vectors/ed25519/rfc8032.txt", NULL), *save = NULL;
    size_t rows = 0;
    for (char *row = strtok_r(text, "\n", &save); row; row = strtok_r(NULL, "\n", &save)) {
        if (row[0] == '#') continue;
        vector(row);
        rows++;
    }
    tap_int((long long)rows, 4, "vectors");
    free(text);
}

/* S plus the order of the group signs the same and must not: one signature, one text. */
static void one_signature(const struct il__sign_key *key)
{
    static const uint8_t order[32] = { 0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7,
                                       0xa2, 0xde, 0xf9, 0xde, 0x14, [31] = 0x10 };
    uint8_t sig[64];
    unsigned carry = 0;
    tap_int(il__sign(key, IL_STR("x"), sig, NULL), IL_OK, "a signature");
    for (size_t i = 0; i < 32; i++) {
        carry += (unsigned)sig[32 + i] + order[i];
        sig[32 + i] = (uint8_t)carry;
        carry >>= 8;
    }
    tap_ok(!il__sign_check(&key->public, IL_STR("x"), bytes_of(sig, 64)), "does not check in a second form");
}

static void texts(const struct il__sign_key *key)
{
    char text[IL__KEY_PEM], id[IL__KEY_ID];
    struct il__sign_key again;
    struct il__public_key public;
    struct il_error err = IL_ERROR_INIT;
    tap_int((long long)il__sign_key_pem(key, text), sizeof private_pem - 1, "a private key as PEM");
    tap_str(il__str(text), private_pem, "is what OpenSSL writes");
    tap_int(il__sign_key_from_pem(&again, il__str(text), &err), IL_OK, "and is read");
    tap_ok(memcmp(&again, key, sizeof again) == 0, "as the same key");
    il__public_key_pem(&key->public, text);
    tap_str(il__str(text), public_pem, "a public key as PEM");
    memset(&public, 0, sizeof public);
    tap_int(il__public_key_read(&public, il__str(text), &err), IL_OK, "is read");
    tap_ok(il__public_key_eq(&public, &key->public), "as the same key");
    il__public_key_text(&key->public, text);
    tap_str(il__str(text), public_text, "a public key as base64");
    memset(&public, 0, sizeof public);
    tap_int(il__public_key_read(&public, il__str(text), &err), IL_OK, "is read");
    tap_ok(il__public_key_eq(&public, &key->public), "as the same key");
    il__public_key_id(&key->public, id);
    tap_str(il__str(id), key_id, "its id");
    il__sign_key_clear(&again);
    tap_ok(memcmp(&again, &(struct il__sign_key){ { 0 }, { { 0 } } }, sizeof again) == 0, "a cleared key is wiped");
}

static const char *const bad_private[] = {
    "",
    "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n",
    "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n",
    /* X25519 */
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VuBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
    "-----END PRIVATE KEY-----\n",
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
    "-----END ENCRYPTED PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
    "-----END PRIVATE KEY-----\nmore\n",
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrg==\n"
    "-----END PRIVATE KEY-----\n",
};

/* Longer, shorter, of low order (with either sign), of a second spelling. */
static const char *const bad_public[] = {
    "",
    "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHUQ==",
    "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURoA",
    "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURp=",
    "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
    "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n",
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA=",
    "JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU=",
    "JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/IU=",
    "xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA3o=",
    "7P///////////////////////////////////////38=",
    "7f///////////////////////////////////////38=",
    "/////////////////////////////////////////38=",
    "//////////////////////////////////////////8=",
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VuAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
    "-----END PUBLIC KEY-----\n",
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
    "-----END PUBLIC KEY-----\n",
};

static void refused_texts(void)
{
    struct il__sign_key key;
    struct il__public_key public;
    for (size_t i = 0; i < sizeof bad_private / sizeof bad_private[0]; i++) {
        struct il_error err = IL_ERROR_INIT;
        tap_int(il__sign_key_from_pem(&key, il__str(bad_private[i]), &err), IL_DECODE, "private text %zu is none", i);
        tap_ok(!strstr(err.message, "MC4C"), "and the message does not repeat it");
    }
    for (size_t i = 0; i < sizeof bad_public / sizeof bad_public[0]; i++) {
        struct il_error err = IL_ERROR_INIT;
        tap_int(il__public_key_read(&public, il__str(bad_public[i]), &err), IL_DECODE, "public text %zu is none", i);
        tap_str(il__str(err.object), "key", "and the error names a key");
    }
    char crlf[] = "\r\n-----BEGIN PRIVATE KEY-----\r\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g"
                  "\r\n-----END PRIVATE KEY-----";
    tap_int(il__sign_key_from_pem(&key, il__str(crlf), NULL), IL_OK, "line ends of any kind are fine");
    tap_int(il__sign_key_from_pem(&key, IL_STR_NONE, NULL), IL_DECODE, "an absent text is none");
    for (size_t i = 0; i + 2 < sizeof private_pem; i++) {
        if (il__sign_key_from_pem(&key, (struct il_str){ private_pem, i }, NULL) == IL_OK)
            tap_ok(false, "cut after %zu bytes it is still a key", i);
    }
}

/* The identity as a key: R the identity, S zero is a "signature" of every message, made with no secret. */
static void forgery(void)
{
    struct il__public_key identity = { { 1 } };
    uint8_t sig[64] = { 1 };
    tap_ok(il__sign_check(&identity, IL_STR("pay"), bytes_of(sig, 64)),
           "a key of low order takes made-up signatures: that is why none is read");
}

static int no_random(void *ctx, void *buf, size_t len)
{
    (void)ctx;
    (void)buf;
    (void)len;
    return -1;
}

static void fresh(void)
{
    struct il__sign_key a, b;
    struct il_error err = IL_ERROR_INIT;
    tap_int(il__sign_key_new(&a, NULL, NULL, &err), IL_OK, "a fresh key");
    tap_int(il__sign_key_new(&b, NULL, NULL, &err), IL_OK, "and another");
    tap_ok(!il__public_key_eq(&a.public, &b.public), "are different");
    uint8_t sig[64];
    tap_int(il__sign(&a, IL_STR("text"), sig, &err), IL_OK, "one signs");
    tap_ok(il__sign_check(&a.public, IL_STR("text"), bytes_of(sig, 64)), "its half checks");
    tap_ok(!il__sign_check(&b.public, IL_STR("text"), bytes_of(sig, 64)), "the other's does not");
    tap_int(il__sign_key_new(&a, no_random, NULL, &err), IL_UNSUPPORTED, "no random bytes, no key");
    tap_ok(memcmp(a.seed, (uint8_t[32]){ 0 }, 32) == 0, "and nothing is left of one");
}

/* ---- files ---- */

static char folder[64];

static struct il_str in_folder(char out[128], const char *name)
{
    snprintf(out, 128, "%s/%s", folder, name);
    return il__str(out);
}

static void put(struct il_str path, const char *text, mode_t mode)
{
    const int fd = open(path.ptr, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || fchmod(fd, mode) != 0) abort();
    close(fd);
}

static void refused(const char *name, enum il_code want, const char *part)
{
    char path[128];
    struct il__sign_key key;
    struct il_error err = IL_ERROR_INIT;
    memset(&key, 7, sizeof key);
    tap_int(il__key_file_read(in_folder(path, name), &key, &err), want, "%s is refused", name);
    tap_ok(strstr(err.message, part) && strstr(err.message, path), "which says so: %s", err.message);
    tap_ok(memcmp(key.seed, (uint8_t[32]){ 0 }, 32) == 0, "and leaves no key");
}

static void written(const struct il__sign_key *key)
{
    char path[128], link[128];
    struct stat st;
    struct il__sign_key back;
    struct il_error err = IL_ERROR_INIT;
    const mode_t mask = umask(0);
    tap_int(il__key_file_write(in_folder(path, "new"), key, &err), IL_OK, "a key is written");
    umask(mask);
    tap_ok(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600, "for its owner alone, whatever the umask");
    tap_int(il__key_file_read(il__str(path), &back, &err), IL_OK, "and read");
    tap_ok(memcmp(&back, key, sizeof back) == 0, "as the same key");
    tap_int(il__key_file_write(il__str(path), key, &err), IL_CONFLICT, "and never written over");
    tap_ok(strstr(err.message, path) && strstr(err.message, "never overwritten"), "which says so: %s", err.message);
    in_folder(link, "dangling");
    if (symlink("nowhere", link) != 0) abort();
    tap_int(il__key_file_write(il__str(link), key, NULL), IL_CONFLICT, "nor written through a dangling link");
    tap_ok(access(in_folder(path, "nowhere").ptr, F_OK) != 0, "which leads nowhere still");
    tap_int(il__key_file_write(in_folder(path, "no/such"), key, NULL), IL_STORE, "nor where there is no folder");
    tap_int(il__key_file_write(IL_STR(""), key, NULL), IL_INVALID_REQUEST, "nor without a name");
    tap_int(il__key_file_write((struct il_str){ "a\0b", 3 }, key, NULL), IL_INVALID_REQUEST, "nor with half a name");
}

static void read_or_refused(void)
{
    char path[128], link[128], big[2000];
    struct il__sign_key key;
    put(in_folder(path, "fine"), private_pem, 0600);
    put(in_folder(path, "own"), private_pem, 0400);
    tap_int(il__key_file_read(il__str(path), &key, NULL), IL_OK, "mode 0400 is fine");
    if (symlink("fine", in_folder(link, "link").ptr) != 0) abort();
    tap_int(il__key_file_read(il__str(link), &key, NULL), IL_OK, "so is a link to one's own file");
    static const mode_t loose[] = { 0640, 0620, 0610, 0604, 0602, 0601, 0644 };
    for (size_t i = 0; i < sizeof loose / sizeof loose[0]; i++) {
        put(in_folder(path, "loose"), private_pem, loose[i]);
        refused("loose", IL_INVALID_REQUEST, "others may use it");
    }
    refused("missing", IL_INVALID_REQUEST, "missing");
    if (mkdir(in_folder(path, "dir").ptr, 0700) != 0 || mkfifo(in_folder(path, "fifo").ptr, 0600) != 0) abort();
    refused("dir", IL_INVALID_REQUEST, "not a regular file");
    refused("fifo", IL_INVALID_REQUEST, "not a regular file");
    memset(big, '\n', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    put(in_folder(path, "big"), big, 0600);
    refused("big", IL_INVALID_REQUEST, "too long");
    put(in_folder(path, "public"), public_pem, 0600);
    refused("public", IL_DECODE, "no private Ed25519 key");
    if (geteuid() != 0) return;
    put(in_folder(path, "foreign"), private_pem, 0600);
    if (chown(path, 12345, 12345) != 0) abort();
    refused("foreign", IL_INVALID_REQUEST, "belongs to user 12345");
    if (symlink("foreign", in_folder(link, "foreign-link").ptr) != 0) abort();
    refused("foreign-link", IL_INVALID_REQUEST, "belongs to user 12345");
}

static void tidy_up(void)
{
    static const char *const names[] = { "new",  "dangling", "fine", "own",    "link",    "loose",
                                         "fifo", "big",      "dir",  "public", "foreign", "foreign-link" };
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) (void)remove(in_folder(path, names[i]).ptr);
    tap_ok(rmdir(folder) == 0, "nothing else was left in the folder");
}

int main(void)
{
    struct il__sign_key key;
    const char *tmp = getenv("TMPDIR");
    vectors();
    tap_int(il__sign_key_from_pem(&key, il__str(private_pem), NULL), IL_OK, "the key of the other cases");
    one_signature(&key);
    texts(&key);
    refused_texts();
    forgery();
    fresh();
    snprintf(folder, sizeof folder, "%.40s/sign_test.XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(folder)) abort();
    written(&key);
    read_or_refused();
    tidy_up();
    return tap_done();
}
