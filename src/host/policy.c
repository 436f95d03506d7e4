/* The public handle of policies without a host: bundles are added as to a host, cases are judged and compared. Each
 * text that is handed out belongs to the handle until the next one. */
#include "host/policy.h"

#include "base/error.h"
#include "host/bundle_dir.h"
#include "host/policy_cover.h"
#include "wire/canon.h"

enum { FLAGS = IL_POLICY_TRACE | IL_POLICY_COVERAGE };

enum il_code il_policy_new(const struct il_policy_options *options, il_policy **out, struct il_error *err)
{
    il__error_clear(err);
    if (!options || options->size != sizeof *options)
        return il__fail_at(err, IL_INVALID_REQUEST, "policy options", "size", "use IL_POLICY_OPTIONS_INIT");
    struct il__mem mem;
    il__mem_init(&mem, options->alloc, options->alloc_ctx, 0);
    il_policy *p = il__mem_zalloc(&mem, 1, sizeof *p);
    if (!p) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for policies");
    p->mem = mem;
    il__clock_init(&p->clock, NULL, NULL, NULL);
    p->log = (struct il__log){ options->log, options->log_ctx };
    il__buf_init(&p->out, &p->mem, 0);
    p->digest = il__digest_new(&p->mem);
    p->trust.mem = &p->mem;
    const struct il__policy_set_options set = {
        .mem = &p->mem, .clock = &p->clock, .digest = p->digest, .log = options->log ? &p->log : NULL,
        .admit = il__bundle_trust_check, .admit_ctx = &p->trust,
    };
    enum il_code code = p->digest ? il__policy_set_new(&set, &p->set, err)
                                  : il__fail(err, IL_OUT_OF_MEMORY, "no memory for policies");
    if (code) il_policy_free(p);
    else *out = p;
    return code;
}

void il_policy_free(il_policy *p)
{
    if (!p) return;
    struct il__mem mem = p->mem;
    il__policy_set_free(p->set);
    il__coverage_free(p->coverage);
    if (p->probe) il__buf_clear(&p->probe->scratch);
    il__mem_free(&p->mem, p->probe, sizeof *p->probe);
    il__digest_free(p->digest);
    il__buf_clear(&p->out);
    mem.in_use_bytes = p->mem.in_use_bytes;
    il__mem_free(&mem, p, sizeof *p);
}

enum il_code il_policy_trust_bundles(il_policy *p, const struct il_str *keys, size_t count, struct il_error *err)
{
    il__error_clear(err);
    if (il__policy_set_bundle(p->set, 0))
        return il__fail(err, IL_CONFLICT, "say whose bundles are trusted before the first of them");
    return il__bundle_trust_set(&p->trust, &p->mem, keys, count, err);
}

enum il_code il_policy_add(il_policy *p, const struct il_file *files, size_t count, struct il_str params_json,
                           struct il_error *err)
{
    il__error_clear(err);
    return il__policy_set_add(p->set, files, count, params_json, err);
}

enum il_code il_policy_add_dir(il_policy *p, struct il_str path, struct il_str params_json, struct il_error *err)
{
    struct il__bundle_dir dir;
    il__error_clear(err);
    enum il_code code = il__bundle_path_read(&p->mem, path, &dir, err);
    if (code) return code;
    code = il__policy_set_add(p->set, dir.files, dir.count, params_json, err);
    il__bundle_dir_clear(&dir);
    return code;
}

struct il_str il_policy_digest(const il_policy *p)
{
    const struct il__policies port = il__policy_set_port(p->set);
    return port.digest(port.ctx);
}

enum il_code il__policy_hand_out(il_policy *p, struct il__buf *buf, struct il_str *out, struct il_error *err)
{
    struct il__json doc = { 0 };
    il__buf_reset(&p->out);
    enum il_code code = il__buf_check(buf, err);
    if (!code) code = il__json_parse(&doc, &p->mem, il__buf_get(buf), IL__JSON_PAYLOAD, err);
    if (!code) code = il__canon(&doc, 0, &p->out, err);
    if (!code) code = il__buf_check(&p->out, err);
    if (!code) *out = il__buf_get(&p->out);
    il__json_clear(&doc);
    return code;
}

enum il_code il_policy_eval(il_policy *p, struct il_str case_json, unsigned flags, struct il_str *out,
                            struct il_error *err)
{
    struct il__case c;
    struct il__judgement j;
    struct il__buf buf;
    struct il__json_writer w;
    il__error_clear(err);
    il__buf_init(&buf, &p->mem, 0);
    il__jw_init(&w, &buf);
    enum il_code code = il__case_read(&p->mem, case_json, flags, &c, err);
    if (!code) {
        code = il__policy_judge(p, &c, flags & FLAGS, &j, err);
        if (!code) il__judgement_write(p, &c, &j, &w);
        if (!code) code = il__policy_hand_out(p, &buf, out, err);
        il__judgement_clear(&j);
    }
    il__case_clear(&c);
    il__buf_clear(&buf);
    return code;
}

static bool write_check(il_policy *p, const struct il__case *c, const struct il__judgement *j,
                        struct il__json_writer *w)
{
    il__jw_object(w);
    il__jw_key(w, "differs");
    bool passed = il__policy_compare(c, j, w);
    il__jw_key(w, "got");
    il__judgement_write(p, c, j, w);
    il__jw_member_str(w, "name", c->given.name);
    il__jw_member_bool(w, "passed", passed);
    il__jw_object_end(w);
    return passed;
}

enum il_code il_policy_check(il_policy *p, struct il_str case_json, unsigned flags, bool *passed, struct il_str *out,
                             struct il_error *err)
{
    struct il__case c;
    struct il__judgement j;
    struct il__buf buf;
    struct il__json_writer w;
    bool good = false;
    il__error_clear(err);
    il__buf_init(&buf, &p->mem, 0);
    il__jw_init(&w, &buf);
    enum il_code code = il__case_read(&p->mem, case_json, flags, &c, err);
    if (!code) {
        code = il__policy_judge(p, &c, flags & FLAGS, &j, err);
        if (!code) good = write_check(p, &c, &j, &w);
        if (!code) code = il__policy_hand_out(p, &buf, out, err);
        il__judgement_clear(&j);
    }
    if (!code && passed) *passed = good;
    il__case_clear(&c);
    il__buf_clear(&buf);
    return code;
}

enum il_code il_policy_coverage(il_policy *p, struct il_str *out, struct il_error *err)
{
    struct il__buf buf;
    struct il__json_writer w;
    il__error_clear(err);
    il__buf_init(&buf, &p->mem, 0);
    il__jw_init(&w, &buf);
    enum il_code code = il__coverage_of(p, err);
    if (!code) il__coverage_write(p->coverage, &w);
    if (!code) code = il__policy_hand_out(p, &buf, out, err);
    il__buf_clear(&buf);
    return code;
}
