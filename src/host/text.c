/* Handing out texts (text.h). Must never leave in memory what was given back. */
#include "host/text.h"

#include "base/error.h"
#include "base/secret.h"

void il_text_clear(struct il_text *text)
{
    struct il__mem mem;
    if (!text) return;
    il__mem_init(&mem, text->alloc, text->alloc_ctx, 0);
    il__secret_wipe((void *)(uintptr_t)text->ptr, text->room_bytes);
    il__mem_free(&mem, (void *)(uintptr_t)text->ptr, text->room_bytes);
    text->ptr = NULL;
    text->len = text->room_bytes = 0;
}

enum il_code il__text_set(struct il_text *text, struct il_str bytes, struct il_error *err)
{
    struct il__mem mem;
    il__mem_init(&mem, text->alloc, text->alloc_ctx, 0);
    char *kept = il__mem_alloc(&mem, bytes.len + 1);
    if (!kept) return il__fail(err, IL_OUT_OF_MEMORY, "out of memory for the result");
    if (bytes.len > 0) memcpy(kept, bytes.ptr, bytes.len);
    kept[bytes.len] = '\0';
    il_text_clear(text);
    text->ptr = kept;
    text->len = bytes.len;
    text->room_bytes = bytes.len + 1;
    return IL_OK;
}
