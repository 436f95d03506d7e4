/* The store port: where the journals of runs live, beyond the process that moves them. The shipped implementations are
 * memory and SQLite (src/store).
 *
 * Three strengths. `append`, `index`, `consume` and `remember` only note: they are bounded copies and may be lost with
 * the process. `write` hands everything noted to the operating system in one transaction: it survives SIGKILL. `flush`
 * does the same and waits for the disk: it survives power loss. When either fails, everything noted stays noted, is
 * tried again by the next one, and nothing may go on in the meantime. The exception is IL_CONFLICT: a run turned out to
 * have another owner, another fence or another next record, or a letter to be gone. Then nothing that was noted of that
 * run is written, ever; what was noted of all others is. The error names one such run, `owns` tells for each.
 *
 * Who owns a run: the open store that created or claimed it, for as long as it is open. Only the owner appends; anybody
 * may `submit` to its inbox, list, load and latch. An owner is replaced only by who gets the lock that it holds while
 * it lives, never by time; each change raises the fence (SPEC §10).
 *
 * Nothing that is only noted is shown by `load`, `list`, `letters` and `links`; but who noted a run owns it, for `owns`
 * and `claim`. Limits: store_pending_bytes of notes, store_letters of a run, contract_bytes of a letter.
 *
 * Texts handed to callbacks are valid during the callback only; a callback must not call back into the store. A
 * callback that returns false ends the listing early, which is no error. */
#ifndef IL_RUN_STORE_H
#define IL_RUN_STORE_H

#include "base/clock.h"
#include "base/str.h"
#include "base/tally.h"
#include "wire/digest.h"

/* What lists show of a run. Derived from its journal and never believed by resume. */
enum il__row_state { IL__ROW_MOVING, IL__ROW_WAITING, IL__ROW_ENDED };
struct il__store_row {
    struct il_str run_id;              /* the key */
    enum il__row_state state;
    struct il_str status;              /* "moving", "waiting", or how it ended: "completed" ... (SPEC §7) */
    struct il_str request_id;          /* of the open wait, else absent */
    int64_t created_ms, expires_ms;    /* wall clock, ms since 1970; expires_ms of the open wait, 0: none */
    struct il_str tool, mode;          /* of the proposal */
    struct il_str session_id, principal, tenant; /* tenant may be absent */
    uint64_t fence;                    /* list only */
    uint64_t records;                  /* list only */
    uint64_t letters;                  /* list only: left and not taken yet */
    bool owned;                        /* list only: by a living process (this one included) */
};

struct il__store_record {
    struct il_str run_id;
    uint64_t seq, fence;
    struct il_str text, payload;       /* payload may be absent, which is not the same as empty */
    uint8_t hash[IL__SHA256_BYTES];
};

/* What other processes leave for the owner of a run. */
struct il__store_letter {
    uint64_t id;                       /* ascending, never used again */
    struct il_str kind;                /* "answer", "decision", "cancel" */
    struct il_str body;                /* JSON as it was given */
    int64_t at_ms;                     /* wall clock of who left it */
};

/* The store-level chain: creation of runs and signed heads. `text` is one line of canonical JSON; `hash` its SHA-256;
 * each text names the hash of the one before as `prev` ("" for the first). */
struct il__store_link {
    uint64_t seq;
    struct il_str text, payload;
    uint8_t hash[IL__SHA256_BYTES];
};

struct il__store_filter {
    bool by_state;
    enum il__row_state state;
    int64_t expires_before_ms;         /* 0: any; else only rows whose expires_ms is set and smaller */
    struct il_str after;               /* run id; absent: from the start. Rows come in order of run id */
    uint32_t most;                     /* 0: all */
};

typedef bool (*il__store_row_fn)(void *ctx, const struct il__store_row *row);
typedef bool (*il__store_record_fn)(void *ctx, const struct il__store_record *record);
typedef bool (*il__store_letter_fn)(void *ctx, const struct il__store_letter *letter);
typedef bool (*il__store_link_fn)(void *ctx, const struct il__store_link *link);
enum { IL__STORE_SALT = 32 };
typedef bool (*il__store_salt_fn)(void *ctx, uint64_t seq, const uint8_t salt[IL__STORE_SALT]);

