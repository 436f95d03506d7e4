/* Coverage of policies (policy_cover.h): per file of the bundles the lines and verdicts that there are, and a mark at
 * each that was reached. Files are known by the name they have in messages, "bundle/path". */
#include "host/policy_cover.h"

#include "base/error.h"
#include "script/syntax_places.h"
#include "script/verdict_sites.h"

enum { FILES_MOST = IL__LIMIT_BUNDLES * IL__LIMIT_BUNDLE_FILES };

struct covered {
    const char *label;
    struct il__lines lines;
    bool *line_hit;            /* by index of `lines` */
    struct il__verdict_sites sites;
    bool *site_hit;
};

struct il__coverage {
    struct il__mem *mem;
    struct il__arena arena;
    struct covered *files;
    size_t count, bundles; /* bundles that were taken in */
    size_t last;           /* the file asked for last */
};

static enum il_code no_memory(struct il_error *err)
{
    return il__fail(err, IL_OUT_OF_MEMORY, "no memory for coverage");
}

static enum il_code add_file(struct il__coverage *c, const char *label, struct il_str source, struct il_error *err)
{
    struct covered *f = &c->files[c->count];
    struct il__syntax *s = NULL;
    enum il_code code = il__syntax_parse(c->mem, source, &s, NULL, err);
    if (code) return code;
    *f = (struct covered){ .label = label };
    bool good = il__syntax_lines(s, &c->arena, &f->lines) && il__verdict_sites(s, &c->arena, &f->sites);
    il__syntax_free(s);
    if (!good) return no_memory(err);
    f->line_hit = il__arena_alloc(&c->arena, f->lines.count + 1);
    f->site_hit = il__arena_alloc(&c->arena, f->sites.count + 1);
    if (!f->line_hit || !f->site_hit) return no_memory(err);
    c->count++;
    return IL_OK;
}

static enum il_code add_bundle(struct il__coverage *c, const struct il__bundle *b, struct il_error *err)
{
    enum il_code code = IL_OK;
    for (size_t i = 0; i < b->policy_count && !code; i++)
        code = add_file(c, b->policies[i].label, b->policies[i].source, err);
    for (size_t i = 0; i < b->modules.count && !code; i++)
        code = add_file(c, b->modules.items[i].file, b->modules.items[i].source, err);
    if (!code) c->bundles++;
    return code;
}

enum il_code il__coverage_of(il_policy *policy, struct il_error *err)
{
    struct il__coverage *c = policy->coverage;
    const struct il__bundle *b;
    enum il_code code = IL_OK;
    if (!c) {
        c = il__mem_zalloc(&policy->mem, 1, sizeof *c);
        if (!c) return no_memory(err);
        policy->coverage = c;
        c->mem = &policy->mem;
        il__arena_init(&c->arena, c->mem);
        c->files = il__arena_alloc(&c->arena, FILES_MOST * sizeof *c->files);
    }
    if (!c->files) return no_memory(err);
    while (!code && (b = il__policy_set_bundle(policy->set, c->bundles)) != NULL) code = add_bundle(c, b, err);
    return code;
}

void il__coverage_free(struct il__coverage *c)
{
    if (!c) return;
    struct il__mem *mem = c->mem;
    il__arena_clear(&c->arena);
    il__mem_free(mem, c, sizeof *c);
}

static struct covered *file_named(struct il__coverage *c, const char *label, size_t len)
{
    for (size_t n = 0; n < c->count; n++) {
        size_t i = (c->last + n) % c->count;
        if (strlen(c->files[i].label) != len || memcmp(c->files[i].label, label, len) != 0) continue;
        c->last = i;
        return &c->files[i];
    }
    return NULL;
}

void il__coverage_line(void *ctx, const char *file, int line)
{
    struct covered *f = file_named(ctx, file, strlen(file));
    size_t low = 0, high = f ? f->lines.count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((int)f->lines.items[middle] < line) low = middle + 1;
        else high = middle;
    }
    if (f && low < f->lines.count && (int)f->lines.items[low] == line) f->line_hit[low] = true;
}

