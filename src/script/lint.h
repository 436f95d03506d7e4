/* What can be seen to be wrong in a policy bundle without running it: names that do not exist, fields of another phase,
 * verdicts that are dropped, rules that never decide. Works on bundles that do not load. Uses syntax.h, and the tables
 * that the bindings are made from. Runs no script; must never report what may be right: a rule that cannot be sure is
 * silent. */
#ifndef IL_SCRIPT_LINT_H
#define IL_SCRIPT_LINT_H

#include "wire/json_write.h"

enum il__severity { IL__LINT_ERROR, IL__LINT_WARNING };

/* X(constant, "rule id", severity, "what it finds") */
#define IL__LINT_RULES(X)                                                                                            \
    X(SYNTAX, "syntax", ERROR, "A source that is no Lua, or that the host does not admit.")                          \
    X(BUNDLE, "bundle", ERROR, "A bundle.json that does not read, or does not fit its files.")                       \
    X(UNKNOWN_GLOBAL, "unknown-global", ERROR, "A global that is not there.")                                        \
    X(UNKNOWN_FIELD, "unknown-field", ERROR, "A member that action, ctx, a view or a library does not have.")        \
    X(PHASE_FIELD, "phase-field", ERROR, "A member that is not there in this phase.")                                \
    X(READ_ONLY, "read-only", ERROR, "Something is assigned to action, ctx or a view.")                              \
    X(COLON, "colon", ERROR, "A function of policy or ctx is called with a colon.")                                  \
    X(POLICY_SHAPE, "policy-shape", ERROR, "A declaration with an unknown phase or name, or without any.")           \
    X(NO_POLICY, "no-policy", ERROR, "A policy file that returns no policy.")                                        \
    X(UNKNOWN_OPTION, "unknown-option", ERROR, "An option that the function does not have.")                         \
    X(NO_REASON, "no-reason", ERROR, "A verdict without a reason.")                                                  \
    X(DROPPED_VERDICT, "dropped-verdict", ERROR, "A verdict that is made and not returned.")                         \
    X(NOT_A_VERDICT, "not-a-verdict", ERROR, "A phase that returns something else than a verdict.")                  \
    X(ASK_DENIES, "ask-denies", WARNING, "An ask in a phase where it counts as a deny.")                             \
    X(UNKNOWN_PARAM, "unknown-param", ERROR, "A parameter that bundle.json does not declare.")                       \
    X(UNUSED_PARAM, "unused-param", WARNING, "A parameter that nothing reads.")                                      \
    X(UNKNOWN_TEXT, "unknown-text", WARNING, "A comparison with a text that the field never has.")                   \
    X(UNKNOWN_MODULE, "unknown-module", ERROR, "A module that the bundle does not have.")                            \
    X(UNUSED_FILE, "unused-file", WARNING, "A listed file that nothing requires.")                                   \
    X(GLOBAL_WRITE, "global-write", WARNING, "A global that is set: `local` is missing.")                            \
    X(UNUSED_LOCAL, "unused-local", WARNING, "A local that nothing reads.")                                          \
    X(SHADOW, "shadow", WARNING, "A local that hides another one, or a global.")                                     \
    X(DEAD_CODE, "dead-code", WARNING, "Statements that are never reached.")                                         \
    X(CONSTANT_CONDITION, "constant-condition", WARNING, "A condition that is always true, or always false.")        \
    X(REPEATED_CONDITION, "repeated-condition", WARNING, "A rule whose condition an earlier one has taken.")         \
    X(ENDLESS_LOOP, "endless-loop", ERROR, "A loop that nothing ends.")                                              \
    X(LOSSY_LENGTH, "lossy-length", WARNING, "The length of a list that may have lost elements.")

enum il__lint_rule {
#define IL__X(constant, id, severity, about) IL__LINT_##constant,
    IL__LINT_RULES(IL__X)
#undef IL__X
    IL__LINT_RULE_COUNT
};
const char *il__lint_id(enum il__lint_rule rule);
const char *il__lint_about(enum il__lint_rule rule);
enum il__severity il__lint_severity(enum il__lint_rule rule);

struct il__finding {
    enum il__lint_rule rule;
    struct il_str file;                         /* its path in the bundle */
    uint32_t line, column, end_line, end_column; /* from 1, in code points; the end excluded */
    struct il_str message, fix;                 /* what is wrong; what to write, may be empty */
};
/* In the order of the files, and of the places in them. `more`: findings past lint_findings that are left out. */
struct il__findings { const struct il__finding *items; size_t count, more; };

/* Looks at one bundle: `files` is all that lies in its folder. Everything lies in `arena`, which must outlive nothing
 * of `files`. out_of_memory, or limit_exceeded (bundle_files). Findings are no error. */
enum il_code il__lint_bundle(struct il__arena *arena, const struct il_file *files, size_t count,
                             struct il__findings *out, struct il_error *err) IL_MUST_USE;

/* Writing findings (lint_write.c). `label` is put in front of the file names, with a slash; empty: nothing is. */
struct il__linted { struct il_str label; struct il__findings findings; };
void il__lint_text(const struct il__linted *items, size_t n, struct il__buf *out);
void il__lint_json(const struct il__linted *items, size_t n, struct il__buf *out);
/* SARIF 2.1.0. */
void il__lint_sarif(const struct il__linted *items, size_t n, struct il__buf *out);

#endif
