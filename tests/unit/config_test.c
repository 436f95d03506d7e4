/* The configuration file: what is read, what is refused and where, its limits, its paths, its digest, and where that
 * stands in a journal. */
#include "tap.h"

#include "base/limits.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum il_code open_text(struct il_str text, const char *path, il_config **out, struct il_error *err)
{
    struct il_config_options o = IL_CONFIG_OPTIONS_INIT;
    o.text = text;
    o.path = path ? il__str(path) : IL_STR_NONE;
    *out = NULL;
    return il_config_open(&o, out, err);
}

static void valid_file(void *ctx, const char *path, const char *bytes, size_t len)
{
    struct il_error err = IL_ERROR_INIT;
    il_config *config, *again;
    (void)ctx;
    tap_int(open_text((struct il_str){ bytes, len }, NULL, &config, &err), IL_OK, "%s (%s)", path, err.message);
    if (!config) return;
    const struct il_config_values *v = il_config_get(config);
    tap_int(open_text(v->canonical, NULL, &again, &err), IL_OK, "and so is its canonical text (%s)", err.message);
    if (again) tap_str(il__str(il_config_get(again)->digest), v->digest, "which has the same digest");
    il_config_free(again);
    il_config_free(config);
}

static void invalid_file(void *ctx, const char *path, const char *bytes, size_t len)
{
    struct il_error err = IL_ERROR_INIT;
    il_config *config;
    char want[128];
    (void)ctx;
    tap_int(open_text((struct il_str){ bytes, len }, NULL, &config, &err), IL_DECODE, "%s is refused (%s)", path,
            err.message);
    tap_ok(!config, "and nothing is made");
    tap_str(il__str(err.object), "configuration", "by its object");
    const char *at = strchr(path, '@');
    if (!at) return;
    (void)snprintf(want, sizeof want, "/%.*s", (int)(strlen(at + 1) - 5), at + 1);
    for (char *c = want; *c; c++)
        if (*c == '.') *c = '/';
    tap_str(il__str(err.field), want, "at its place");
}

static void hints(void)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        { "{\"bundels\":[]}", "did you mean 'bundles'?" },
        { "{\"runtime\":{\"endpoint\":\"stdio:a\",\"aceptTools\":[]}}", "did you mean 'acceptTools'?" },
        { "{\"limits\":{\"lease_wait\":1}}", "there is no such member" },
        { "{\"limits\":{\"lease_wait_m\":1}}", "did you mean 'lease_wait_ms'?" },
        { "{\"bundles\":[{\"path\":\"a\"},{\"parms\":{}}]}",
          "/bundles/1/parms: there is no such member; did you mean 'params'?" },
        { "{\"runtime\":{\"token\":\"hush\"}}", "/runtime/token: a secret never stands in this file" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct il_error err = IL_ERROR_INIT;
        il_config *config;
        tap_int(open_text(il__str(rows[i].text), NULL, &config, &err), IL_DECODE, "%s", rows[i].text);
        tap_ok(strstr(err.message, rows[i].says) != NULL, "says: %s (%s)", rows[i].says, err.message);
        tap_ok(!strstr(err.message, "hush"), "and no value");
    }
}

static void paths(void)
{
    static const char text[] =
        "{\"store\":\"runs.db\",\"approvers\":\"/etc/approvers\",\"workflow\":\"lua/w.lua\",\"witness\":\"w\","
        "\"headKey\":\"k\",\"killSwitch\":\"stop\",\"bundles\":[{\"path\":\"p\"}],"
        "\"trialBundles\":[{\"path\":\"n\"}],\"runtime\":{\"endpoint\":\"r.lua\"},"
        "\"approver\":{\"endpoint\":\"unix:a.sock\",\"tokenFile\":\"t\"},"
        "\"identity\":{\"jwks\":\"j\",\"issuer\":\"i\",\"audience\":\"a\"}}";
    struct il_error err = IL_ERROR_INIT;
    il_config *config;
    tap_int(open_text(il__str(text), "/srv/desk/interlock.json", &config, &err), IL_OK, "paths (%s)", err.message);
    const struct il_config_values *v = il_config_get(config);
    tap_str(v->store, "/srv/desk/runs.db", "the store lies beside the file");
    tap_str(v->approvers, "/etc/approvers", "a whole path stays");
    tap_str(v->workflow, "/srv/desk/lua/w.lua", "the workflow");
    tap_str(v->bundles[0].path, "/srv/desk/p", "a bundle");
    tap_str(v->trials[0].path, "/srv/desk/n", "a bundle on trial");
    tap_ok(v->bundle_count == 1 && v->trial_count == 1, "each in its own list");
    tap_str(v->runtime, "/srv/desk/r.lua", "a runtime in Lua");
    tap_str(v->approver, "unix:/srv/desk/a.sock", "a socket");
    tap_str(v->approver_token_file, "/srv/desk/t", "a token");
    tap_str(v->jwks, "/srv/desk/j", "keys");
    tap_str(v->witness, "/srv/desk/w", "a witness");
    tap_str(v->head_key, "/srv/desk/k", "a head key");
    tap_str(v->kill_switch, "/srv/desk/stop", "a kill switch");
    tap_ok(v->store.ptr[v->store.len] == '\0', "texts end in NUL");
    il_config_free(config);
    tap_int(open_text(IL_STR("{\"runtime\":{\"endpoint\":\"stdio:./server\"}}"), "/srv/i.json", &config, &err), IL_OK,
            "a command line");
    tap_str(il_config_get(config)->runtime, "stdio:./server", "stays as it is");
    il_config_free(config);
    tap_int(open_text(IL_STR("{\"store\":\"runs.db\"}"), NULL, &config, &err), IL_OK, "without a file");
    tap_str(il_config_get(config)->store, "runs.db", "all paths stay");
    il_config_free(config);
}

