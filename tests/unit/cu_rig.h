/* The computer-use adapter over a scripted server: an engine, a wire that answers from rules, a virtual clock, and a
 * sink that keeps what each operation came to. */
#ifndef CU_RIG_H
#define CU_RIG_H

#include "runtime/computer_use.h"

enum { CU_RULES = 48, CU_SENT = 400, CU_ANSWERS = 128, CU_HELD = 64 };

enum cu_how {
    CU_OK,          /* `text` is the structuredContent */
    CU_ERROR,       /* the same, with isError */
    CU_TEXT_ERROR,  /* isError, text only */
    CU_RESULT,      /* `text` is the whole result */
    CU_RPC_ERROR,   /* a JSON-RPC error */
    CU_NEVER,       /* no answer; cu_late brings it afterwards */
    CU_LOST,        /* the wire loses it, sent */
    CU_UNSENT,      /* the wire loses it before its first byte */
    CU_OVER_CAP     /* the wire gives up on an answer over the cap */
};
struct cu_rule {
    const char *tool;  /* tool, or method */
    int nth;           /* 1: the first call; 0: every */
    enum cu_how how;
    const char *text;  /* $A action_id, $S session_id, $I intent_id of the call */
};
struct cu_sent {
    char what[40];     /* tool, or method */
    uint64_t id;
    char *message;
    struct il__permit *leave;
};
struct cu_answer {
    uint64_t token;
    enum il_code code;
    char *body, reason[80], message[400];
    bool unsent;
};
struct cu_rig {
    struct il__mem mem;
    struct il__clock clock;
    int64_t now_ms;
    struct il__digest *digest;
    uint32_t random;
    struct il__mcp *mcp;
    struct il__mcp_sink sink;
    struct il__runtime runtime;
    struct il__computer_use *cu;
    struct il_error err;
    struct cu_rule rules[CU_RULES];
    int rule_count;
    struct cu_sent sent[CU_SENT];
    int sent_count, told;      /* told: those already answered */
    struct cu_answer answers[CU_ANSWERS];
    int answer_count;
    uint64_t tokens;
    bool permit_holds;
    bool closed;
    const char *accept[4];
    size_t accept_count;
    const char *session;       /* absent: started */
    uint32_t ping_ms;
    bool read_back;
    bool again, again_fails;   /* a lost connection is made again, or tried in vain */
    int reopened;
    char done_json[20000];     /* of the last session command */
    struct il_error done_err;
    int done_count;
};

void cu_open(struct cu_rig *r);          /* the rules of a well-behaved server are there */
enum il_code cu_connect(struct cu_rig *r); /* until it is ready or refused */
void cu_close(struct cu_rig *r);         /* checks that no memory is left */
void cu_lose(struct cu_rig *r);          /* the wire breaks down */
void cu_drop(struct cu_rig *r);          /* what the rig itself has kept */
void cu_rule(struct cu_rig *r, const char *tool, int nth, enum cu_how how,
        const char *text); /* wins over earlier ones */
void cu_go(struct cu_rig *r);            /* ticks until quiet, without time */
void cu_advance(struct cu_rig *r, int64_t ms); /* in steps of 100 ms */
/* Begins an operation; 0: refused (r->err). */
uint64_t cu_begin(struct cu_rig *r, enum il_op op, const char *body, uint32_t timeout_ms);
/* Begins and goes; the answer, or NULL. */
const struct cu_answer *cu_do(struct cu_rig *r, enum il_op op, const char *body);
const struct cu_answer *cu_answer_of(const struct cu_rig *r, uint64_t token);
/* The n-th message (from 1) of a tool; NULL. */
const char *cu_message(const struct cu_rig *r, const char *tool, int nth);
int cu_calls(const struct cu_rig *r, const char *tool);
/* Answers the n-th call of a tool now, though nobody may wait any more. */
void cu_late(struct cu_rig *r, const char *tool, int nth, enum cu_how how, const char *text);
bool cu_has(const char *text, const char *part);
const char *cu_session(struct cu_rig *r, const char *verb, const char *args); /* the document, or NULL with done_err */

/* Bodies and answers of one action. */
extern const char *const cu_proposal, *const cu_preview_body, *const cu_preview, *const cu_envelope, *const cu_lease,
    *const cu_lease_body, *const cu_receipt, *const cu_execute_body;

#endif
