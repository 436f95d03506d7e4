/* Random policies and random actions, and what each policy must say about each action: a policy is made as a short list
 * of rules, which is written as Lua and also weighed here, in C, with no Lua. Then a model of SPEC §5, written from
 * that page as a table, says what it amounts to. Uses nothing that it is compared with: neither the sandbox nor
 * il__rule. */
#ifndef POLICY_GEN_H
#define POLICY_GEN_H

#include "check/verdict.h"

#include <stdint.h>

enum { GEN_POLICIES = 3, GEN_RULES = 3, GEN_ATOMS = 3, GEN_SOURCE = 8000, GEN_NO_NUMBER = -1000000 };

struct gen { uint64_t state; };
uint32_t gen_dice(struct gen *g, uint32_t sides);

/* ---- actions ---- */

struct gen_action {
    int tool, mode, cls, n, hour, app, label, sensitivity, untrusted; /* app, label, sensitivity, untrusted: -1 absent;
                                                                          label 2: both; n GEN_NO_NUMBER: it raises */
    bool reversible, external;
    int route;          /* enum il__route */
    int vote_reason;    /* of the decision in approve; 0: none */
    int budget;         /* of the lease */
};
struct gen_action gen_action(struct gen *g);
/* Documents of it: the proposal, and the preview of a runtime with that route; `action_id` and so on are fixed unless a
 * test replaces "$A". They return the length. */
size_t gen_proposal(const struct gen_action *a, char *out, size_t size);
size_t gen_preview(const struct gen_action *a, char *out, size_t size);
/* The index of a text among the tools, modes and so on of actions; 99: none of them. */
int gen_index_tool(struct il_str s);
int gen_index_mode(struct il_str s);
int gen_index_app(struct il_str s);
int gen_index_label(struct il_str s);
/* The same as the `action` of a case, with its "at" and "route". */
size_t gen_case(const struct gen_action *a, char *out, size_t size);
extern const char *const gen_reasons[]; /* of votes, by vote_reason */

/* ---- policies ---- */

struct gen_atom { int kind, k; bool negated, either; /* either: joined by `or`, else `and` */ };
enum gen_act {
    GEN_FALL, GEN_NOTHING, GEN_NIL, GEN_ASK, GEN_DENY, GEN_RAISE, GEN_INDEX, GEN_TRUE, GEN_FALSE, GEN_TEXT, GEN_TABLE,
    GEN_FORGED, GEN_TWO, GEN_BAD_ASK, GEN_LOOP, GEN_ACTS
};
struct gen_rule {
    struct gen_atom atoms[GEN_ATOMS];
    int atom_count;
    enum gen_act act;
    int approvers, timeout_s, code, reason, line;
    unsigned roles;
};
struct gen_policy {
    int level, param;    /* enum il__level; the value of ctx.params.k */
    unsigned phases;
    struct gen_rule rules[4][GEN_RULES];
    int rule_count[4];
    char source[GEN_SOURCE];
};
struct gen_bundle {
    struct gen_policy policies[GEN_POLICIES];
    int count;
    char manifest[1000];
};
/* `loops`: one rule in so many never ends; 0: none does. */
void gen_bundle(struct gen *g, struct gen_bundle *b, uint32_t loops);

/* ---- what must be said ---- */

enum gen_say { GEN_SAID_NONE, GEN_SAID_ASK, GEN_SAID_DENY, GEN_SAID_ERROR };
struct gen_said {
    enum gen_say said;
    const struct gen_rule *rule; /* that decided; NULL: none did */
};
/* `has_preview`: false in propose, and in the approve phase of a wait before the preview. */
struct gen_said gen_said(const struct gen_policy *p, enum il__phase phase, bool has_preview,
                         const struct gen_action *a);

/* ---- what it amounts to (SPEC §5) ---- */

enum gen_ruled { GEN_PASSES, GEN_REPORTED, GEN_NEEDS, GEN_OVERRIDE, GEN_DENIES };
enum gen_ruled gen_ruled(int level, int said, enum il__phase phase, bool overridden);
/* The least that the route alone, or what was ruled, lets happen: none, ask or deny. */
enum il__verdict gen_weight(enum gen_ruled ruled);
enum il__verdict gen_route_weight(int route);

extern const char *const gen_roles[]; /* by bit */
extern const char *const gen_codes[]; /* by code; [0] NULL: none */

#endif
