/* Base64 and base64url: the vectors of RFC 4648, every length, every text that is not the one text of its bytes. */
#include "wire/base64.h"

#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned nibble(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;
}

static size_t from_hex(const char *hex, uint8_t *out)
{
    size_t n = 0;
    if (strcmp(hex, "-") == 0) return 0;
    for (; hex[0]; hex += 2) out[n++] = (uint8_t)(nibble(hex[0]) << 4 | nibble(hex[1]));
    return n;
}

static void valid_row(char *row)
{
    char *save = NULL, *hex = strtok_r(row, " ", &save), *std = strtok_r(NULL, " ", &save);
    char *url = strtok_r(NULL, " ", &save);
    uint8_t bytes[64], back[64];
    char text[IL__BASE64_ROOM(64)];
    size_t len = from_hex(hex, bytes), got = 99;
    struct il_str want_std = il__str(strcmp(std, "-") == 0 ? "" : std);
    struct il_str want_url = il__str(strcmp(url, "-") == 0 ? "" : url);
    tap_int((long long)il__base64_write(bytes, len, text), (long long)want_std.len, "%s: length", std);
    tap_str(il__str(text), want_std.ptr, "%s is written", std);
    tap_int((long long)il__base64url_write(bytes, len, text), (long long)want_url.len, "%s: length", url);
    tap_str(il__str(text), want_url.ptr, "%s is written", url);
    tap_ok(il__base64_read(want_std, back, len, &got) && got == len && memcmp(back, bytes, len) == 0, "%s is read",
           std);
    tap_ok(il__base64url_read(want_url, back, len, &got) && got == len && memcmp(back, bytes, len) == 0, "%s is read",
           url);
    if (len == 0) return;
    tap_ok(!il__base64_read(want_std, back, len - 1, &got) && got == 0, "%s does not fit into less", std);
    tap_ok(!il__base64url_read(want_url, back, len - 1, &got) && got == 0, "%s does not fit into less", url);
}

static size_t unescape(const char *from, size_t len, char *to)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        if (from[i] != '\\') {
            to[n++] = from[i];
        } else if (from[i + 1] == 'n') {
            to[n++] = '\n';
            i++;
        } else {
            to[n++] = (char)(nibble(from[i + 2]) << 4 | nibble(from[i + 3]));
            i += 3;
        }
    }
    return n;
}

static void invalid_row(char *row)
{
    const char *open = strchr(row, '['), *shut = strchr(row, ']');
    char text[64];
    uint8_t out[64];
    size_t got = 99;
    struct il_str s = { text, unescape(open + 1, (size_t)(shut - open) - 1, text) };
    const bool taken = (row[0] == 's' ? il__base64_read : il__base64url_read)(s, out, sizeof out, &got);
    tap_ok(!taken && got == 0, "refused: %s", row);
}

static void each_row(const char *path, void (*fn)(char *row))
{
    char *text = tap_slurp(path, NULL), *save = NULL;
    size_t rows = 0;
    for (char *row = strtok_r(text, "\n", &save); row; row = strtok_r(NULL, "\n", &save)) {
        if (row[0] == '#') continue;
        fn(row);
        rows++;
    }
    tap_ok(rows > 10, "%s has rows", path);
    free(text);
}

/* Of all texts of four characters that end in padding, as many are read as there are bytes to stand for. */
static void one_text_each(void)
{
    uint8_t out[3];
    size_t got = 0;
    unsigned one = 0, two = 0, over = 0;
    for (unsigned a = 0; a < 256; a++) {
        for (unsigned b = 0; b < 256; b++) {
            char text[4] = { (char)a, (char)b, '=', '=' };
            one += il__base64_read((struct il_str){ text, 4 }, out, 3, &got);
            text[2] = 'A';
            two += il__base64_read((struct il_str){ text, 4 }, out, 3, &got);
            text[2] = 'B';
            over += il__base64_read((struct il_str){ text, 4 }, out, 3, &got);
        }
    }
    tap_int(one, 256, "each byte has one text");
    tap_int(two, 4096, "any two letters can stand before A=");
    tap_int(over, 0, "none before B=, whose last bit stands for nothing");
}

static void every_length(void)
{
    uint8_t bytes[200], back[200];
    char text[IL__BASE64_ROOM(200)];
    bool good = true;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 37 + 11);
    for (size_t n = 0; n <= sizeof bytes; n++) {
        size_t got = 0;
        size_t len = il__base64_write(bytes, n, text);
        good = good && len == strlen(text) && len + 1 <= IL__BASE64_ROOM(n) && len % 4 == 0;
        good = good && il__base64_read((struct il_str){ text, len }, back, sizeof back, &got);
        good = good && got == n && memcmp(back, bytes, n) == 0;
        len = il__base64url_write(bytes, n, text);
        good = good && len == strlen(text) && len == (n * 4 + 2) / 3;
        good = good && il__base64url_read((struct il_str){ text, len }, back, sizeof back, &got);
        good = good && got == n && memcmp(back, bytes, n) == 0;
    }
    tap_ok(good, "every length up to 200 comes back");
    size_t got = 99;
    tap_ok(!il__base64_read(IL_STR_NONE, back, sizeof back, &got) && got == 0, "an absent text is none");
    tap_ok(il__base64_read(IL_STR(""), back, 0, &got) && got == 0, "the empty text is no bytes");
}

int main(void)
{
    each_row("tests/vectors/base64/valid.txt", valid_row);
    each_row("tests/vectors/base64/invalid.txt", invalid_row);
    one_text_each();
    every_length();
    return tap_done();
}
