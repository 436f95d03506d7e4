/* The read-back of a verification (SPEC §7), against a scripted server: what is asked for, the digest of what is told,
 * and everything that must not be taken for evidence. */
#include "base/limits.h"
#include "cu_rig.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACTION "8570b45a-0bc5-4cf2-a326-350d1aff7070"
#define SESSION "87d94efc-b39f-41cb-aa12-d69b1c15956f"
#define ZEROS "sha256:0000000000000000000000000000000000000000000000000000000000000000"
#define VALUE                                                                                                          \
    "{\"kind\":\"ui_element\",\"role\":\"AXTextArea\",\"label\":\"Body\",\"exists\":true,\"valueDigest\":\"" ZEROS "\"}"
#define NO_ELEMENT "{\"kind\":\"ui_element\",\"label\":\"Body\",\"exists\":false}"
#define FILE_IS                                                                                                        \
    "{\"kind\":\"filesystem\",\"path\":\"/home/user/notes\",\"exists\":true,\"contentDigest\":\"" ZEROS "\"}"
#define NO_FILE(path) "{\"kind\":\"filesystem\",\"path\":\"" path "\",\"exists\":false}"
#define NO_EVENTS "{\"schema_uri\":\"u\",\"events\":[],\"next_sequence\":0}"
#define ABC "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

/* An observation whose one text is `text` (a JSON string without its quotes). */
static const char *seen(const char *text)
{
    static char out[3 << 20];
    snprintf(out, sizeof out,
             "{\"receipt\":{\"receiptId\":\"r\",\"sessionId\":\"$S\",\"actionId\":\"$A\",\"actionDigest\":\"d\","
             "\"attempt\":1,\"status\":\"committed\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]}},"
             "\"replay\":false}",
             text);
    return out;
}

