/* The JSON reader against jansson over the same bytes: a preview as a runtime sends it, and an observation that carries
 * a screenshot of 1 MiB. jansson builds a tree and refuses duplicate members; the reader validates into a flat tape. */
#include "base/limits.h"
#include "bench.h"
#include "wire/json.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct work {
    struct il__mem mem;
    struct il_str text;
};

static const char PREVIEW[] =
    "{\"envelope\":{\"actionId\":\"5d1f0c1e-0f6a-4a53-9c4e-6f1f3c0b7a11\",\"sessionId\":\"b7a2c7a8-52b1-4f0c-8f6f-"
    "0e5e7e1d2c33\",\"executionGroupId\":\"group-7\",\"principalId\":\"operator-3\",\"agentId\":\"writer\",\"tool\":"
    "\"set_value\",\"operation\":\"set_value\",\"actionClass\":\"edit_reversible\",\"requestedMode\":\"background\","
    "\"target\":{\"platform\":\"linux\",\"appId\":\"org.example.Notes\",\"pid\":8120,\"windowId\":31,\"displayId\":"
    "\"1\",\"role\":\"text\",\"bounds\":{\"x\":12.5,\"y\":80,\"width\":640,\"height\":480},"
    "\"observationId\":\"look-19\","
    "\"confidence\":0.875,\"capturedAt\":\"2030-05-04T09:30:00.125Z\"},\"resource\":{\"targetAppId\":"
    "\"org.example.Notes\",\"targetWindowId\":31},\"dataLabels\":[\"private\",\"draft\"],\"postcondition\":{\"kind\":"
    "\"ui_element\",\"role\":\"text\",\"label\":\"Title \\u00fcber alles\",\"exists\":true},\"reversible\":true,"
    "\"externalSideEffect\":false,\"proposedAt\":\"2030-05-04T09:30:00.250Z\",\"expiresAt\":"
    "\"2030-05-04T09:30:30.250Z\","
    "\"argsDigest\":\"9b74c9897bac770ffc029102a200c5de9b74c9897bac770ffc029102a200c5de\"},\"capability\":{\"appId\":"
    "\"org.example.Notes\",\"operation\":\"set_value\",\"backend\":\"atspi\",\"supportedModes\":[\"shadow\","
    "\"background\"],\"interference\":\"none\",\"confidence\":0.75,\"verificationSource\":"
    "\"platform_rule\"},\"policy\":"
    "{\"decision\":\"allow\",\"policyDigest\":"
    "\"sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae\","
    "\"reasons\":[\"allow:edit_reversible\"]},\"executable\":true}";

static size_t ours(void *ctx)
{
    struct work *work = ctx;
    struct il__json doc = { 0 };
    struct il_error err;
    if (il__json_parse(&doc, &work->mem, work->text, IL__JSON_PAYLOAD, &err) != IL_OK) abort();
    size_t n = doc.count;
    il__json_clear(&doc);
    return n;
}

static size_t theirs(void *ctx)
{
    struct work *work = ctx;
    json_t *root = json_loadb(work->text.ptr, work->text.len, JSON_REJECT_DUPLICATES, NULL);
    if (!root) abort();
    size_t n = json_object_size(root);
    json_decref(root);
    return n;
}

static void compare(const char *title, const char *text, size_t len)
{
    struct work work = { .text = { text, len } };
    il__mem_init(&work.mem, NULL, NULL, 0);
    const struct bench_case cases[] = { { "interlock", ours, &work }, { "jansson", theirs, &work } };
    bench_run(title, cases, 2, len);
}

static char *screenshot(size_t *len)
{
    static const char head[] = "{\"content\":[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"";
    static const char tail[] = "\"}],\"structuredContent\":{\"observation_id\":\"look-19\",\"windows\":[]}}";
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t image = 1 << 20;
    char *text = malloc(sizeof head + image + sizeof tail);
    if (!text) abort();
    memcpy(text, head, sizeof head - 1);
    char *at = text + sizeof head - 1;
    unsigned random = 12345;
    for (size_t i = 0; i < image; i++) {
        random = random * 1103515245u + 12345u;
        *at++ = digits[random >> 26];
    }
    memcpy(at, tail, sizeof tail);
    *len = sizeof head - 1 + image + sizeof tail - 1;
    return text;
}

int main(void)
{
    compare("read a preview", PREVIEW, sizeof PREVIEW - 1);
    size_t len;
    char *text = screenshot(&len);
    compare("read an observation with a screenshot", text, len);
    free(text);
    return 0;
}
