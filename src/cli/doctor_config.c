/* What `doctor` finds of a configuration: its digest, and each file, variable and address that it names.
 * Uses a host that has no runs. Must never start a program, open a connection, or print what a token is. */
#include "cli/config.h"
#include "cli/endpoint.h"
#include "cli/evidence.h"
#include "cli/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHECKS = 64 };

struct check {
    const char *name;
    enum il__mark mark;
    struct il__text note;
};

struct review {
    const struct il_config_values *values;
    const struct il__config *config;
    il_host *host;
    struct check checks[CHECKS];
    size_t count;
    bool well;
};

static struct il__text *add(struct review *r, const char *name, enum il__mark mark)
{
    struct check *check = &r->checks[r->count < CHECKS - 1 ? r->count++ : CHECKS - 1];
    *check = (struct check){ name, mark, IL__TEXT_INIT };
    if (mark == IL__MARK_BAD) r->well = false;
    return &check->note;
}

static void say(struct review *r, const char *name, enum il__mark mark, const char *what, const char *words)
{
    struct il__text *note = add(r, name, mark);
    il__text_puts(note, what);
    if (words[0]) il__text_printf(note, ": %s", words);
}

static void judge(struct review *r, const char *name, struct il_str what, enum il_code code, const struct il_error *err)
{
    say(r, name, code == IL_OK ? IL__MARK_OK : IL__MARK_BAD, what.ptr, code == IL_OK ? "" : err->message);
}

/* ---- files ---- */

static bool read_file(struct review *r, const char *name, struct il_str path, struct il__text *out)
{
    char why[512];
    if (il__file_read(path.ptr, out, why, sizeof why) == 0) return true;
    il__text_puts(add(r, name, IL__MARK_BAD), why);
    return false;
}

static void review_store(struct review *r)
{
    struct il_store_options options = IL_STORE_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    il_store *store = NULL;
    struct il_str path = r->values->store;
    if (!path.ptr) return;
    if (access(path.ptr, F_OK) != 0 && errno == ENOENT) {
        say(r, "store", IL__MARK_OPEN, path.ptr, "is not there yet; 'interlock run' makes it");
        return;
    }
    options.path = path;
    options.read_only = true;
    judge(r, "store", path, il_store_open(&options, &store, &err), &err);
    il_store_close(store);
}

/* The keys that bundles are trusted by, handed to the host; false: bundles are not to be judged without them. */
static bool review_bundle_keys(struct review *r)
{
    struct il_text keys[IL__CLI_OPTION_VALUES];
    struct il_str list[IL__CLI_OPTION_VALUES];
    size_t count = 0, total = r->values->bundle_key_count;
    bool well = total <= IL__CLI_OPTION_VALUES;
    memset(keys, 0, sizeof keys);
    for (; well && count < total; count++) {
        struct il_error err = IL_ERROR_INIT;
        struct il__text file = IL__TEXT_INIT;
        struct il_str path = r->values->bundle_keys[count];
        char id[17] = "";
        well = read_file(r, "bundle key", path, &file);
        if (well) {
            enum il_code code = il__evidence_key_of(il__text_get(&file), &keys[count], id, &err);
            judge(r, "bundle key", path, code, &err);
            well = code == IL_OK;
        }
        list[count] = il__evidence_str(&keys[count]);
        il__text_clear(&file);
    }
    well = well && il_host_trust_bundles(r->host, list, count, NULL) == IL_OK;
    for (size_t i = 0; i < count; i++) il_text_clear(&keys[i]);
    return well;
}

static void review_bundles(struct review *r)
{
    if (!review_bundle_keys(r)) return;
    for (size_t i = 0; i < r->values->bundle_count; i++) {
        const struct il_config_bundle *b = &r->values->bundles[i];
        struct il_error err = IL_ERROR_INIT;
        judge(r, "bundle", b->path, il_host_add_bundle_dir(r->host, b->path, b->params_json, &err), &err);
    }
    for (size_t i = 0; i < r->values->trial_count; i++) {
        const struct il_config_bundle *b = &r->values->trials[i];
        struct il_error err = IL_ERROR_INIT;
        judge(r, "on trial", b->path, il_host_add_trial_bundle_dir(r->host, b->path, b->params_json, &err), &err);
    }
    struct il_str digest = il_host_policy_digest(r->host);
    if (digest.ptr) il__text_str(add(r, "policies", IL__MARK_OK), digest);
}

