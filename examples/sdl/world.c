/* A runtime in C: every request is answered at once, from templates. The argument is called `thingId`: with a name of
 * that kind the digest of an action is the runtime's own affair (SPEC, args_digest), so a stand-in will do here. */
#include "world.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* The text of member `name` of a JSON object of ours; requests hold no escapes that matter here. */
static void member(struct il_str json, const char *name, char *out, size_t size)
{
    char key[40];
    int n = snprintf(key, sizeof key, "\"%s\":\"", name);
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i + (size_t)n < json.len; i++) {
        if (memcmp(json.ptr + i, key, (size_t)n) != 0) continue;
        for (i += (size_t)n; i < json.len && json.ptr[i] != '"' && used + 1 < size; i++) out[used++] = json.ptr[i];
        out[used] = '\0';
        return;
    }
}

static void at(int seconds, char out[32])
{
    time_t t = time(NULL) + seconds;
    struct tm utc;
    if (!gmtime_r(&t, &utc) || !strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &utc)) out[0] = '\0';
}

struct asked {
    char action[64], session[64], principal[64], tool[64], thing[32], mode[32];
};

static int preview(const struct asked *a, char *out, size_t size)
{
    char now[32], later[32];
    at(0, now);
    at(60, later);
    return snprintf(out, size,
                    "{\"envelope\":{\"actionId\":\"%s\",\"sessionId\":\"%s\",\"principalId\":\"%s\",\"tool\":\"%s\","
                    "\"operation\":\"%s\",\"actionClass\":\"edit_reversible\",\"requestedMode\":\"%s\","
                    "\"dataLabels\":[\"unknown\"],\"reversible\":true,\"externalSideEffect\":false,"
                    "\"proposedAt\":\"%s\",\"expiresAt\":\"%s\",\"argsDigest\":\"%s-%s\"},\"executable\":true,"
                    "\"policy\":{\"decision\":\"allow\",\"policyDigest\":\"yard-1\",\"reasons\":[]},"
                    "\"capability\":{\"appId\":\"yard\",\"operation\":\"%s\",\"backend\":\"world\",\"supportedModes\":"
                    "[\"%s\"],\"interference\":\"none\",\"confidence\":1,\"verificationSource\":\"none\"}}",
                    a->action, a->session, a->principal, a->tool, a->tool, a->mode, now, later, a->tool, a->thing,
                    a->tool, a->mode);
}

static int lease(const struct asked *a, char *out, size_t size)
{
    char later[32];
    at(30, later);
    return snprintf(out, size,
                    "{\"leaseId\":\"lease-%s\",\"revision\":1,\"sessionId\":\"%s\",\"principalId\":\"%s\","
                    "\"kind\":\"exclusive\",\"executionMode\":\"%s\",\"state\":\"active\",\"expiresAt\":\"%s\","
                    "\"actionBudget\":1,\"actionsUsed\":0}",
                    a->action, a->session, a->principal, a->mode, later);
}

/* The one place where the yard changes. */
static int execute(struct world *world, const struct asked *a, char *out, size_t size)
{
    if (strcmp(a->tool, "open_gate") == 0) world->gate_open[a->thing[0] == '2'] = true;
    if (strcmp(a->tool, "light_lamp") == 0) world->lamp_on = true;
    world->acts++;
    return snprintf(out, size,
                    "{\"receiptId\":\"receipt-%s\",\"sessionId\":\"%s\",\"actionId\":\"%s\",\"actionDigest\":\"%s-%s\","
                    "\"attempt\":1,\"status\":\"committed\"}",
                    a->action, a->session, a->action, a->tool, a->thing);
}

static enum il_code begin(void *ctx, const struct il_request *request, struct il_error *err)
{
    struct world *world = ctx;
    struct asked a;
    char out[2048] = "{}";
    member(request->body, "actionId", a.action, sizeof a.action);
    member(request->body, "sessionId", a.session, sizeof a.session);
    member(request->body, "principalId", a.principal, sizeof a.principal);
    member(request->body, "tool", a.tool, sizeof a.tool);
    member(request->body, "thingId", a.thing, sizeof a.thing);
    member(request->body, "mode", a.mode, sizeof a.mode);
    int n = 2;
    if (request->op == IL_OP_PREVIEW_ACTION) n = preview(&a, out, sizeof out);
    if (request->op == IL_OP_ACQUIRE_LEASE) n = lease(&a, out, sizeof out);
    if (request->op == IL_OP_EXECUTE_ACTION) n = execute(world, &a, out, sizeof out);
    const struct il_str answer = { out, (size_t)n };
    return il_host_complete(world->host, request->token, answer, err);
}

struct il_runtime world_runtime(struct world *world)
{
    struct il_runtime runtime = IL_RUNTIME_INIT;
    runtime.kind = "yard";
    runtime.begin = begin;
    runtime.ctx = world;
    runtime.ops &= ~(1u << IL_OP_RESERVE_TARGET) & ~(1u << IL_OP_VERIFY) & ~(1u << IL_OP_RECOVER);
    return runtime;
}
