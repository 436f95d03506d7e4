/* What waits to be written to a server, in order, bounded in bytes and in notes. It knows which message has begun to
 * leave; who writes is its owner. */
#ifndef IL_RUNTIME_MCP_QUEUE_H
#define IL_RUNTIME_MCP_QUEUE_H

#include "runtime/mcp.h"

struct il__mcp_queued {
    struct il__mcp_queued *next;
    enum il__mcp_sent kind;
    uint64_t id;
    struct il__permit *permit;
    bool spent;          /* the permit, by us */
    size_t at, len;      /* bytes handed to the kernel, of all, the line feed included */
    char bytes[];
};
struct il__mcp_queue {
    struct il__mem *mem;
    struct il__mcp_queued *head, **tail;
    size_t bytes;
    uint32_t notes;
};

void il__mcp_queue_init(struct il__mcp_queue *queue, struct il__mem *mem);
void il__mcp_queue_clear(struct il__mcp_queue *queue);
/* Copies the message. limit_exceeded, out_of_memory, or invalid_request for one with a line break. */
enum il_code il__mcp_queue_add(struct il__mcp_queue *queue, const struct il__mcp_out *out,
                               struct il_error *err) IL_MUST_USE;
struct il__mcp_queued *il__mcp_queue_find(const struct il__mcp_queue *queue, uint64_t id);
void il__mcp_queue_remove(struct il__mcp_queue *queue, struct il__mcp_queued *item);
/* Whether it may go (on) now: its permit still holds. */
enum il_code il__mcp_queued_holds(const struct il__mcp_queued *item, struct il_error *err) IL_MUST_USE;

#endif
