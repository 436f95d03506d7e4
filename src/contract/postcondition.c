/* The rows of a postcondition, each for the kinds it belongs to, and its rules. Uses the schema engine. */
#include "contract/postcondition.h"

#include "contract/rows.h"

const char *const il__pc_kind_names[] = { "ui_element", "filesystem", "registry", "process", "window", NULL };
IL__NAMES_MATCH(il__pc_kind_names, IL__PC_COUNT);

struct il_str il__postcondition_digest(const struct il__postcondition *pc)
{
    return il__str_present(pc->value_digest) ? pc->value_digest : pc->content_digest;
}

static enum il_code postcondition_rules(const void *obj, const struct il__where *where)
{
    const struct il__postcondition *pc = obj;
    if (pc->kind == IL__PC_UI_ELEMENT && pc->role.len == 0 && pc->label.len == 0)
        return il__broken(where, IL_DECODE, "role", "a role or a label", "neither");
    if (pc->kind == IL__PC_PROCESS && pc->running)
        return il__broken(where, IL_DECODE, "running", "false", "true");
    if (pc->kind != IL__PC_PROCESS && !pc->exists && il__str_present(il__postcondition_digest(pc))) {
        const char *member = il__str_present(pc->value_digest) ? "valueDigest" : "contentDigest";
        return il__broken(where, IL_DECODE, member, "no digest where exists is false", "one");
    }
    return IL_OK;
}

enum {
    UI = 1 << IL__PC_UI_ELEMENT, FILES = 1 << IL__PC_FILESYSTEM, REGISTRY = 1 << IL__PC_REGISTRY,
    PROCESS = 1 << IL__PC_PROCESS, WINDOW = 1 << IL__PC_WINDOW
};
#define KIND_ROW(kinds, m, wire_name, kind_, flags_, least_, most_, about_)                                          \
    { .wire = (wire_name), .lua = #m, .kind = (kind_), .flags = (flags_),                                            \
      .offset = offsetof(struct il__postcondition, m), .least = (least_), .most = (most_), .when = (kinds),          \
      .about = (about_) }

static const struct il__field postcondition_fields[] = {
    IL__ENUM_ROW(il__postcondition, kind, "kind", 0, il__pc_kind_names, "What is looked at."),
    KIND_ROW(UI, role, "role", IL__F_STR, IL__F_OPT, 0, 0, "The role of the element."),
    KIND_ROW(UI, label, "label", IL__F_STR, IL__F_OPT, 0, 0, "The label of the element."),
    KIND_ROW(FILES | REGISTRY, path, "path", IL__F_STR, 0, 0, 0, "The file, or the registry key."),
    KIND_ROW(REGISTRY, name, "name", IL__F_STR, 0, 0, 0, "The value below the registry key."),
    KIND_ROW(PROCESS, pid, "pid", IL__F_INT, 0, 1, IL__COUNT_MAX, "The process."),
    KIND_ROW(PROCESS, running, "running", IL__F_BOOL, 0, 0, 0, "Always false: the process has ended."),
    KIND_ROW(WINDOW, window_id, "windowId", IL__F_INT, 0, 0, IL__COUNT_MAX, "The window."),
    KIND_ROW(UI | FILES | REGISTRY | WINDOW, exists, "exists", IL__F_BOOL, 0, 0, 0, "Whether it must be there."),
    KIND_ROW(UI | REGISTRY, value_digest, "valueDigest", IL__F_STR, IL__F_OPT | IL__F_SHA256, 0, 0,
             "Digest of the value it must have."),
    KIND_ROW(FILES, content_digest, "contentDigest", IL__F_STR, IL__F_OPT | IL__F_SHA256, 0, 0,
             "Digest of the content it must have."),
    IL__END_ROW,
};
const struct il__schema il__postcondition_schema = {
    .object = "action postcondition", .size = sizeof(struct il__postcondition), .closed = true,
    .fields = postcondition_fields, .rules = postcondition_rules,
};
