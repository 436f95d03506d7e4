/* What the tests of stores share: a store of either kind with its surroundings, shorthand for its calls, and listeners
 * that keep what they hear as text. */
#ifndef SHELF_H
#define SHELF_H

#include "run/store.h"

enum { SHELF_HEARD = 65536 };

struct shelf {
    struct il__mem mem;
    struct il__digest *digest;
    struct il__store store;
    struct il_error err;       /* of the last call */
    char folder[64], path[96]; /* of a file store: its own folder, removed by shelf_close */
    bool file;
    char heard[SHELF_HEARD];     /* what the last listing gave, an item a line */
    size_t heard_len, items, most; /* most: how many a listener takes before it says stop; 0: all */
    char last_hash[65];        /* of the last record appended */
};

/* Opens a store in memory or in a file of a new folder; ends the program when that fails. */
void shelf_open(struct shelf *bed, bool file);
/* Another handle on the same file, to be closed first. */
void shelf_open_again(struct shelf *bed, const struct shelf *first);
/* A handle on `path`; IL_OK and bed->store is open, or the code with bed->err. */
enum il_code shelf_try(struct shelf *bed, const char *path, bool create, bool read_only);
/* Gives back the store and, unless it was opened again, the folder. */
void shelf_close(struct shelf *bed);
/* Closes the store and opens it again. */
void shelf_reopen(struct shelf *bed);
void shelf_remove(const char *folder);

struct il__store_row shelf_row(const char *run_id);
enum il_code shelf_create(struct shelf *bed, const char *run_id);
/* Record `seq` of the run: text "run:seq", no payload; its hash is the SHA-256 of the text. */
enum il_code shelf_append(struct shelf *bed, const char *run_id, uint64_t seq, uint64_t fence);
enum il_code shelf_append_text(struct shelf *bed, const char *run_id, uint64_t seq, uint64_t fence,
                             struct il_str text, struct il_str payload);
/* A run with one record, written. */
void shelf_run(struct shelf *bed, const char *run_id);
enum il_code shelf_index(struct shelf *bed, const char *run_id, enum il__row_state state, const char *status,
                       const char *request, int64_t expires_ms);
enum il_code shelf_write(struct shelf *bed);
enum il_code shelf_flush(struct shelf *bed);
enum il_code shelf_claim(struct shelf *bed, const char *run_id, uint64_t *fence);
enum il_code shelf_owns(struct shelf *bed, const char *run_id, uint64_t fence);
enum il_code shelf_consume(struct shelf *bed, const char *run_id, uint64_t letter);
enum il_code shelf_submit(struct shelf *bed, const char *run_id, const char *kind, const char *body);
enum il_code shelf_latch(struct shelf *bed, const char *session, bool on);
/* "all", "session", or "" */
const char *shelf_latched(struct shelf *bed, const char *session);
/* Each fills `heard` and hands it back. Records "seq/fence text[=payload]", rows "id state status", letters "id kind
 * body", links their text. */
const char *shelf_load(struct shelf *bed, const char *run_id);
const char *shelf_list(struct shelf *bed, const struct il__store_filter *filter);
const char *shelf_letters(struct shelf *bed, const char *run_id);
const char *shelf_links(struct shelf *bed, uint64_t from);
/* Do the links follow one another, each hash right? Says which does not. */
bool shelf_chain_holds(struct shelf *bed);
/* The number of records that the store holds of a run; -1: no such run, or they do not follow one another. */
int shelf_records(struct shelf *bed, const char *run_id);

#endif