/* Does a call of this verdict stand on the line? */
static bool is_call(const struct covered *f, const struct il__said *said)
{
    for (size_t i = 0; i < f->sites.count; i++) {
        const struct il__verdict_site *site = &f->sites.items[i];
        if (site->verdict == said->verdict && !site->elsewhere && (int)site->line == said->line) return true;
    }
    return false;
}

/* A verdict that no call on its line makes was made by a function that was taken somewhere in the file. */
void il__coverage_said(struct il__coverage *c, const struct il__opinion *item)
{
    const struct il__said *said = &item->said;
    bool nothing = said->verdict == IL__VERDICT_NONE;
    struct il_str label = nothing || !il__str_present(said->file) ? il__str(item->policy->label) : said->file;
    struct covered *f = said->error ? NULL : file_named(c, label.ptr, label.len);
    bool call = f && !nothing && is_call(f, said);
    for (size_t i = 0; f && i < f->sites.count; i++) {
        const struct il__verdict_site *site = &f->sites.items[i];
        if (site->verdict != said->verdict) continue;
        if (nothing) f->site_hit[i] |= site->phase == (int)item->phase;
        else f->site_hit[i] |= call ? !site->elsewhere && (int)site->line == said->line : site->elsewhere;
    }
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

static size_t hits(const bool *hit, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) n += hit[i];
    return n;
}

static void write_counts(struct il__json_writer *w, size_t covered, size_t total)
{
    il__jw_object(w);
    il__jw_member_int(w, "covered", (int64_t)covered);
    il__jw_member_int(w, "total", (int64_t)total);
}

static void write_file(const struct covered *f, struct il__json_writer *w)
{
    il__jw_object(w);
    il__jw_member_z(w, "file", f->label);
    il__jw_key(w, "lines");
    write_counts(w, hits(f->line_hit, f->lines.count), f->lines.count);
    il__jw_key(w, "missed");
    il__jw_array(w);
    for (size_t i = 0; i < f->lines.count; i++)
        if (!f->line_hit[i]) il__jw_int(w, f->lines.items[i]);
    il__jw_array_end(w);
    il__jw_object_end(w);
    il__jw_key(w, "verdicts");
    write_counts(w, hits(f->site_hit, f->sites.count), f->sites.count);
    il__jw_key(w, "missed");
    il__jw_array(w);
    for (size_t i = 0; i < f->sites.count; i++) {
        const struct il__verdict_site *site = &f->sites.items[i];
        if (f->site_hit[i]) continue;
        il__jw_object(w);
        il__jw_member_int(w, "line", site->line);
        if (site->phase >= 0) il__jw_member_z(w, "phase", il__phase_names[site->phase]);
        il__jw_member_z(w, "verdict", il__verdict_names[site->verdict]);
        il__jw_object_end(w);
    }
    il__jw_array_end(w);
    il__jw_object_end(w);
    il__jw_object_end(w);
}

void il__coverage_write(const struct il__coverage *c, struct il__json_writer *w)
{
    size_t lines = 0, line_total = 0, sites = 0, site_total = 0;
    il__jw_object(w);
    il__jw_key(w, "files");
    il__jw_array(w);
    for (size_t i = 0; i < c->count; i++) {
        const struct covered *f = &c->files[i];
        lines += hits(f->line_hit, f->lines.count);
        line_total += f->lines.count;
        sites += hits(f->site_hit, f->sites.count);
        site_total += f->sites.count;
        write_file(f, w);
    }
    il__jw_array_end(w);
    il__jw_key(w, "lines");
    write_counts(w, lines, line_total);
    il__jw_object_end(w);
    il__jw_key(w, "verdicts");
    write_counts(w, sites, site_total);
    il__jw_object_end(w);
    il__jw_object_end(w);
}
