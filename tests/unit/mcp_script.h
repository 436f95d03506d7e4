/* A wire for tests that is a script: what the engine sends is kept, what the server says is said by the test. */
#ifndef MCP_SCRIPT_H
#define MCP_SCRIPT_H

#include "mcp_rig.h"

enum { SENT_MAX = 1024 };

/* `hold`: what is sent stays here, no byte leaves. `refuse`: what sending says instead. */
struct wire {
    struct il__mcp_sink sink;
    char *sent[SENT_MAX];
    uint64_t ids[SENT_MAX];
    enum il__mcp_sent kinds[SENT_MAX];
    bool held[SENT_MAX];
    int count, forgotten, lingers, shut, freed;
    bool hold;
    const char *protocol;
    enum il_code refuse;
};
extern struct wire wire; /* of the one engine that a test has */

/* An engine on the wire, with a clock that the test moves; greeted or not. */
void rig_script(struct rig *rig, bool greet);
/* The server says a message; false: it was none. `says` puts the id in. */
bool say(const char *message);
bool says(const char *fmt, unsigned long long id);
/* The last message sent. */
const char *last(void);
bool last_is(const char *want);
/* Time goes by, then a tick. */
void pass(struct rig *rig, int64_t ms);

/* An answer to initialize, and one to a call, for `says`. */
extern const char HELLO[], RESULT[];

#endif
