/* Notices (notice.h). */
#include "cli/notice.h"

#include "cli/look.h"
#include "cli/moment.h"

#include <curl/curl.h>
#include <string.h>
#include <unistd.h>

enum { CONNECT_MS = 3000, TOTAL_MS = 5000 };

int il__notice_check(struct il__io *io, const struct il__args *args)
{
    const char *url = il__args_value(args, "notify"), *ca = il__args_value(args, "notify-ca");
    if (!url && !ca) return 0;
    if (!url) {
        il__io_error(io, "--notify-ca is for --notify; write --notify https://...");
        return 2;
    }
    if (strncmp(url, "https://", 8) != 0 || !url[8] || memchr(url, '@', strcspn(url + 8, "/?#") + 8)) {
        il__io_error(io, "--notify takes an https:// address without name or password");
        return 2;
    }
    if (!ca || access(ca, R_OK) == 0) return 0;
    il__io_error(io, "--notify-ca %s: it cannot be read", ca);
    return 2;
}

/* ---- the body ---- */

static void body_of(struct il__text *body, il_store *store, struct il_str doc)
{
    struct il_str need, needs = il__look_get(doc, "needs");
    struct il__text expires = IL__TEXT_INIT;
    size_t count = 0;
    for (size_t at = 0; il__look_next(needs, &at, NULL, &need);) count++;
    il__look_text(&expires, il__look_get(doc, "expiresAt"));
    il__text_puts(body, "{\"event\":\"waiting\",\"store\":");
    il__text_json(body, store ? il_store_id(store) : (struct il_str){ NULL, 0 });
    il__text_puts(body, ",\"runId\":");
    il__text_str(body, il__look_get(doc, "runId"));
    int64_t left = il__wall_read(il__text_get(&expires)) - il__wall_ms();
    il__text_printf(body, ",\"needs\":%zu,\"expiresInMs\":%lld}", count, (long long)(left < 0 ? 0 : left));
    il__text_clear(&expires);
}

/* ---- posting ---- */

static size_t swallow(char *bytes, size_t size, size_t count, void *ctx)
{
    (void)bytes;
    (void)ctx;
    return size * count;
}

static bool set_up(CURL *curl, const struct il__args *args, struct curl_slist *headers, const struct il__text *body,
                   char *why)
{
    const char *ca = il__args_value(args, "notify-ca");
    bool good = curl_easy_setopt(curl, CURLOPT_URL, il__args_value(args, "notify")) == CURLE_OK &&
                curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https") == CURLE_OK &&
                curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
                curl_easy_setopt(curl, CURLOPT_PROXY, "") == CURLE_OK &&
                curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
                curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS) == CURLE_OK &&
                curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)TOTAL_MS) == CURLE_OK &&
                curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, why) == CURLE_OK &&
                curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, swallow) == CURLE_OK &&
                curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers) == CURLE_OK &&
                curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)body->len) == CURLE_OK &&
                curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body->ptr) == CURLE_OK;
    return good && (!ca || (curl_easy_setopt(curl, CURLOPT_CAINFO, ca) == CURLE_OK &&
                            curl_easy_setopt(curl, CURLOPT_CAPATH, NULL) == CURLE_OK));
}

/* False with `why` filled. */
static bool post(const struct il__args *args, const struct il__text *body, char *why, size_t why_size)
{
    long status = 0;
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    CURL *curl =
        headers && !body->failed && curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? curl_easy_init() : NULL;
    CURLcode code = CURLE_FAILED_INIT;
    if (curl && set_up(curl, args, headers, body, why)) code = curl_easy_perform(curl);
    if (code == CURLE_OK) curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    else if (!why[0]) snprintf(why, why_size, "%s", curl_easy_strerror(code));
    if (code == CURLE_OK && (status < 200 || status > 299)) snprintf(why, why_size, "it answered %ld", status);
    curl_easy_cleanup(curl);
    curl_slist_free_all(headers);
    return code == CURLE_OK && status >= 200 && status <= 299;
}

void il__notice_send(struct il__io *io, const struct il__args *args, il_store *store, struct il_str doc)
{
    char why[CURL_ERROR_SIZE] = "";
    struct il__text body = IL__TEXT_INIT;
    if (!il__args_value(args, "notify")) return;
    body_of(&body, store, doc);
    if (!post(args, &body, why, sizeof why)) il__io_note(io, "the notice was not taken: %s", why);
    il__text_clear(&body);
}
