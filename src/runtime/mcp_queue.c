/* The outgoing queue (mcp_queue.h). One block of memory per message. Must never merge messages: the first byte of a
 * call is a moment of its own. */
#include "runtime/mcp_queue.h"

#include "base/error.h"
#include "base/limits.h"

void il__mcp_queue_init(struct il__mcp_queue *queue, struct il__mem *mem)
{
    *queue = (struct il__mcp_queue){ .mem = mem };
    queue->tail = &queue->head;
}

enum il_code il__mcp_queue_add(struct il__mcp_queue *queue, const struct il__mcp_out *out, struct il_error *err)
{
    struct il_str text = out->message;
    bool note = out->kind == IL__MCP_NOTE;
    if (!text.len || memchr(text.ptr, '\n', text.len) || memchr(text.ptr, '\r', text.len))
        return il__fail(err, IL_INVALID_REQUEST, "a message is one line");
    if (text.len > IL__LIMIT_MCP_MESSAGE_BYTES)
        return il__fail(err, IL_LIMIT_EXCEEDED, "a message of more than %d bytes", IL__LIMIT_MCP_MESSAGE_BYTES);
    if (text.len + 1 > IL__LIMIT_MCP_QUEUE_BYTES - queue->bytes || (note && queue->notes == IL__LIMIT_MCP_QUEUED_NOTES))
        return il__fail(err, IL_LIMIT_EXCEEDED, "the server does not read what is sent to it");
    struct il__mcp_queued *item = il__mem_alloc(queue->mem, sizeof *item + text.len + 1);
    if (!item) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a message");
    *item = (struct il__mcp_queued){ .kind = out->kind, .id = out->id, .permit = out->permit, .len = text.len + 1 };
    memcpy(item->bytes, text.ptr, text.len);
    item->bytes[text.len] = '\n';
    *queue->tail = item;
    queue->tail = &item->next;
    queue->bytes += item->len;
    if (note) queue->notes++;
    return IL_OK;
}

struct il__mcp_queued *il__mcp_queue_find(const struct il__mcp_queue *queue, uint64_t id)
{
    struct il__mcp_queued *item = queue->head;
    while (item && (item->kind == IL__MCP_NOTE || item->id != id)) item = item->next;
    return item;
}

void il__mcp_queue_remove(struct il__mcp_queue *queue, struct il__mcp_queued *item)
{
    struct il__mcp_queued **at = &queue->head;
    while (*at != item) at = &(*at)->next;
    *at = item->next;
    if (!item->next) queue->tail = at;
    queue->bytes -= item->len;
    if (item->kind == IL__MCP_NOTE) queue->notes--;
    il__mem_free(queue->mem, item, sizeof *item + item->len);
}

void il__mcp_queue_clear(struct il__mcp_queue *queue)
{
    while (queue->head) il__mcp_queue_remove(queue, queue->head);
}

enum il_code il__mcp_queued_holds(const struct il__mcp_queued *item, struct il_error *err)
{
    if (!item->permit) return IL_OK;
    return item->spent ? item->permit->holds(item->permit->ctx, err) : il__permit_holds(item->permit, err);
}
