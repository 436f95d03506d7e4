/* The verbs of `interlock audit`, one function each, and what they share: keys and witness read, the store opened. */
#ifndef IL_CLI_AUDIT_H
#define IL_CLI_AUDIT_H

#include "cli/witness.h"

struct il__audit_job {
    const struct il__args *args;
    struct il__io *io;
    bool json;
    il_store *store;
    struct il__witness witness;
};

int il__audit_open(struct il__audit_job *job, bool write);
/* The options of the library, from what the user gave; `run` may be NULL. */
struct il_audit_options il__audit_options_of(const struct il__audit_job *job, const char *run);
/* Reports an error of the library; the exit status is 9 for evidence that does not hold. */
int il__audit_refuse(struct il__audit_job *job, const struct il_error *err);
/* --record as a number; false after a line on stderr. */
bool il__audit_record(struct il__audit_job *job, uint64_t *out);

int il__audit_verify(struct il__audit_job *job);
int il__audit_proof_file(struct il__audit_job *job); /* verify --proof */
int il__audit_show(struct il__audit_job *job);
int il__audit_export(struct il__audit_job *job);
int il__audit_head(struct il__audit_job *job);

#endif
