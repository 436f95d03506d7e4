/* Writing journal records and telling the embedder: the two ways in which a run says what happened. Journal first,
 * event after. Uses the journal and the engine's event callback. */
#ifndef IL_RUN_RECORD_H
#define IL_RUN_RECORD_H

#include "run/engine.h"

struct il__pair {          /* one member of a record's body; keys in canonical (byte) order */
    const char *key;
    struct il_str text;    /* absent: the member is left out, unless `is_number` */
    int64_t number;
    bool is_number;
    bool is_raw;           /* `text` is canonical JSON already */
};
#define IL__TEXT(k, v) { (k), (v), 0, false, false }
#define IL__NUMBER(k, n) { (k), { NULL, 0 }, (n), true, false }
#define IL__RAW(k, v) { (k), (v), 0, false, true }

/* Appends a record; nothing may go on when this fails. */
enum il_code il__run_note(struct il_run *run, const char *kind, const struct il__pair *pairs, size_t count,
                          struct il_str payload, struct il_error *err) IL_MUST_USE;
#define IL__NOTE(run, kind, payload, err, ...) \
    il__run_note((run), (kind), (const struct il__pair[]){ __VA_ARGS__ }, \
                 sizeof((const struct il__pair[]){ __VA_ARGS__ }) / sizeof(struct il__pair), (payload), (err))

/* For IL__RAW: the run's error, absent when there is none; an array of texts. Valid until the next of them. */
struct il_str il__record_error(struct il_run *run);
struct il_str il__record_strs(struct il_run *run, struct il__strs strs);

struct il__tell {
    struct il_str step, object, field, expected, actual, text;
    bool ok;
};
/* Hands one event to the embedder, if it listens. Texts are escaped here. */
void il__run_tell(const struct il_run *run, enum il_event_type type, const struct il__tell *tell);
/* A sink for checkers; `ctx` is the run (NULL run: `il__engine_seen`). Passed checks are told only with `trace`. */
void il__run_seen(void *ctx, const struct il__check_seen *seen);
void il__engine_seen(void *ctx, const struct il__check_seen *seen);
/* The texts of types of events ("check"). */
extern const char *const il__event_names[];

#endif
