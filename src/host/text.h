/* Texts that belong to the embedder once they are handed out (struct il_text of interlock.h). */
#ifndef IL_HOST_TEXT_H
#define IL_HOST_TEXT_H

#include "base/mem.h"

/* The text becomes a copy of `bytes`, by its own allocator; what it held before is wiped and given back, last of all,
 * so `bytes` may be part of it. On failure it stays as it was. */
enum il_code il__text_set(struct il_text *text, struct il_str bytes, struct il_error *err) IL_MUST_USE;

#endif