static void options(void)
{
    static const char text[] =
        "{\"host\":\"desk\",\"acceptStandingGrants\":true,\"limits\":{\"memory_bytes\":1,\"max_moving_runs\":2,"
        "\"lease_wait_ms\":3,\"request_timeout_ms\":4,\"envelope_ttl_ms\":5,\"lease_ttl_ms\":6,"
        "\"reservation_ttl_ms\":7,\"execute_margin_ms\":8,\"approval_timeout_ms\":9}}";
    struct il_host_options o = IL_HOST_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    il_config *config;
    o.trace = true;
    tap_int(open_text(il__str(text), NULL, &config, &err), IL_OK, "limits (%s)", err.message);
    il_config_fill(config, &o);
    tap_ok(o.memory_bytes == 1 && o.max_moving_runs == 2 && o.lease_wait_ms == 3 && o.request_timeout_ms == 4 &&
               o.envelope_ttl_ms == 5 && o.lease_ttl_ms == 6 && o.reservation_ttl_ms == 7 && o.execute_margin_ms == 8 &&
               o.approval_timeout_ms == 9,
           "each number reaches its option");
    tap_ok(o.accept_standing_grants && !o.accept_server_verification && o.trace, "and each flag; others stay");
    tap_str(o.host_name, "desk", "and the name");
    il_config_free(config);
    o.lease_ttl_ms = 77;
    tap_int(open_text(IL_STR("{}"), NULL, &config, &err), IL_OK, "without limits");
    il_config_fill(config, &o);
    tap_int(o.lease_ttl_ms, 77, "what was there stays");
    il_config_free(config);
}

/* A document of `len` bytes: {} and blanks. */
static enum il_code open_blank(size_t len, struct il_error *err)
{
    il_config *config = NULL;
    char *text = malloc(len);
    if (!text) abort();
    memset(text, ' ', len);
    text[0] = '{';
    text[len - 1] = '}';
    enum il_code code = open_text((struct il_str){ text, len }, NULL, &config, err);
    il_config_free(config);
    free(text);
    return code;
}

static enum il_code open_tools(int count, struct il_error *err)
{
    char text[2048];
    il_config *config = NULL;
    size_t at = (size_t)snprintf(text, sizeof text, "{\"runtime\":{\"endpoint\":\"stdio:a\",\"acceptTools\":[");
    for (int i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s\"t%d\"", i ? "," : "", i);
    (void)snprintf(text + at, sizeof text - at, "]}}");
    enum il_code code = open_text(il__str(text), NULL, &config, err);
    il_config_free(config);
    return code;
}

