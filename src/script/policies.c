/* Loading and asking policies (policies.h). A policy that raises, is ended by a limit or returns no verdict is recorded
 * as a deny with its place and text; only a failure of the host itself (no memory) is an error of the evaluation. */
#include "script/policies.h"

#include "base/error.h"
#include "script/bundle_params.h"
#include "script/policy_api.h"
#include "script/policy_asks.h"
#include "script/policy_ctx.h"

#include <stdio.h>

struct il__policy_set {
    struct il__policy_set_options options;
    struct il__arena arena; /* the schema of the action */
    const struct il__schema *action_schema;
    struct il__bundle *bundles[IL__LIMIT_BUNDLES];
    size_t count, policies;
    char digest[IL__DIGEST_TEXT]; /* "" without bundles */
    int64_t together_ms;          /* of all policies in a phase; 0: each has its own time */
    size_t holders;
};

/* ---- one policy in a sandbox ------------------------------------------------------------------------------------- */

struct asking {
    struct il__policy_set *set;
    struct il__bundle *bundle;
    struct il__bundle_policy *policy;
    struct il__sandbox *sb;       /* NULL: to be opened */
    struct il__policy_ctx *ctx;   /* NULL while a bundle is added */
    const struct il__policy_look *look; /* may be NULL */
    struct il__arena *arena;
    struct il__said *said;
    int phase_ref;
    int phase_line;               /* where its function begins; 0: not known */
    int64_t since_us;             /* when the first of the set was asked */
    bool no_memory;
};

static void policy_log(void *ctx, enum il_log_level level, struct il_str line)
{
    const struct asking *a = ctx;
    if (!a->set->options.log) return;
    il__log(a->set->options.log, level, "%s: %.*s", a->policy ? a->policy->label : "policy", IL_STR_FMT(line));
}

static enum il_code open_sandbox(struct asking *a, struct il_error *err)
{
    struct il__sandbox_options options = {
        .mem = a->set->options.mem, .clock = a->set->options.clock, .log = policy_log, .log_ctx = a, .host = a->ctx,
        .wall_ms = a->set->together_ms, .modules = &a->bundle->modules,
        .seed = a->ctx ? a->ctx->scene->run_id : IL_STR("check"),
        .probe = a->look ? a->look->probe : NULL,
    };
    a->sb = il__sandbox_open(&options, err);
    return a->sb ? IL_OK : IL_OUT_OF_MEMORY;
}

static void close_sandbox(struct asking *a)
{
    il__sandbox_close(a->sb);
    a->sb = NULL;
}

static int last_line(struct il_str source)
{
    int line = 1;
    for (size_t i = 0; i + 1 < source.len; i++) line += source.ptr[i] == '\n';
    return line;
}

/* While a bundle is added: notes name and phases. */
static void take_declared(lua_State *L, void *ctx)
{
    struct asking *a = ctx;
    struct il_str name;
    char full[2 * IL__LIMIT_BUNDLE_NAME_BYTES + 2];
    il__policy_check_declared(L, a->policy->label, last_line(a->policy->source), &name, &a->policy->phases);
    int n = snprintf(full, sizeof full, "%.*s/%.*s", IL_STR_FMT(a->bundle->name), IL_STR_FMT(name));
    struct il_str text = { full, (size_t)n };
    a->no_memory = il__arena_str(&a->bundle->arena, text, &a->policy->name) != IL_OK;
}

/* In a run: keeps the function of the phase. */
static void take_phase(lua_State *L, void *ctx)
{
    struct asking *a = ctx;
    struct il_str name;
    unsigned phases;
    il__policy_check_declared(L, a->policy->label, last_line(a->policy->source), &name, &phases);
    a->phase_line = il__policy_push_phase(L, 1, a->ctx->scene->phase);
    a->phase_ref = il__sandbox_ref(L);
}

static int push_args(lua_State *L, void *ctx)
{
    struct asking *a = ctx;
    il__policy_ctx_push(L, a->ctx, a->policy);
    return 2;
}

static void take_verdict(lua_State *L, void *ctx)
{
    struct asking *a = ctx;
    a->no_memory = !il__policy_take_verdict(L, a->arena, a->said);
}