static void review_people(struct review *r)
{
    const struct il_config_values *v = r->values;
    struct il__text approvers = IL__TEXT_INIT, jwks = IL__TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    if (v->approvers.ptr && read_file(r, "approvers", v->approvers, &approvers))
        judge(r, "approvers", v->approvers, il_host_set_approvers_json(r->host, il__text_get(&approvers), &err), &err);
    if (v->jwks.ptr && read_file(r, "identity", v->jwks, &jwks)) {
        struct il_jwks_options o = IL_JWKS_OPTIONS_INIT;
        o.jwks = il__text_get(&jwks);
        o.issuer = v->issuer;
        o.audience = v->audience;
        o.tenant_claim = v->tenant_claim;
        judge(r, "identity", v->jwks, il_host_set_jwks(r->host, &o, &err), &err);
    }
    il__text_clear(&approvers);
    il__text_clear(&jwks);
}

static void review_workflow(struct review *r)
{
    struct il__text text = IL__TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_str path = r->values->workflow;
    if (path.ptr && read_file(r, "workflow", path, &text))
        judge(r, "workflow", path, il_host_set_workflow(r->host, path, il__text_get(&text), &err), &err);
    il__text_clear(&text);
}

static void review_heads(struct review *r)
{
    struct il__text text = IL__TEXT_INIT;
    struct il_text key = IL_TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    char id[17] = "";
    struct il_str path = r->values->head_key, witness = r->values->witness;
    if (path.ptr && read_file(r, "head key", path, &text))
        judge(r, "head key", path, il_key_public(il__text_get(&text), &key, id, &err), &err);
    il_text_clear(&key);
    il__text_clear(&text);
    if (!witness.ptr) return;
    if (access(witness.ptr, R_OK) == 0) say(r, "witness", IL__MARK_OK, witness.ptr, "");
    else if (errno != ENOENT) say(r, "witness", IL__MARK_BAD, witness.ptr, strerror(errno));
    else say(r, "witness", IL__MARK_OPEN, witness.ptr, "is not there yet; 'interlock audit head' makes it");
}

static void review_switch(struct review *r)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_str path = r->values->kill_switch;
    if (path.ptr) judge(r, "kill switch", path, il_host_check_kill_switch(r->host, &err), &err);
}

/* ---- connections ---- */

/* The token of a connection: it is there, and nobody else can read it. */
static void review_token(struct review *r, const char *name, struct il_str file, struct il_str env)
{
    struct stat st;
    if (env.ptr)
        say(r, name, getenv(env.ptr) ? IL__MARK_OK : IL__MARK_BAD, env.ptr,
            getenv(env.ptr) ? "is set" : "there is no such variable in the environment");
    if (!file.ptr) return;
    if (stat(file.ptr, &st) != 0 || access(file.ptr, R_OK) != 0)
        say(r, name, IL__MARK_BAD, file.ptr, strerror(errno));
    else if (S_ISREG(st.st_mode) && (st.st_mode & 077))
        say(r, name, IL__MARK_BAD, file.ptr, "others can use it; 'chmod 600' keeps the token to you");
    else say(r, name, IL__MARK_OK, file.ptr, "");
}

static void review_ca(struct review *r, const char *name, struct il_str ca)
{
    if (!ca.ptr) return;
    if (access(ca.ptr, R_OK) == 0) say(r, name, IL__MARK_OK, ca.ptr, "");
    else say(r, name, IL__MARK_BAD, ca.ptr, strerror(errno));
}

/* The program of a command line: a path, or a name that is found in PATH. */
static bool find_program(const char *word)
{
    const char *path = getenv("PATH");
    struct il__text full = IL__TEXT_INIT;
    bool found = false;
    if (strchr(word, '/')) return access(word, X_OK) == 0;
    while (path && *path && !found) {
        size_t len = strcspn(path, ":");
        il__text_reset(&full);
        il__text_add(&full, len ? path : ".", len ? len : 1);
        il__text_printf(&full, "/%s", word);
        found = !full.failed && access(full.ptr, X_OK) == 0;
        path += len + (path[len] == ':');
    }
    il__text_clear(&full);
    return found;
}

static void review_program(struct review *r, const char *command)
{
    char word[512];
    command += strspn(command, " ");
    size_t len = strcspn(command, " ");
    snprintf(word, sizeof word, "%.*s", (int)(len < sizeof word ? len : sizeof word - 1), command);
    struct il__text *note;
    if (strpbrk(word, "'\"\\")) {
        il__text_puts(add(r, "runtime", IL__MARK_OPEN), "stdio: its program is quoted, and was not looked for");
        return;
    }
    bool found = find_program(word);
    note = add(r, "runtime", found ? IL__MARK_OK : IL__MARK_BAD);
    il__text_printf(note, "stdio:%s: %s", word, found ? "is there; 'interlock doctor --connect' starts it"
                                                     : "there is no such program");
}

