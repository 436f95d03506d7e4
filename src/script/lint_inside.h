/* What the files of lint share. Nobody else includes it.
 * lint.c reads the bundle and keeps the findings; lint_types.c knows what expressions are; the others are the rules. */
#ifndef IL_SCRIPT_LINT_INSIDE_H
#define IL_SCRIPT_LINT_INSIDE_H

#include "script/globals.h"
#include "script/kinds.h"
#include "script/lint.h"
#include "script/near.h"
#include "script/syntax.h"

enum il__lint_what {
    IL__LINT_UNKNOWN,
    IL__LINT_OBJECT,  /* `object`; ctx: in `phases` */
    IL__LINT_VIEW,    /* of `schema` */
    IL__LINT_ACTION,  /* as in `phases` */
    IL__LINT_NAMES,   /* a text that is one of `names` */
    IL__LINT_LIBRARY, /* `library` */
    IL__LINT_MEMBER   /* `member` of an object, a function */
};

struct il__lint_type {
    enum il__lint_what what;
    unsigned phases; /* bit per enum il__phase */
    const struct il__object *object;
    const struct il__schema *schema;
    const char *const *names;
    const struct il__global *library;
    const struct il__member *member;
};

struct il__lint_param {
    struct il_str name;
    uint32_t line, column; /* in bundle.json */
    bool used;
};

struct il__lint_file {
    struct il_str path, source;
    bool test;               /* NAME_test.lua */
    bool policy;             /* bundle.json lists it as one */
    bool listed, required;
    uint32_t line, column;   /* where bundle.json lists it */
    struct il__lint_param *params;
    size_t param_count;
    bool params_escape;      /* ctx.params, or ctx, is handed to something unknown */
    /* while it is looked at */
    struct il__syntax *syntax;
    struct il__lint_type *nodes;  /* by node */
    struct il__lint_type *locals; /* by local */
    uint8_t *local_known;         /* whether the type of a parameter was set */
    unsigned *phases;        /* by node, of FUNCTION: the phases it is the function of */
    bool reads_phase;        /* ctx.phase is looked at */
};

struct il__lint {
    struct il__arena *arena;
    struct il__globals globals;
    const struct il__schema *action_schema;
    struct il__lint_file *files;
    size_t file_count;
    bool has_bundle, dynamic_require;
    struct il__buf found; /* struct il__finding after struct il__finding */
    size_t more;
    bool no_memory;
    struct il__lint_file *file; /* the one that is looked at */
};

/* ---- findings (lint.c) ---- */
/* At bytes [from, to) of the file that is looked at. `fix` may be NULL. */
void il__lint_at(struct il__lint *lint, enum il__lint_rule rule, uint32_t from, uint32_t to, const char *fix,
                 const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* At a node. */
void il__lint_node(struct il__lint *lint, enum il__lint_rule rule, uint32_t node, const char *fix, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* In another file, at a place. */
void il__lint_place(struct il__lint *lint, enum il__lint_rule rule, struct il_str file, uint32_t line, uint32_t column,
                    const char *fix, const char *fmt, ...) __attribute__((format(printf, 7, 8)));
void *il__lint_alloc(struct il__lint *lint, size_t size);
/* A text for a message: escaped, in `buf`. */
struct il__lint_text { char z[80]; };
const char *il__lint_show(struct il__lint_text *buf, struct il_str s);
/* "did you mean `X`?", or "there are: a, b" from the candidates offered so far, in `buf`. */
struct il__lint_fix { char z[220]; };
const char *il__lint_mean(struct il__lint_fix *buf, const struct il__near *near);

/* ---- bundle.json (lint_bundle.c) ---- */
/* Fills in `policy`, `listed` and the parameters of the files; findings of bundle.json. */
void il__lint_manifest(struct il__lint *lint, const struct il_file *files, size_t count);
/* After all files: parameters and files that nothing uses. */
void il__lint_unused(struct il__lint *lint);
/* `require` in the file that is looked at. */
void il__lint_requires(struct il__lint *lint);

/* ---- types (lint_types.c) ---- */
void il__lint_infer(struct il__lint *lint);
struct il__lint_type il__lint_type(const struct il__lint *lint, uint32_t node);
/* The constant key of an INDEX; absent: it is computed. */
struct il_str il__lint_key(const struct il__lint *lint, uint32_t index);
/* The value that a local was given once and for all, 0: unknown. */
uint32_t il__lint_value(const struct il__lint *lint, uint32_t local);
/* The FUNCTION that a call of `callee` runs, 0: unknown. */
uint32_t il__lint_callee(const struct il__lint *lint, uint32_t callee);
bool il__lint_is(const struct il__lint *lint, uint32_t node, enum il__syn_kind kind);
bool il__lint_is_object(struct il__lint_type type, const struct il__object *object);
/* "ask" or "deny" when `call` makes a verdict, else NULL. */
const char *il__lint_verdict(const struct il__lint *lint, uint32_t call);
/* The phases of the function around a node, 0: unknown. */
unsigned il__lint_phases(const struct il__lint *lint, uint32_t node);
/* Is the member there in one of the phases? `type` is an object, view, action or library. Sets the member's type. */
bool il__lint_member(const struct il__lint *lint, struct il__lint_type type, struct il_str key,
                     struct il__lint_type *out, unsigned *phases);

/* ---- rules ---- */
void il__lint_names(struct il__lint *lint);    /* lint_names.c: globals, locals */
void il__lint_fields(struct il__lint *lint);   /* lint_fields.c: members, options, texts */
void il__lint_policy(struct il__lint *lint);   /* lint_policy.c: declarations, verdicts */
void il__lint_dead(struct il__lint *lint);     /* lint_dead.c: what is never reached, loops */

#endif