/* Compiles and runs the file of the policy. */
static enum il__script_end run_file(struct asking *a, il__take_fn take, struct il__script_result *result)
{
    int chunk;
    enum il__script_end end = il__sandbox_load(a->sb, a->policy->label, a->policy->source, &chunk, result);
    if (end != IL__SCRIPT_RETURNED) return end;
    return il__sandbox_call(a->sb, chunk, NULL, take, a, result);
}

/* ---- adding ------------------------------------------------------------------------------------------------------ */

static enum il_code compile_one(struct asking *a, struct il_error *err)
{
    struct il__script_result result;
    enum il_code code = open_sandbox(a, err);
    if (code) return code;
    if (run_file(a, take_declared, &result) != IL__SCRIPT_RETURNED) code = il__script_fail(&result, err);
    else if (a->no_memory) code = il__fail(err, IL_OUT_OF_MEMORY, "no memory for a bundle");
    close_sandbox(a);
    return code;
}

static enum il_code check_names(const struct il__bundle *b, size_t upto, struct il_error *err)
{
    for (size_t i = 0; i < upto; i++) {
        if (!il__str_eq(b->policies[i].name, b->policies[upto].name)) continue;
        return il__fail_at(err, IL_INVALID_REQUEST, "policy bundle", b->policies[upto].label,
                           "the name %.*s is taken by %s", IL_STR_FMT(b->policies[upto].name), b->policies[i].label);
    }
    return IL_OK;
}

static enum il_code compile_all(struct il__policy_set *set, struct il__bundle *b, struct il_error *err)
{
    b->modules.next = &il__policy_modules;
    for (size_t i = 0; i < b->policy_count; i++) {
        struct asking a = { .set = set, .bundle = b, .policy = &b->policies[i] };
        enum il_code code = compile_one(&a, err);
        if (!code) code = check_names(b, i, err);
        if (code) return code;
        b->phases |= b->policies[i].phases;
    }
    return IL_OK;
}

static enum il_code check_room(const struct il__policy_set *set, const struct il__bundle *b, struct il_error *err)
{
    if (set->count == IL__LIMIT_BUNDLES) {
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "policy bundle", "bundles", "at most %d bundles", IL__LIMIT_BUNDLES);
    }
    if (set->policies + b->policy_count > IL__LIMIT_POLICIES) {
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "policy bundle", "policies",
                           "all bundles together hold more than %d policies", IL__LIMIT_POLICIES);
    }
    for (size_t i = 0; i < set->count; i++) {
        if (!il__str_eq(set->bundles[i]->name, b->name)) continue;
        return il__fail_at(err, IL_INVALID_REQUEST, "policy bundle", "/name", "a bundle named %.*s is there already",
                           IL_STR_FMT(b->name));
    }
    return IL_OK;
}

/* Over the canonical text of the one bundle, or the canonical array of several. */
static enum il_code digest_with(const struct il__policy_set *set, const struct il__bundle *added,
                                char out[IL__DIGEST_TEXT], struct il_error *err)
{
    struct il__buf buf;
    il__buf_init(&buf, set->options.mem, 0);
    if (set->count) il__buf_putc(&buf, '[');
    for (size_t i = 0; i < set->count; i++) {
        il__buf_str(&buf, set->bundles[i]->canon);
        il__buf_putc(&buf, ',');
    }
    il__buf_str(&buf, added->canon);
    if (set->count) il__buf_putc(&buf, ']');
    enum il_code code = il__buf_check(&buf, err);
    if (!code) il__sha256_text(set->options.digest, il__buf_get(&buf), out);
    il__buf_clear(&buf);
    return code;
}

