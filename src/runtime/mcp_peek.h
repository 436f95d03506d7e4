/* Finds the id of an answer that cannot be read otherwise: a message that the strict reader refuses, or a line that is
 * too long to keep. Takes bytes in pieces, keeps a few dozen of them, and looks only at the members of the outermost
 * object. What it finds may end a request with an error, never with a result. */
#ifndef IL_RUNTIME_MCP_PEEK_H
#define IL_RUNTIME_MCP_PEEK_H

#include "base/str.h"

#include <stdint.h>

struct il__mcp_peek {
    uint64_t id;          /* 0: none was seen */
    bool method;          /* a request or notification: no answer */
    bool in_string, escaped, is_name, value_next;
    uint32_t depth;
    uint8_t name_len, value_len;
    char name[8], value[24];
};

/* Start from a zeroed one. */
void il__mcp_peek_feed(struct il__mcp_peek *peek, struct il_str bytes);
/* The id of the answer that was fed, 0 when it is none or names none. */
uint64_t il__mcp_peek_id(const struct il__mcp_peek *peek);
/* The digits 1 to 2^63 without a leading zero; 0: it is no such number. */
uint64_t il__mcp_id_of(struct il_str digits);

#endif
