/* The in-process runtime: the embedder's own callbacks behind the runtime port. Thin: it spends the permit, hands the
 * request over, and leaves completion to il_host_complete. */
#ifndef IL_RUNTIME_INPROCESS_H
#define IL_RUNTIME_INPROCESS_H

#include "base/mem.h"
#include "run/runtime.h"

/* Copies `runtime`. The result is freed through its ops. */
enum il_code il__inprocess_new(struct il__mem *mem, const struct il_runtime *runtime, struct il__runtime *out,
                               struct il_error *err) IL_MUST_USE;

#endif