enum il_code il__policy_set_add(struct il__policy_set *set, const struct il_file *files, size_t count,
                                struct il_str params_json, struct il_error *err)
{
    struct il__bundle *b = NULL;
    char digest[IL__DIGEST_TEXT];
    enum il_code code = il__bundle_open(set->options.mem, set->options.digest, files, count, params_json, &b, err);
    if (code) return code;
    code = check_room(set, b, err);
    if (!code && set->options.admit) code = set->options.admit(set->options.admit_ctx, b, err);
    if (!code) code = compile_all(set, b, err);
    if (!code) code = digest_with(set, b, digest, err);
    if (code) {
        il__bundle_free(b);
        return code;
    }
    memcpy(set->digest, digest, sizeof set->digest);
    set->bundles[set->count++] = b;
    set->policies += b->policy_count;
    return IL_OK;
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

/* A limit that has no unit left is a deny of its own, beside whatever the policy says. */
static enum il_code say_limits(struct asking *a, struct il__said *said, struct il_error *err)
{
    *said = (struct il__said){ .verdict = IL__VERDICT_DENY, .level = a->policy->level, .policy = a->policy->name,
                               .code = IL_STR("limit"), .line = a->ctx->asks.refused_at };
    return il__policy_asks_refusal(&a->ctx->asks, said, err);
}

/* Limits or history that could not be asked: whatever the policy made of it, it denies. */
static enum il_code say_unanswered(struct asking *a, struct il_error *err)
{
    const struct il__policy_asks *asks = &a->ctx->asks;
    if (asks->failed.code == IL_OUT_OF_MEMORY) return il__fail(err, IL_OUT_OF_MEMORY, "%s", asks->failed.message);
    a->said->verdict = IL__VERDICT_DENY;
    a->said->error = true;
    a->said->line = asks->failed_at;
    if (il__arena_str(a->arena, il__str(asks->failed.message), &a->said->reason))
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for the reason of a policy");
    return IL_OK;
}

/* What is said when a policy fails: a deny, with the place and the text of the failure. */
static enum il_code say_error(struct asking *a, const struct il__script_result *result, struct il_error *err)
{
    char full[sizeof result->text + sizeof result->file + sizeof a->policy->label];
    a->said->verdict = IL__VERDICT_DENY;
    a->said->error = true;
    a->said->line = result->line;
    if (result->end == IL__SCRIPT_KILLED) close_sandbox(a);
    if (result->file[0] && il__arena_str(a->arena, il__str(result->file), &a->said->file))
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for the reason of a policy");
    int n = result->line > 0 ? snprintf(full, sizeof full, "%s:%d: %s", result->file, result->line, result->text)
                             : snprintf(full, sizeof full, "%s: %s", a->policy->label, result->text);
    struct il_str text = { full, (size_t)n };
    if (il__arena_str(a->arena, text, &a->said->reason)) {
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for the reason of a policy");
    }
    return IL_OK;
}

static enum il_code call_policy(struct asking *a, struct il_error *err)
{
    struct il__script_result result;
    enum il_code code = a->sb ? IL_OK : open_sandbox(a, err);
    if (code) return code;
    *a->said = (struct il__said){
        .verdict = IL__VERDICT_DENY, .level = a->policy->level, .policy = a->policy->name,
    };
    if (run_file(a, take_phase, &result) != IL__SCRIPT_RETURNED) return say_error(a, &result, err);
    if (il__sandbox_call(a->sb, a->phase_ref, push_args, take_verdict, a, &result) != IL__SCRIPT_RETURNED) {
        if (result.line <= 0 && a->phase_line > 0) {
            result.line = a->phase_line;
            il__escape(result.file, sizeof result.file, il__str(a->policy->label));
        }
        return say_error(a, &result, err);
    }
    if (a->no_memory) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a verdict");
    return IL_OK;
}

/* All of them together have had their time. */
static bool out_of_time(const struct asking *a)
{
    int64_t most = a->set->together_ms;
    return most && il__clock_us(a->set->options.clock) - a->since_us >= most * 1000;
}

static enum il_code say_out_of_time(struct asking *a, struct il_error *err)
{
    struct il__script_result result = { .end = IL__SCRIPT_ERROR };
    *a->said = (struct il__said){ .level = a->policy->level, .policy = a->policy->name };
    snprintf(result.text, sizeof result.text, "not asked: all of them together have %lld ms in a phase",
             (long long)a->set->together_ms);
    return say_error(a, &result, err);
}

static enum il_code ask_policy(struct asking *a, struct il_error *err)
{
    struct il__policy_asks *asks = &a->ctx->asks;
    il__policy_asks_begin(asks, a->set->options.mem, a->bundle->name, a->arena);
    enum il_code code = out_of_time(a) ? say_out_of_time(a, err) : call_policy(a, err);
    if (!code && !a->said->error) il__policy_asks_settle(asks);
    if (!code && asks->failed.code) code = say_unanswered(a, err);
    if (!code) code = il__policy_asks_take(asks, a->said, err);
    il__policy_asks_end(asks);
    return code;
}

static void told(const struct asking *a, const struct il__said *said)
{
    if (a->look && a->look->asked) a->look->asked(a->look->ctx, a->policy, said);
}

static enum il_code ask_bundle(struct asking *a, struct il__said_list *out, struct il_error *err)
{
    enum il_code code = IL_OK;
    unsigned phase = 1u << a->ctx->scene->phase;
    for (size_t i = 0; i < a->bundle->policy_count && !code; i++) {
        a->policy = &a->bundle->policies[i];
        if (!(a->policy->phases & phase)) continue;
        a->said = &out->items[out->count];
        if (a->look && a->look->probe) il__probe_reset(a->look->probe);
        code = ask_policy(a, err);
        if (!code) out->count++;
        if (!code) told(a, a->said);
        if (!code && a->ctx->asks.refused_at) {
            a->said = &out->items[out->count++];
            code = say_limits(a, a->said, err);
            if (!code) told(a, a->said);
        }
    }
    close_sandbox(a);
    return code;
}

static size_t count_with(const struct il__policy_set *set, enum il__phase phase)
{
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        for (size_t j = 0; j < set->bundles[i]->policy_count; j++) {
            count += (set->bundles[i]->policies[j].phases >> phase) & 1u;
        }
    }
    return count;
}