/* A verify of `pc` whose observations are answered with these; the evidence, to be freed. */
static char *verify_raw(const char *pc, const char *first, const char *second, enum cu_how how)
{
    struct cu_rig r;
    char body[2000], *out = NULL;
    cu_open(&r);
    r.read_back = true;
    char *one = first ? strdup(first) : NULL, *two = second ? strdup(second) : NULL;
    cu_rule(&r, "get_session_events", 0, CU_OK, NO_EVENTS);
    if (one) cu_rule(&r, "execute_action", 1, how, one);
    if (two) cu_rule(&r, "execute_action", 2, how, two);
    if (cu_connect(&r)) tap_ok(false, "the server is ready");
    cu_do(&r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    snprintf(body, sizeof body,
             "{\"runId\":\"r\",\"sessionId\":\"" SESSION "\",\"actionId\":\"" ACTION "\",\"postcondition\":%s}", pc);
    uint64_t token = cu_begin(&r, IL_OP_VERIFY, body, 30000);
    cu_go(&r);
    if (how == CU_NEVER) cu_advance(&r, IL__LIMIT_READ_BACK_MS + 200);
    const struct cu_answer *a = cu_answer_of(&r, token);
    if (a && a->code) tap_note("%s", a->message);
    if (a && !a->code) out = strdup(a->body);
    for (int i = 1; i <= cu_calls(&r, "execute_action"); i++) {
        const char *m = cu_message(&r, "execute_action", i);
        bool reads = strstr(m, "\"tool\":\"find_element\"") || strstr(m, "\"mode\":\"info\"") ||
                     strstr(m, "\"mode\":\"read\"") || strstr(m, "\"mode\":\"list\"");
        if (!strstr(m, "\"mode\":\"shadow\"") || !reads || strstr(m, "lease_id") || strstr(m, ACTION))
            tap_ok(false, "a read-back acts: %s", m);
    }
    if (how == CU_NEVER && cu_calls(&r, "notifications/cancelled") != 1) tap_ok(false, "what is given up is cancelled");
    cu_close(&r);
    free(one);
    free(two);
    return out;
}

static void expect(const char *pc, const char *first, const char *second, const char *part, const char *what)
{
    char *a = first ? strdup(seen(first)) : NULL, *b = second ? strdup(seen(second)) : NULL;
    char *out = verify_raw(pc, a, b, CU_OK);
    tap_ok(cu_has(out, part), "%s", what);
    free(a);
    free(b);
    free(out);
}

/* No digest and no `satisfied`: nothing was seen. */
static void nothing(const char *pc, const char *first, const char *second, const char *why)
{
    char *a = first ? strdup(seen(first)) : NULL, *b = second ? strdup(seen(second)) : NULL;
    char *out = verify_raw(pc, a, b, CU_OK);
    tap_ok(cu_has(out, why) && !strstr(out, "observedDigest") && !strstr(out, "satisfied"), "no evidence: %s", why);
    free(a);
    free(b);
    free(out);
}

#define BODY_OF(value)                                                                                                 \
    "[{\\\"role\\\":\\\"AXTextArea\\\",\\\"label\\\":\\\"Body\\\"," value ",\\\"sensitivitySignals\\\":[]}]"
#define INFO(size) "{\\\"path\\\":\\\"/home/user/notes\\\",\\\"type\\\":\\\"file\\\",\\\"size\\\":" size "}"

static void test_digest(void)
{
    static const struct { const char *value, *digest, *what; } rows[] = {
        { "abc", ABC, "abc (FIPS 180-2)" },
        { "", "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "nothing (FIPS 180-2)" },
        { "Gr\\u00fc\\u00dfe \\ud83d\\ude80", "sha256:6a63ec56bbb94cf415a3131ea4e5a24efc6869bfd697a68978c085cee2c1700e",
          "UTF-8 of what was escaped" },
        { "a\\nb\\t", "sha256:446e2f450392011e73fb48bd72b2afe4ba2dc19e1ec0a9f2e4ca9242c14af857",
          "line breaks as they are" },
        { " abc ", "sha256:3eaf1941003943dfaa935adecffcaaa217e290def6fb0181141ced6c9daabaad",
          "blanks are not trimmed" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400], inner[200];
        size_t len = 0;
        for (const char *p = rows[i].value; *p; p++) { /* once more escaped: it stands in a JSON text in a JSON text */
            if (*p == '\\') inner[len++] = '\\';
            inner[len++] = *p;
        }
        inner[len] = '\0';
        snprintf(text, sizeof text, BODY_OF("\\\"value\\\":\\\"%s\\\""), inner);
        expect(VALUE, text, NULL, rows[i].digest, rows[i].what);
    }
    expect(FILE_IS, INFO("3"), "abc", "{\"observedDigest\":\"" ABC "\",\"readBack\":\"read back\"}",
           "a file: its digest, and nothing of it");
    expect(FILE_IS, INFO("0"), "", "sha256:e3b0c442", "an empty file");
}

static void test_asked(void)
{
    struct cu_rig r;
    cu_open(&r);
    cu_rule(&r, "get_session_events", 0, CU_OK, NO_EVENTS);
    if (cu_connect(&r)) tap_ok(false, "the server is ready");
    cu_do(&r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    const struct cu_answer *a = cu_do(&r, IL_OP_VERIFY, "{\"runId\":\"r\",\"sessionId\":\"" SESSION
                                      "\",\"actionId\":\"" ACTION "\",\"postcondition\":" VALUE "}");
    tap_ok(a && cu_has(a->body, "null") && cu_calls(&r, "execute_action") == 0, "off: nothing is looked at");
    cu_close(&r);

    cu_open(&r);
    r.read_back = true;
    cu_rule(&r, "get_session_events", 0, CU_OK, NO_EVENTS);
    cu_rule(&r, "execute_action", 0, CU_OK, seen(BODY_OF("\\\"value\\\":\\\"abc\\\"")));
    if (cu_connect(&r)) tap_ok(false, "the server is ready");
    cu_do(&r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    cu_do(&r, IL_OP_VERIFY, "{\"runId\":\"r\",\"sessionId\":\"" SESSION "\",\"actionId\":\"" ACTION
                            "\",\"postcondition\":" VALUE "}");
    tap_ok(cu_has(cu_message(&r, "execute_action", 1),
                  "\"tool\":\"find_element\",\"mode\":\"shadow\",\"arguments\":{\"window_id\":7,"
                  "\"role\":\"AXTextArea\","
                  "\"label\":\"Body\",\"max_results\":10}}"),
           "an element is looked for in the window of the target");
    cu_do(&r, IL_OP_VERIFY, "{\"runId\":\"r\",\"sessionId\":\"" SESSION "\",\"actionId\":\"other\","
                            "\"postcondition\":" VALUE "}");
    tap_int(cu_calls(&r, "execute_action"), 1, "an action without its window is not looked for");
    cu_do(&r, IL_OP_VERIFY, "{\"runId\":\"r\",\"sessionId\":\"" SESSION "\",\"actionId\":\"" ACTION
                            "\",\"postcondition\":{\"kind\":\"window\",\"windowId\":7,\"exists\":true}}");
    tap_int(cu_calls(&r, "execute_action"), 1, "other postconditions are left to the server");
    cu_close(&r);
}

static void test_elements(void)
{
    nothing(VALUE, BODY_OF("\\\"value\\\":\\\"ab\\u2026\\\""), NULL, "masked or cut");
    nothing(VALUE, BODY_OF("\\\"value\\\":\\\"\\u2022\\u2022\\u2022\\\""), NULL, "masked or cut");
    nothing(VALUE, BODY_OF("\\\"value\\\":\\\"****\\\""), NULL, "masked or cut");
    nothing(VALUE, BODY_OF("\\\"value\\\":\\\"abc\\\",\\\"sensitive\\\":true"), NULL, "sensitive");
    nothing(VALUE, "[{\\\"role\\\":\\\"AXTextArea\\\",\\\"label\\\":\\\"Body\\\",\\\"value\\\":\\\"abc\\\","
                   "\\\"sensitivitySignals\\\":[\\\"secure_role\\\"]}]", NULL, "sensitive");
    nothing("{\"kind\":\"ui_element\",\"label\":\"Your PIN\",\"exists\":true,\"valueDigest\":\"" ZEROS "\"}",
            "[{\\\"role\\\":\\\"AXTextArea\\\",\\\"label\\\":\\\"Your PIN\\\",\\\"value\\\":\\\"1234\\\"}]", NULL,
            "sensitive");
    expect("{\"kind\":\"ui_element\",\"label\":\"Shipping\",\"exists\":true,\"valueDigest\":\"" ZEROS "\"}",
           "[{\\\"role\\\":\\\"AXTextArea\\\",\\\"label\\\":\\\"Shipping\\\",\\\"value\\\":\\\"abc\\\"}]", NULL, ABC,
           "Shipping asks for no PIN");
    nothing(VALUE, BODY_OF("\\\"value\\\":null"), NULL, "shows no value");
    nothing(VALUE, BODY_OF("\\\"value\\\":5"), NULL, "shows no value");
    nothing(VALUE, BODY_OF("\\\"enabled\\\":true"), NULL, "shows no value");
    nothing(VALUE, BODY_OF("\\\"value\\\":\\\"a\\\\ud800\\\""), NULL, "not the bytes as they are");
    nothing(VALUE, BODY_OF("\\\"value\\\":\\\"a\\\\u0000\\\""), NULL, "not the bytes as they are");
    nothing(VALUE, BODY_OF("\\\"value\\\":\\\"a\\ufffd\\\""), NULL, "not the bytes as they are");
    nothing(VALUE, BODY_OF("\\\"value\\\":\\\"abc\\\",\\\"valueTruncated\\\":true"), NULL, "is cut");
    nothing(VALUE, "[]", NULL, "no element matches");
    nothing(VALUE, "[{\\\"role\\\":\\\"AXTextArea\\\",\\\"label\\\":\\\"Body 2\\\",\\\"value\\\":\\\"abc\\\"}]", NULL,
            "no element matches");
    nothing(VALUE, "[{\\\"role\\\":\\\"AXTextArea\\\",\\\"label\\\":\\\"Body\\\",\\\"value\\\":\\\"abc\\\"},"
                   "{\\\"role\\\":\\\"AXTextArea\\\",\\\"label\\\":\\\"Body\\\",\\\"value\\\":\\\"abc\\\"}]", NULL,
            "more than one element matches");
    nothing(VALUE, "[{\\\"role\\\":\\\"AXTextArea\\\",\\\"label\\\":\\\"Body\\\",\\\"value\\\":\\\"abc\\\"},"
                   "1,2,3,4,5,6,7,8,9]", NULL, "more elements than were told");
    nothing(VALUE, "{\\\"elements\\\":[]}", NULL, "no list of elements");
    nothing(VALUE, "not JSON", NULL, "cannot be read");
    nothing(NO_ELEMENT, "[]", NULL, "proves nothing");
    expect(NO_ELEMENT, BODY_OF("\\\"value\\\":\\\"abc\\\""), NULL, "\"satisfied\":false",
           "one that is there contradicts");
}

static void test_files(void)
{
    nothing(FILE_IS, INFO("4"), "abc", "not as long as the file");
    nothing(FILE_IS, INFO("3"), "\\ufffd", "not the bytes as they are");
    nothing(FILE_IS, INFO("2000000"), NULL, "too long");
    nothing(FILE_IS, INFO("-1"), NULL, "not told as a file");
    nothing(FILE_IS, "{\\\"path\\\":\\\"/home/user/other\\\",\\\"type\\\":\\\"file\\\",\\\"size\\\":3}", NULL,
            "not told as a file");
    nothing(FILE_IS, "{\\\"path\\\":\\\"/home/user/notes\\\",\\\"type\\\":\\\"directory\\\",\\\"size\\\":3}", NULL,
            "not told as a file");
    expect(NO_FILE("/home/user/a.txt"), "f b.txt\\nd c", NULL, "{\"satisfied\":true,\"readBack\":\"read back\"}",
           "a listing without the name proves that it is gone");
    expect(NO_FILE("/a.txt"), "(empty)", NULL, "\"satisfied\":true", "so does one of nothing");
    expect(NO_FILE("/home/user/a.txt"), "f b.txt\\nf a.txt", NULL, "\"satisfied\":false", "one with it contradicts");
    nothing(NO_FILE("/home/user/a.txt"), "f A.TXT", NULL, "of like name");
    nothing(NO_FILE("/home/user/a.txt"), "f x\\nof two lines", NULL, "listing cannot be read");
    nothing(NO_FILE("/home/user/a.txt"), "", NULL, "listing cannot be read");
    nothing(NO_FILE("/home/user/.."), NULL, NULL, "cannot be told from others");
    nothing(NO_FILE("/home/user/"), NULL, NULL, "cannot be told from others");
    nothing(NO_FILE("a.txt"), NULL, NULL, "cannot be told from others");
    nothing(NO_FILE("/home/user/\\u00e4"), NULL, NULL, "cannot be told from others");
}

static void test_limits(void)
{
    char *big = malloc(IL__LIMIT_READ_BACK_BYTES + 2), info[200];
    memset(big, 'a', IL__LIMIT_READ_BACK_BYTES + 1);
    big[IL__LIMIT_READ_BACK_BYTES] = '\0';
    snprintf(info, sizeof info, INFO("%d"), IL__LIMIT_READ_BACK_BYTES);
    expect(FILE_IS, info, big, "observedDigest", "a file of read_back_bytes is read");
    big[IL__LIMIT_READ_BACK_BYTES] = 'a';
    big[IL__LIMIT_READ_BACK_BYTES + 1] = '\0';
    nothing(FILE_IS, info, big, "too long");
    snprintf(info, sizeof info, INFO("%d"), IL__LIMIT_READ_BACK_BYTES + 1);
    nothing(FILE_IS, info, NULL, "too long");
    free(big);
}

static void fails(const char *answer, enum cu_how how, const char *why, const char *what)
{
    char *out = verify_raw(VALUE, answer, NULL, how);
    tap_ok(cu_has(out, why) && !strstr(out, "observedDigest") && !strstr(out, "satisfied"), "%s", what);
    free(out);
}

static void test_answers(void)
{
    fails("{\"error\":\"execution_failed\",\"message\":\"m\",\"details\":{}}", CU_ERROR, "could not look", "an error");
    fails("missing required scope", CU_TEXT_ERROR, "could not look", "an error in prose");
    fails("no", CU_RPC_ERROR, "was not answered", "a protocol error");
    fails("", CU_LOST, "was not answered", "a lost answer");
    fails("", CU_OVER_CAP, "was not answered", "an answer over the cap");
    fails("", CU_NEVER, "was not answered", "no answer within read_back_ms");
    fails("{\"receipt\":{\"receiptId\":\"r\",\"sessionId\":\"$S\",\"actionId\":\"other\",\"status\":\"committed\"},"
          "\"replay\":false}", CU_OK, "another observation", "the receipt of another");
    fails("{\"receipt\":{\"receiptId\":\"r\",\"sessionId\":\"$S\",\"actionId\":\"$A\",\"status\":\"committed\"},"
          "\"replay\":false}", CU_OK, "without its result", "F8 a receipt without its result");
    fails("{\"receipt\":{\"receiptId\":\"r\",\"sessionId\":\"$S\",\"actionId\":\"$A\",\"status\":\"committed\"},"
          "\"replay\":true}", CU_OK, "could not look", "an older answer");
    fails("{\"receipt\":{\"receiptId\":\"r\",\"sessionId\":\"$S\",\"actionId\":\"$A\",\"status\":\"rejected\"},"
          "\"replay\":false}", CU_OK, "another observation", "an observation that was not made");
}

int main(void)
{
    test_digest();
    test_asked();
    test_elements();
    test_files();
    test_limits();
    test_answers();
    return tap_done();
}
