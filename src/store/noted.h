/* What a store was told and has not written yet: bounded copies, kept per run and in the order in which the runs came.
 * Both stores use it, so that what is noted, what is limited and what a lost run takes with it is the same in both. */
#ifndef IL_STORE_NOTED_H
#define IL_STORE_NOTED_H

#include "run/store.h"
#include "store/map.h"

/* A row or a record in one piece of memory, texts behind it. */
struct il__noted_row {
    size_t bytes; /* of the piece */
    struct il__store_row row;
};
struct il__noted_record {
    size_t bytes;
    struct il__noted_record *next;
    struct il__store_record record;
};
struct il__noted_past {
    size_t bytes;
    struct il__past past;
};
struct il__noted_letter {
    struct il__noted_letter *next;
    uint64_t id;
};

/* Everything of one run; written together or not at all. */
struct il__batch {
    struct il__batch *next;
    struct il_str run_id;           /* behind the batch */
    struct il__noted_row *create;   /* NULL: the run is there already */
    struct il__noted_row *index;    /* the last one wins; NULL: unchanged */
    struct il__noted_record *records, **records_end;
    struct il__noted_letter *letters, **letters_end;
    struct il__noted_past *past;    /* the last one wins; NULL: nothing new */
    bool lost;                      /* the store refused it: the run has another owner, or is another */
    bool done;                      /* written, or lost for good: il__noted_settle forgets it */
};

struct il__noted {
    struct il__mem *mem;
    struct il__batch *batches, **end;
    struct il__map by_run;
    size_t bytes;                   /* limit store_pending_bytes */
};

void il__noted_init(struct il__noted *noted, struct il__mem *mem);
void il__noted_clear(struct il__noted *noted);
/* Each notes a copy, or nothing: limit_exceeded, out_of_memory, invalid_request (no run id). */
enum il_code il__noted_create(struct il__noted *noted, const struct il__store_row *row, struct il_error *err);
enum il_code il__noted_append(struct il__noted *noted, const struct il__store_record *record, struct il_error *err);
enum il_code il__noted_index(struct il__noted *noted, const struct il__store_row *row, struct il_error *err);
enum il_code il__noted_consume(struct il__noted *noted, struct il_str run_id, uint64_t letter, struct il_error *err);
enum il_code il__noted_remember(struct il__noted *noted, const struct il__past *past, struct il_error *err);
/* NULL: nothing is noted of this run. */
struct il__batch *il__noted_of(const struct il__noted *noted, struct il_str run_id);
/* A run is written with its first record: until that is noted, its batch waits. */
bool il__batch_ready(const struct il__batch *batch);
/* Is there a batch to write? */
bool il__noted_any(const struct il__noted *noted);
/* Forgets the batches that are done. */
void il__noted_settle(struct il__noted *noted);

/* A copy in one piece; NULL: out of memory. */
struct il__noted_row *il__noted_row_copy(struct il__mem *mem, const struct il__store_row *row);
void il__noted_row_free(struct il__mem *mem, struct il__noted_row *row);
void il__noted_record_free(struct il__mem *mem, struct il__noted_record *record);

/* The checks that both stores make of what is handed in. */
enum il_code il__check_letter(struct il_str kind, struct il_str body, struct il_error *err);
enum il_code il__lost_run(struct il_str run_id, struct il_error *err);
enum il_code il__no_such_run(struct il_str run_id, struct il_error *err);
enum il_code il__run_ended(struct il_str run_id, struct il_error *err);
enum il_code il__too_many_letters(struct il_error *err);
enum il_code il__run_known(struct il_str run_id, struct il_error *err);

#endif
