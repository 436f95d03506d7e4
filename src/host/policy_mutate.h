/* Mutants of a bundle against its tests: what policy_mutate.c (which mutants survive) and policy_mutate_kill.c (a case
 * that would kill one) share. Nobody else includes it. */
#ifndef IL_HOST_POLICY_MUTATE_H
#define IL_HOST_POLICY_MUTATE_H

#include "host/policy.h"
#include "wire/json_write.h"

struct il__mutation_case {
    struct il__case c;
    struct il_str file; /* of the test */
};

struct il__mutating {
    const struct il_policy_mutate_options *o;
    struct il__mem *mem;
    struct il__arena arena;
    struct il_file *files;     /* of the bundle, without its signature */
    size_t file_count;
    il_policy *original;
    struct il__mutation_case *cases;
    size_t case_count;
    size_t *left;              /* of mutate_evals */
};

/* The bundle with `source` in place of file `at`. */
enum il_code il__mutating_load(const struct il__mutating *m, size_t at, struct il_str source, il_policy **out,
                               struct il_error *err) IL_MUST_USE;
/* What is told apart: verdict, policies, codes, reasons, what is asked for. Appended to `out`. */
enum il_code il__mutating_sign(il_policy *policy, const struct il__case *c, struct il__buf *out,
                               struct il_error *err) IL_MUST_USE;
enum il__telling { IL__TELLING_NONE, IL__TELLING_FOUND, IL__TELLING_CUT /* mutate_evals was used up */ };
/* Looks for a case on which both differ: the cases themselves, then each with one change. Written as an object {name,
 * field, value, case} when there is one. */
enum il_code il__mutating_kill(const struct il__mutating *m, il_policy *mutant, enum il__telling *found,
                               struct il__json_writer *w, struct il_error *err) IL_MUST_USE;

#endif