static void review_runtime(struct review *r)
{
    const struct il_config_values *v = r->values;
    struct il__text text = IL__TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    const char *runtime = v->runtime.ptr;
    if (!runtime) return;
    if (strncmp(runtime, "stdio:", 6) == 0) {
        review_program(r, runtime + 6);
    } else if (il__endpoint_is(runtime)) {
        struct il__text *note = add(r, "runtime", IL__MARK_OK);
        il__text_add(note, runtime, strcspn(runtime, "?#"));
        il__text_puts(note, ": is not contacted; 'interlock doctor --connect' does");
    } else if (strcmp(runtime, "simulated") == 0) {
        say(r, "runtime", IL__MARK_OK, runtime, "it acts on nothing");
    } else if (read_file(r, "runtime", v->runtime, &text)) {
        const struct il_str none = { NULL, 0 };
        judge(r, "runtime", v->runtime,
              il_host_set_runtime_lua(r->host, v->runtime, il__text_get(&text), none, &err), &err);
    }
    il__text_clear(&text);
    review_token(r, "token", v->token_file, v->token_env);
    review_ca(r, "authorities", v->ca);
}

static bool same(struct il_str a, struct il_str b)
{
    return a.ptr && b.ptr && strcmp(a.ptr, b.ptr) == 0;
}

static void review_approver(struct review *r)
{
    const struct il_config_values *v = r->values;
    struct stat st;
    const char *address = v->approver.ptr;
    if (!address) return;
    if (strncmp(address, "unix:", 5) != 0) say(r, "approver", IL__MARK_OK, address, "is not contacted");
    else if (stat(address + 5, &st) == 0 && S_ISSOCK(st.st_mode)) say(r, "approver", IL__MARK_OK, address, "");
    else say(r, "approver", IL__MARK_OPEN, address, "there is no socket; it is there while the server runs");
    review_token(r, "its token", v->approver_token_file, v->approver_token_env);
    if (same(v->approver_token_file, v->token_file) || same(v->approver_token_env, v->token_env))
        say(r, "its token", IL__MARK_BAD, "it is that of the runtime", "the approver needs a credential of its own");
    review_ca(r, "authorities", v->approver_ca);
}

/* ---- the whole ---- */

static void review(struct review *r, const struct il__args *args)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    memset(r, 0, sizeof *r);
    r->config = args->config;
    r->values = args->config->values;
    r->well = true;
    il__config_host(args, &options);
    if (il_host_new(&options, &r->host, &err) != IL_OK) {
        say(r, "host", IL__MARK_BAD, "it cannot be made", err.message);
        return;
    }
    say(r, "file", IL__MARK_OK, r->config->path, r->config->found ? "found in the current folder" : "");
    say(r, "digest", IL__MARK_OK, r->values->digest, "");
    review_store(r);
    review_bundles(r);
    review_people(r);
    review_workflow(r);
    review_runtime(r);
    review_approver(r);
    review_heads(r);
    review_switch(r);
    if (r->values->notice.ptr) say(r, "notice", IL__MARK_OK, r->values->notice.ptr, "is not contacted");
    il_host_free(r->host);
}

static void clear(struct review *r)
{
    for (size_t i = 0; i < r->count; i++) il__text_clear(&r->checks[i].note);
}

bool il__doctor_config(const struct il__args *args, struct il__out *out)
{
    struct review r;
    if (!args->config) return true;
    review(&r, args);
    for (size_t i = 0; i < r.count; i++) {
        enum il__tone tone;
        char lead[40];
        const char *mark = il__out_mark(out, r.checks[i].mark, &tone);
        struct il__text note = IL__TEXT_INIT;
        il__text_escaped(&note, il__text_get(&r.checks[i].note));
        snprintf(lead, sizeof lead, " %-12s", r.checks[i].name);
        il__out_puts(out, "  ");
        il__out_tone(out, tone, il__text_of(mark));
        struct il__out rest = *out;
        rest.width -= 4;
        il__out_wrap(&rest, lead, 17, IL__TONE_PLAIN, il__text_get(&note));
        out->lost = rest.lost;
        il__text_clear(&note);
    }
    clear(&r);
    return r.well;
}

bool il__doctor_config_json(const struct il__args *args, struct il__text *text)
{
    static const char *const marks[] = { "ok", "failed", "note", "" };
    struct review r;
    if (!args->config) return true;
    review(&r, args);
    il__text_puts(text, "\"config\":{\"path\":");
    il__text_json(text, il__text_of(args->config->path));
    il__text_printf(text, ",\"digest\":\"%s\",\"checks\":[", args->config->values->digest);
    for (size_t i = 0; i < r.count; i++) {
        il__text_printf(text, "%s{\"name\":\"%s\",\"result\":\"%s\",\"note\":", i ? "," : "", r.checks[i].name,
                        marks[r.checks[i].mark]);
        il__text_json(text, il__text_get(&r.checks[i].note));
        il__text_puts(text, "}");
    }
    il__text_printf(text, "],\"ok\":%s},", r.well ? "true" : "false");
    clear(&r);
    return r.well;
}
