/* The chain of one run (chain.h). */
#include "evidence/chain.h"

#include "base/error.h"
#include "base/limits.h"

void il__chain_init(struct il__chain *chain, struct il__mem *mem, struct il__digest *digest)
{
    *chain = (struct il__chain){ .mem = mem, .digest = digest };
}

void il__chain_clear(struct il__chain *chain)
{
    il__mem_free(chain->mem, chain->hashes, chain->cap * sizeof *chain->hashes);
    chain->hashes = NULL;
    chain->count = chain->cap = 0;
}

void il__chain_begin(struct il__chain *chain, struct il_str run_id)
{
    chain->run_id = run_id;
    chain->count = 0;
    chain->fence = 0;
}

/* ---- lines ---- */

enum il_code il__chain_open(struct il__chain_line *line, struct il__mem *mem, struct il_str text, const char **flaw,
                            struct il_error *err)
{
    struct il_error why = IL_ERROR_INIT;
    line->doc = (struct il__json){ 0 };
    enum il_code code = il__json_parse(&line->doc, mem, text, IL__JSON_CONTRACT, &why);
    if (code == IL_OUT_OF_MEMORY) {
        if (err) *err = why;
        return code;
    }
    if (code || il__json_kind(&line->doc, 0) != IL__JSON_OBJECT) *flaw = "its text is no JSON object";
    else line->members = il__json_at(&line->doc, 0)->count;
    return IL_OK;
}

struct il_str il__chain_text(struct il__chain_line *line, uint32_t at, const char *name)
{
    struct il_str text;
    uint32_t node = il__json_get(&line->doc, at, name);
    if (!node || il__json_kind(&line->doc, node) != IL__JSON_STRING) return IL_STR_NONE;
    return il__json_string(&line->doc, node, &text, NULL) ? IL_STR_NONE : text;
}

bool il__chain_int(const struct il__chain_line *line, uint32_t at, const char *name, int64_t *out)
{
    uint32_t node = il__json_get(&line->doc, at, name);
    return node && il__json_int(&line->doc, node, out);
}

bool il__chain_is_hash(struct il__chain_line *line, uint32_t at, const char *name,
                       const uint8_t hash[IL__SHA256_BYTES])
{
    char hex[IL__SHA256_HEX];
    il__hex(hash, IL__SHA256_BYTES, hex);
    return il__str_eq(il__chain_text(line, at, name), il__str(hex));
}

bool il__chain_unhex(struct il_str hex, uint8_t out[IL__SHA256_BYTES])
{
    if (!il__str_is_hex(hex, (size_t)2 * IL__SHA256_BYTES)) return false;
    for (size_t i = 0; i < IL__SHA256_BYTES; i++) {
        unsigned high = (unsigned char)hex.ptr[2 * i], low = (unsigned char)hex.ptr[2 * i + 1];
        high = high <= '9' ? high - '0' : high - 'a' + 10;
        low = low <= '9' ? low - '0' : low - 'a' + 10;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

bool il__chain_payload(struct il__chain_line *line, struct il__digest *digest, struct il_str payload)
{
    uint8_t hash[IL__SHA256_BYTES];
    if (!il__str_present(payload)) return !il__json_get(&line->doc, 0, "payload");
    il__sha256(digest, payload, hash);
    return il__chain_is_hash(line, 0, "payload", hash);
}

enum il_code il__chain_grow(struct il__mem *mem, void **items, size_t *cap, size_t count, size_t size,
                            struct il_error *err)
{
    if (count < *cap) return IL_OK;
    size_t more = *cap ? *cap * 2 : 64;
    void *grown = il__mem_resize(mem, *items, *cap * size, more * size);
    if (!grown) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for an audit");
    *items = grown;
    *cap = more;
    return IL_OK;
}

/* ---- records ---- */

static bool known_members(struct il__chain_line *line)
{
    int64_t boot;
    uint32_t body = il__json_get(&line->doc, 0, "body");
    bool payload = il__json_get(&line->doc, 0, "payload") != 0;
    return body && il__json_kind(&line->doc, body) == IL__JSON_OBJECT && il__chain_int(line, 0, "boot", &boot) &&
           il__str_present(il__chain_text(line, 0, "bootId")) && il__chain_text(line, 0, "kind").len &&
           line->members == (payload ? 10u : 9u);
}

static const char *look(struct il__chain *chain, const struct il__store_record *r, struct il__chain_line *line,
                        struct il__instant *at, int64_t *fence)
{
    int64_t seq = -1;
    bool first = !chain->count;
    if (!known_members(line)) return "its members are not those of a record";
    if (!il__str_eq(il__chain_text(line, 0, "run"), chain->run_id)) return "it belongs to another run";
    if (!il__chain_int(line, 0, "seq", &seq) || seq != (int64_t)chain->count || r->seq != chain->count)
        return "its number is not the next one";
    if (first ? !il__str_eq(il__chain_text(line, 0, "prev"), IL_STR(""))
              : !il__chain_is_hash(line, 0, "prev", chain->hashes[chain->count - 1]))
        return "it does not follow the record before it";
    if (!il__chain_payload(line, chain->digest, r->payload)) return "its payload is another";
    if (!il__chain_int(line, 0, "fence", fence) || *fence < 1 || *fence < chain->fence || (uint64_t)*fence != r->fence)
        return "its fence is lower than before, or another";
    if (!il__rfc3339_parse(il__chain_text(line, 0, "at"), at, NULL)) return "its time cannot be read";
    return NULL;
}

enum il_code il__chain_add(struct il__chain *chain, const struct il__store_record *r, const char **flaw,
                           struct il_error *err)
{
    struct il__chain_line line;
    struct il__instant at = { 0, 0 };
    uint8_t hash[IL__SHA256_BYTES];
    int64_t fence = 0;
    *flaw = NULL;
    il__sha256(chain->digest, r->text, hash);
    if (memcmp(hash, r->hash, sizeof hash) != 0) *flaw = "its text is not the one that was hashed";
    if (chain->count >= IL__LIMIT_RUN_RECORDS + IL__LIMIT_TRIAL_RECORDS) *flaw = "a run has no record of that number";
    if (*flaw) return IL_OK;
    enum il_code code = il__chain_open(&line, chain->mem, r->text, flaw, err);
    if (!code && !*flaw) *flaw = look(chain, r, &line, &at, &fence);
    il__json_clear(&line.doc);
    if (!code && !*flaw)
        code = il__chain_grow(chain->mem, (void **)&chain->hashes, &chain->cap, chain->count, sizeof *chain->hashes,
                              err);
    if (code || *flaw) return code;
    memcpy(chain->hashes[chain->count++], hash, sizeof hash);
    chain->fence = fence;
    if (il__instant_cmp(at, chain->latest) > 0) chain->latest = at;
    return IL_OK;
}