enum il_code il__policy_set_ask(struct il__policy_set *set, const struct il__scene *scene,
                                const struct il__policy_look *look, struct il__said_list *out, struct il_error *err)
{
    size_t count = count_with(set, scene->phase);
    if (count == 0) return IL_OK;
    struct il__said *items = il__arena_alloc(out->arena, (out->count + 2 * count) * sizeof *items);
    if (!items) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for verdicts");
    if (out->count) memcpy(items, out->items, out->count * sizeof *items);
    out->items = items;
    struct il__policy_ctx policy_ctx;
    il__policy_ctx_init(&policy_ctx, scene, set->action_schema);
    if (look) policy_ctx.params = look->params;
    const int64_t since_us = il__clock_us(set->options.clock);
    for (size_t i = 0; i < set->count; i++) {
        if (!(set->bundles[i]->phases & (1u << scene->phase))) continue;
        struct asking a = { .set = set, .bundle = set->bundles[i], .ctx = &policy_ctx, .look = look,
                            .arena = out->arena, .since_us = since_us };
        enum il_code code = ask_bundle(&a, out, err);
        if (code) return code;
    }
    return IL_OK;
}

static enum il_code evaluate(void *ctx, const struct il__scene *scene, struct il__said_list *out, struct il_error *err)
{
    return il__policy_set_ask(ctx, scene, NULL, out, err);
}

enum il_code il__policy_set_params(struct il__policy_set *set, struct il__json *doc, struct il_error *err)
{
    return il__bundle_params_check(set->bundles, set->count, doc, err);
}

static struct il_str digest_of(void *ctx)
{
    const struct il__policy_set *set = ctx;
    return set->count ? il__str(set->digest) : IL_STR_NONE;
}

/* ---- the set ----------------------------------------------------------------------------------------------------- */

enum il_code il__policy_set_new(const struct il__policy_set_options *options, struct il__policy_set **out,
                                struct il_error *err)
{
    struct il__policy_set *set = il__mem_zalloc(options->mem, 1, sizeof *set);
    if (!set) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for policies");
    set->options = *options;
    set->holders = 1;
    il__arena_init(&set->arena, options->mem);
    set->action_schema = il__action_seen_schema(&set->arena);
    if (!set->action_schema) {
        il__policy_set_free(set);
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for policies");
    }
    *out = set;
    return IL_OK;
}

static void hold(void *ctx)
{
    ((struct il__policy_set *)ctx)->holders++;
}

static void release(void *ctx)
{
    il__policy_set_free(ctx);
}

void il__policy_set_together(struct il__policy_set *set, int64_t ms)
{
    set->together_ms = ms;
}

struct il__policies il__policy_set_port(struct il__policy_set *set)
{
    return (struct il__policies){ evaluate, digest_of, hold, release, set };
}

const struct il__bundle *il__policy_set_bundle(const struct il__policy_set *set, size_t at)
{
    return at < set->count ? set->bundles[at] : NULL;
}

void il__policy_set_free(struct il__policy_set *set)
{
    if (!set || --set->holders) return;
    for (size_t i = 0; i < set->count; i++) il__bundle_free(set->bundles[i]);
    il__arena_clear(&set->arena);
    il__mem_free(set->options.mem, set, sizeof *set);
}