static enum il_code open_bundles(int count, struct il_error *err)
{
    char text[2048];
    il_config *config = NULL;
    size_t at = (size_t)snprintf(text, sizeof text, "{\"bundles\":[");
    for (int i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s{\"path\":\"b%d\"}", i ? "," : "", i);
    (void)snprintf(text + at, sizeof text - at, "]}");
    enum il_code code = open_text(il__str(text), NULL, &config, err);
    il_config_free(config);
    return code;
}

static void limits(void)
{
    struct il_error err = IL_ERROR_INIT;
    char host[96] = "{\"host\":\"";
    il_config *config;
    tap_int(open_blank(IL__LIMIT_CONFIG_BYTES, &err), IL_OK, "config_bytes (%s)", err.message);
    tap_int(open_blank(IL__LIMIT_CONFIG_BYTES + 1, &err), IL_LIMIT_EXCEEDED, "and one more");
    tap_ok(strstr(err.message, "config_bytes") != NULL, "by its name (%s)", err.message);
    tap_int(open_tools(IL__LIMIT_CONFIG_TOOLS, &err), IL_OK, "config_tools (%s)", err.message);
    tap_int(open_tools(IL__LIMIT_CONFIG_TOOLS + 1, &err), IL_DECODE, "and one more (%s)", err.message);
    tap_str(il__str(err.field), "/runtime/acceptTools", "at its place");
    tap_int(open_bundles(IL__LIMIT_BUNDLES, &err), IL_OK, "as many bundles as a host takes (%s)", err.message);
    tap_int(open_bundles(IL__LIMIT_BUNDLES + 1, &err), IL_DECODE, "and one more (%s)", err.message);
    memset(host + 9, 'h', IL__LIMIT_CONFIG_HOST_BYTES);
    memcpy(host + 9 + IL__LIMIT_CONFIG_HOST_BYTES, "\"}", 3);
    tap_int(open_text(il__str(host), NULL, &config, &err), IL_OK, "config_host_bytes (%s)", err.message);
    il_config_free(config);
}

static void files(void)
{
    struct il_config_options o = IL_CONFIG_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    il_config *config = NULL;
    tap_int(il_config_open(&o, &config, &err), IL_INVALID_REQUEST, "neither a file nor a text");
    o.path = IL_STR("tests/vectors/config/none.json");
    tap_int(il_config_open(&o, &config, &err), IL_INVALID_REQUEST, "a file that is not there (%s)", err.message);
    o.path = IL_STR("tests/vectors/config");
    tap_int(il_config_open(&o, &config, &err), IL_INVALID_REQUEST, "a folder (%s)", err.message);
    o.path = IL_STR("tests/vectors/config/valid/whole.json");
    tap_int(il_config_open(&o, &config, &err), IL_OK, "a file (%s)", err.message);
    tap_str(il_config_get(config)->store, "tests/vectors/config/valid/runs.db", "and what lies beside it");
    tap_str(il_config_get(config)->bundles[0].params_json, "{\"opens\":8}", "parameters as they stand");
    tap_str(il_config_get(config)->trials[0].params_json, "{\"opens\":7}", "and those of a bundle on trial");
    il_config_free(config);
    il_config_free(NULL);
    o.size = 1;
    tap_int(il_config_open(&o, &config, &err), IL_INVALID_REQUEST, "other options");
}

/* ---- the digest in a journal ---- */

static void digests(void)
{
    struct il_host_options o = IL_HOST_OPTIONS_INIT;
    struct il_run_options start = IL_RUN_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_record record = { .size = sizeof record };
    il_host *host;
    il_run *run;
    il_config *config;
    if (il_host_new(&o, &host, &err)) abort();
    if (open_text(IL_STR("{ \"tenant\": \"t\", \"host\": \"h\" }"), NULL, &config, &err)) abort();
    const struct il_config_values *v = il_config_get(config);
    tap_str(v->canonical, "{\"host\":\"h\",\"tenant\":\"t\"}", "the canonical text is sorted, without blanks");
    char hex[65], want[96];
    il_sha256_hex(v->canonical, hex);
    (void)snprintf(want, sizeof want, "sha256:%s", hex);
    tap_str(il__str(v->digest), want, "the digest is taken over it");
    const char *const wrong[] = { "", "sha256:", "sha256:00", hex };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        tap_int(il_host_set_config_digest(host, il__str(wrong[i]), &err), IL_INVALID_REQUEST, "'%s' is no digest",
                wrong[i]);
    tap_int(il_host_set_config_digest(host, il__str(v->digest), &err), IL_OK, "this is one (%s)", err.message);
    il_config_free(config); /* the host has its own */
    start.proposal = IL_STR("{\"tool\":\"write_clipboard\",\"arguments\":{}}");
    start.principal = start.session_id = IL_STR("s");
    if (il_host_set_runtime_simulated(host, IL_STR_NONE, &err) || il_run_start(host, &start, &run, &err)) abort();
    tap_int(il_run_record(run, 0, &record, &err), IL_OK, "record 0");
    (void)snprintf(want, sizeof want, "\"config\":\"sha256:%s\"", hex);
    tap_ok(record.text.len && strstr(record.text.ptr, want) != NULL, "holds the digest");
    (void)snprintf(want, sizeof want, "sha256:%064d", 0);
    tap_int(il_host_set_config_digest(host, il__str(want), &err), IL_CONFLICT,
            "which does not change under a run");
    il_host_free(host);
}

/* ---- memory ---- */

struct failing {
    size_t left;
};

static void *fail_nth(void *ctx, void *ptr, size_t old_size, size_t new_size)
{
    struct failing *f = ctx;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    if (f->left == 0) return NULL;
    f->left--;
    return realloc(ptr, new_size);
}

static void memory(void)
{
    size_t len, n = 0;
    char *text = tap_slurp("tests/vectors/config/valid/whole.json", &len);
    enum il_code code = IL_OUT_OF_MEMORY;
    for (; n < 500 && code == IL_OUT_OF_MEMORY; n++) {
        struct failing f = { n };
        struct il_config_options o = IL_CONFIG_OPTIONS_INIT;
        struct il_error err = IL_ERROR_INIT;
        il_config *config = NULL;
        o.text = (struct il_str){ text, len };
        o.path = IL_STR("/a/b");
        o.alloc = fail_nth;
        o.alloc_ctx = &f;
        code = il_config_open(&o, &config, &err);
        if ((code == IL_OK) != (config != NULL)) break;
        il_config_free(config);
    }
    tap_int(code, IL_OK, "whichever allocation fails, it is told (%zu of them)", n);
    free(text);
}

int main(void)
{
    tap_each("tests/vectors/config/valid", ".json", valid_file, NULL);
    tap_each("tests/vectors/config/invalid", ".json", invalid_file, NULL);
    hints();
    paths();
    options();
    limits();
    files();
    digests();
    memory();
    return tap_done();
}
