/* What must hold after the action (SPEC §2): closed, and by `kind` another set of members. Uses the schema engine.
 * A digest without `exists`, and a process that should still run, have no form here: neither decoded nor encoded. */
#ifndef IL_CONTRACT_POSTCONDITION_H
#define IL_CONTRACT_POSTCONDITION_H

#include "contract/schema.h"

enum il__pc_kind {
    IL__PC_UI_ELEMENT, IL__PC_FILESYSTEM, IL__PC_REGISTRY, IL__PC_PROCESS, IL__PC_WINDOW, IL__PC_COUNT
};
extern const char *const il__pc_kind_names[];

struct il__postcondition {
    int kind;                    /* enum il__pc_kind; the members below belong to the kinds named */
    struct il_str role, label;   /* ui_element; at least one is there */
    struct il_str path;          /* filesystem, registry */
    struct il_str name;          /* registry */
    bool exists;                 /* all but process */
    struct il_str value_digest;  /* ui_element, registry; "sha256:" and 64 hex */
    struct il_str content_digest; /* filesystem */
    int64_t pid;                 /* process; at least 1 */
    bool running;                /* process; always false */
    int64_t window_id;           /* window; at least 0 */
};
extern const struct il__schema il__postcondition_schema;

/* The digest that is declared, whatever its name; absent when there is none. */
struct il_str il__postcondition_digest(const struct il__postcondition *pc);

#endif
