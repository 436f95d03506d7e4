/* The digests of an action, see args_digest.h. Writes the runtime's digest text piece by piece: it is no JSON, since
 * what is absent stands there as the bare word `undefined`. Must never guess: a member name whose place in the
 * runtime's order is not known makes the rule not computable here. */
#include "check/args_digest.h"

#include "base/limits.h"
#include "wire/canon.h"

enum { TEXT_MAX = 8 * IL__LIMIT_CONTRACT_BYTES }; /* numbers may be longer in their canonical form */

struct work {
    struct il__json *doc;
    struct il__buf text;
    struct il_error err;
};

/* The names that the contract gives an object, in the runtime's order (which is byte order for them). */
static const char *const target_names[] = {
    "appId", "bounds", "capturedAt", "confidence", "displayId", "labelDigest", "observationId", "pid", "platform",
    "role", "screenshotHash", "uiTreeRevision", "windowId", "windowTitleDigest", NULL
};
static const char *const sensitivity_names[] = { "assessment", "fieldsChecked", "signals", "source", NULL };
static const char *const resource_names[] = {
    "browserDomain", "filesystemDestination", "filesystemPath", "processId", "processName", "registryPath",
    "targetAppId", "targetWindowId", NULL
};
static const char *const provenance_names[] = {
    "crossesDataBoundary", "sourceObservationIds", "untrustedInstruction", NULL
};
static const char *const postcondition_names[] = {
    "contentDigest", "exists", "kind", "label", "name", "path", "pid", "role", "running", "valueDigest", "windowId",
    NULL
};

/* Member `name` with null taken for absence, as everywhere in the contract; 0 when absent. */
static uint32_t member(const struct il__json *doc, uint32_t object, const char *name)
{
    uint32_t at = il__json_get(doc, object, name);
    return at && il__json_kind(doc, at) != IL__JSON_NULL ? at : 0;
}

static uint32_t count_known(const struct il__json *doc, uint32_t object, const char *const *names)
{
    uint32_t n = 0;
    for (size_t i = 0; names[i]; i++) n += il__json_get(doc, object, names[i]) != 0;
    return n;
}

/* One value whose own member names, if any, are plain. */
static enum il_code add_value(struct work *w, uint32_t at)
{
    return il__canon_runtime(w->doc, at, &w->text, &w->err);
}

/* An object with exactly the names that the contract knows; `skip` (may be NULL) is left out of the text. */
static enum il_code add_object(struct work *w, uint32_t object, const char *const *names, const char *skip)
{
    bool first = true;
    if (il__json_kind(w->doc, object) != IL__JSON_OBJECT) return IL_UNSUPPORTED;
    uint32_t known = count_known(w->doc, object, names) + (skip && il__json_get(w->doc, object, skip) ? 1 : 0);
    if (known != il__json_at(w->doc, object)->count) return IL_UNSUPPORTED;
    il__buf_putc(&w->text, '{');
    for (size_t i = 0; names[i]; i++) {
        uint32_t at = member(w->doc, object, names[i]);
        if (!at) continue;
        il__buf_printf(&w->text, "%s\"%s\":", first ? "" : ",", names[i]);
        first = false;
        enum il_code code = add_value(w, at);
        if (code != IL_OK) return code;
    }
    il__buf_putc(&w->text, '}');
    return IL_OK;
}

/* A part of the envelope that may be absent; then `absent` stands in its place. */
static enum il_code add_part(struct work *w, uint32_t env, const char *name, const char *const *names,
                             const char *skip, const char *absent)
{
    uint32_t at = member(w->doc, env, name);
    il__buf_printf(&w->text, ",\"%s\":", name);
    if (at) return add_object(w, at, names, skip);
    il__buf_puts(&w->text, absent);
    return IL_OK;
}

/* A member that every envelope has. `label` is its name in the digest text. */
static enum il_code add_member(struct work *w, uint32_t env, const char *label, const char *name)
{
    uint32_t at = member(w->doc, env, name);
    if (!at) return IL_UNSUPPORTED;
    il__buf_printf(&w->text, ",\"%s\":", label);
    return add_value(w, at);
}

static enum il_code add_arguments(struct work *w, struct il__any arguments)
{
    il__buf_puts(&w->text, "{\"args\":");
    if (arguments.doc) return il__canon_runtime(arguments.doc, arguments.at, &w->text, &w->err);
    il__buf_puts(&w->text, "{}");
    return IL_OK;
}

static enum il_code add_all(struct work *w, uint32_t env, struct il__any arguments)
{
    enum il_code code = add_arguments(w, arguments);
    if (code == IL_OK) code = add_member(w, env, "dataLabels", "dataLabels");
    if (code == IL_OK) code = add_member(w, env, "mode", "requestedMode");
    if (code == IL_OK) code = add_member(w, env, "operation", "operation");
    if (code == IL_OK) code = add_part(w, env, "postcondition", postcondition_names, NULL, "undefined");
    if (code == IL_OK) code = add_part(w, env, "provenance", provenance_names, NULL, "undefined");
    if (code == IL_OK) code = add_part(w, env, "resource", resource_names, NULL, "{}");
    if (code == IL_OK) code = add_part(w, env, "target", target_names, NULL, "undefined");
    if (code == IL_OK) code = add_part(w, env, "targetSensitivity", sensitivity_names, "observedAt", "undefined");
    if (code == IL_OK) code = add_member(w, env, "tool", "tool");
    il__buf_putc(&w->text, '}');
    return code == IL_OK ? il__buf_check(&w->text, &w->err) : code;
}

enum il_code il__args_digest(struct il__digest *d, struct il__mem *mem, struct il__json *doc, uint32_t env_node,
                             struct il__any arguments, char hex[IL__SHA256_HEX], struct il_error *err)
{
    struct work w = { .doc = doc, .err = IL_ERROR_INIT };
    il__buf_init(&w.text, mem, TEXT_MAX);
    enum il_code code = add_all(&w, env_node, arguments);
    if (code == IL_OK) il__sha256_hex(d, il__buf_get(&w.text), hex);
    il__buf_clear(&w.text);
    if (code != IL_OK && code != IL_UNSUPPORTED && err && err->code == IL_OK) *err = w.err;
    return code;
}

enum il_code il__canon_digest(struct il__digest *d, struct il__mem *mem, struct il_str json, char hex[IL__SHA256_HEX],
                              struct il_error *err)
{
    struct il__json doc = { .nodes = NULL };
    struct il__buf text;
    enum il_code code = il__json_parse(&doc, mem, json, IL__JSON_PAYLOAD, err);
    if (code != IL_OK) return code;
    il__buf_init(&text, mem, 4 * (size_t)IL__LIMIT_RESULT_BYTES);
    code = il__canon(&doc, 0, &text, err);
    if (code == IL_OK) code = il__buf_check(&text, err);
    if (code == IL_OK) il__sha256_hex(d, il__buf_get(&text), hex);
    il__buf_clear(&text);
    il__json_clear(&doc);
    return code;
}
