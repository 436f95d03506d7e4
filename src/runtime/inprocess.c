/* In-process callbacks (inprocess.h). Must spend the permit before the callback sees an execute. */
#include "runtime/inprocess.h"

#include "base/error.h"

#include <string.h>

struct inprocess {
    struct il__mem *mem;
    struct il_runtime callbacks;
};

static enum il_code begin(void *self, const struct il_request *request, struct il__permit *permit, struct il_error *err)
{
    struct inprocess *in = self;
    if (permit) {
        enum il_code code = il__permit_spend(permit, err);
        if (code) return code;
    }
    enum il_code code = in->callbacks.begin(in->callbacks.ctx, request, err);
    if (code && err && !err->code) /* a callback that says no without a word */
        il__fail_at(err, code, "runtime", il_op_name(request->op), "the runtime refused %s", il_op_name(request->op));
    return code;
}

static void cancel(void *self, uint64_t token)
{
    struct inprocess *in = self;
    if (in->callbacks.cancel) in->callbacks.cancel(in->callbacks.ctx, token);
}

static enum il_code retain(void *self, struct il_str action_id, struct il_str preview, struct il_error *err)
{
    struct inprocess *in = self;
    if (!in->callbacks.retain) return IL_OK;
    enum il_code code = in->callbacks.retain(in->callbacks.ctx, action_id, preview, err);
    if (code && err && !err->code)
        il__fail_at(err, code, "runtime", "retain", "the runtime does not take the preview of another life");
    return code;
}

static void release(void *self)
{
    struct inprocess *in = self;
    il__mem_free(in->mem, in, sizeof *in);
}

static const struct il__runtime_ops OPS = { begin, cancel, NULL, release, retain };

enum il_code il__inprocess_new(struct il__mem *mem, const struct il_runtime *runtime, struct il__runtime *out,
                               struct il_error *err)
{
    if (runtime->size != sizeof *runtime || !runtime->begin)
        return il__fail_at(err, IL_INVALID_REQUEST, "runtime", runtime->begin ? "size" : "begin",
                           "a runtime needs IL_RUNTIME_INIT and a begin callback");
    struct inprocess *in = il__mem_zalloc(mem, 1, sizeof *in);
    if (!in) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a runtime");
    in->mem = mem;
    in->callbacks = *runtime;
    memset(out, 0, sizeof *out);
    out->ops = &OPS;
    out->self = in;
    out->kind = "inprocess";
    out->offers = runtime->ops;
    struct il_str address = il__str(runtime->address ? runtime->address : runtime->kind ? runtime->kind : "");
    il__escape(out->address, sizeof out->address, address);
    return IL_OK;
}