struct il__store_ops {
    /* ---- the owner ---- */
    /* Notes a new run (fence 1, owned by this store) and its link in the store-level chain, which is made when it is
     * written: {at, first, kind:"run", prev, run, seq}, `first` the hash of record 0, `at` the row's created_ms in
     * RFC 3339. It is written together with its record 0; until that is appended, it stays noted. IL_CONFLICT when the
     * id is known, or was ever used. */
    enum il_code (*create)(void *self, const struct il__store_row *row, struct il_error *err);
    enum il_code (*append)(void *self, const struct il__store_record *record, struct il_error *err);
    /* Replaces what lists show; state, status, request_id, expires_ms. */
    enum il_code (*index)(void *self, const struct il__store_row *row, struct il_error *err);
    /* The letter was taken: it goes in the same transaction as the records that were noted for it. */
    enum il_code (*consume)(void *self, struct il_str run_id, uint64_t letter, struct il_error *err);
    /* Notes what is kept of a run that reached execute, in the same transaction as the record it follows. The last one
     * of a run stands, for IL__LIMIT_KEPT_S; past history_entries the oldest goes. */
    enum il_code (*remember)(void *self, const struct il__past *past, struct il_error *err);
    enum il_code (*write)(void *self, struct il_error *err);
    enum il_code (*flush)(void *self, struct il_error *err);
    /* Is this store still the owner, with this fence, and does it still hold its lock? IL_CONFLICT: no. */
    enum il_code (*owns)(void *self, struct il_str run_id, uint64_t fence, struct il_error *err);
    /* Becomes the owner: *fence is the new one. IL_CONFLICT: its owner lives, or there is no such run. A run that this
     * store owns already keeps its fence. */
    enum il_code (*claim)(void *self, struct il_str run_id, uint64_t *fence, struct il_error *err);

    /* ---- counters (base/tally.h) ---- */
    /* Consumes a unit of every key that the run has none of yet, or of none. In one transaction of its own, which
     * survives SIGKILL when it returns and reaches the disk no later than any flush after it. All of the list is tried
     * before a unit is taken; two entries of one key are two limits of one unit. IL_POLICY_DENIED: no unit is left,
     * object `limit`, field the key. */
    enum il_code (*spend)(void *self, struct il_str run_id, const struct il__unit *units, size_t count, int64_t now_ms,
                          struct il_error *err);
    /* Units within `per_ms` before now, without those of `but_run` (absent: all). */
    enum il_code (*used)(void *self, const struct il__unit *unit, struct il_str but_run, int64_t now_ms,
                         struct il__unit_use *out, struct il_error *err);
    /* Of runs that were remembered, and written. */
    enum il_code (*recall)(void *self, const struct il__past_query *query, struct il__past_seen *out,
                           struct il_error *err);
    /* Every key that has units, in order of keys. */
    enum il_code (*units)(void *self, int64_t now_ms, il__unit_fn fn, void *ctx, struct il_error *err);

    /* ---- anybody ---- */
    /* All records of a run in order, exactly as stored; nothing is checked. IL_CONFLICT: no such run. */
    enum il_code (*load)(void *self, struct il_str run_id, il__store_record_fn fn, void *ctx, struct il_error *err);
    enum il_code (*list)(void *self, const struct il__store_filter *filter, il__store_row_fn fn, void *ctx,
                         struct il_error *err);
    /* Leaves a letter, flushed before it returns. IL_CONFLICT: no such run, or it has ended. */
    enum il_code (*submit)(void *self, struct il_str run_id, struct il_str kind, struct il_str body, int64_t at_ms,
                           struct il_error *err);
    /* Letters of one run that nobody has taken, oldest first. IL_CONFLICT: no such run. */
    enum il_code (*letters)(void *self, struct il_str run_id, il__store_letter_fn fn, void *ctx, struct il_error *err);
    /* Has anything been committed by another connection, or a letter or a latch through this one, since the last call?
     * The first call says yes. Cheap; for polling. */
    bool (*changed)(void *self);
    /* The stop latch of a session, or (absent) of the whole store; flushed before `latch` returns. */
    enum il_code (*latch)(void *self, struct il_str session_id, bool on, struct il_error *err);
    /* Is this session, or everything, stopped? *all tells which. */
    enum il_code (*latched)(void *self, struct il_str session_id, bool *on, bool *all, struct il_error *err);

    /* ---- evidence ---- */
    /* Adds a link {kind, ...} to the store-level chain. `body` is one canonical JSON object without kind, prev, seq and
     * at, which the store adds: {at, body, kind, payload?, prev, seq}, `payload` the SHA-256 of the payload.
     * Flushed before it returns; `out_seq` may be NULL. */
    enum il_code (*link)(void *self, struct il_str kind, struct il_str body, struct il_str payload, int64_t at_ms,
                         uint64_t *out_seq, struct il_error *err);
    enum il_code (*links)(void *self, uint64_t from, il__store_link_fn fn, void *ctx, struct il_error *err);
    /* The random salt of each record of a run, in order: made at the first call and the same ever after. They mask
     * values that leave the store, and no record rests on them. Anybody may ask; a store that is only read gives none
     * that it does not have yet (IL_STORE). */
    enum il_code (*salts)(void *self, struct il_str run_id, il__store_salt_fn fn, void *ctx, struct il_error *err);
    /* The id of the store, made with it: 32 hex digits. */
    struct il_str (*id)(void *self);
    void (*free)(void *self); /* gives the lock back; runs stay as they are */
};

struct il__store {
    const struct il__store_ops *ops; /* NULL: none; the journal lives in memory with its run */
    void *self;
};

#endif
