/* A runtime in this process whose deeds outlive it (crash.h): each is a line that one write appends to the world's file
 * before anything is answered. It can be asked what it started (scene WORLD_KNOWS), or cannot. The arguments hold a
 * capital letter, so that the digest rule does not apply and a fixed digest serves. */
#include "crash.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void deed(const struct world *w, const char *what, const char *action)
{
    char line[120];
    int len = snprintf(line, sizeof line, "%s %s\n", what, action);
    int fd = open(w->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, line, (size_t)len) != len) abort();
    close(fd);
}

struct count world_count(const char *path, const char *action)
{
    char line[4096];
    struct count n = { 0, 0, 0 };
    FILE *file = fopen(path, "r");
    if (!file) return n;
    while (fgets(line, sizeof line, file)) {
        if (!strstr(line, action)) continue;
        if (line[0] == '{' || strncmp(line, "effect ", 7) == 0) n.effects++;
        if (strncmp(line, "lease", 5) == 0) n.leases = line[5] == '+';
        if (strncmp(line, "target", 6) == 0) n.targets = line[6] == '+'; /* asked again it is the same one */
    }
    (void)fclose(file);
    return n;
}

static const char RECEIPT[] = "{\"receiptId\":\"rec-1\",\"sessionId\":\"s-1\",\"actionId\":\"%s\",\"actionDigest\":\""
                              WORLD_ACTION_DIGEST "\",\"attempt\":1,\"status\":\"committed\"}";

static void preview(const struct world *w, const char *action, const char *target, char *out, size_t cap)
{
    char now[40], later[40];
    crash_rfc3339(0, now);
    crash_rfc3339(w->scene->ttl_ms ? w->scene->ttl_ms : 60000, later);
    (void)snprintf(out, cap,
        "{\"envelope\":{\"actionId\":\"%s\",\"sessionId\":\"s-1\",\"principalId\":\"p-1\",\"tool\":\"write_clipboard\","
        "\"operation\":\"write_clipboard\",\"actionClass\":\"edit_reversible\",\"requestedMode\":\"background\","
        "\"target\":%s,\"dataLabels\":[\"unknown\"],\"reversible\":true,\"externalSideEffect\":false,"
        "\"proposedAt\":\"%s\",\"expiresAt\":\"%s\",\"argsDigest\":\"" WORLD_ACTION_DIGEST "\"},%s,"
        "\"policy\":{\"decision\":\"allow\",\"policyDigest\":\"" WORLD_POLICY_DIGEST "\",\"reasons\":[\"allow\"]},"
        "\"capability\":{\"appId\":\"*\",\"operation\":\"write_clipboard\",\"backend\":\"none\","
        "\"supportedModes\":[\"background\"],\"interference\":\"none\",\"confidence\":1,\"verificationSource\":"
        "\"rule\"}}", action, target, now, later,
        w->scene->asks ? "\"executable\":false,\"blocker\":\"approval_required\"" : "\"executable\":true");
}

static void hold(const char *action, bool lease, char *out, size_t cap)
{
    char now[40], later[40];
    crash_rfc3339(0, now);
    crash_rfc3339(30000, later);
    if (lease)
        (void)snprintf(out, cap, "{\"leaseId\":\"lease-1\",\"revision\":1,\"sessionId\":\"s-1\","
                       "\"principalId\":\"p-1\",\"kind\":\"cooperative\",\"executionMode\":\"background\","
                       "\"state\":\"active\","
                       "\"acquiredAt\":\"%s\",\"expiresAt\":\"%s\",\"actionBudget\":1,\"actionsUsed\":0}", now, later);
    else
        (void)snprintf(out, cap, "{\"reservationId\":\"res-1\",\"revision\":1,\"intentId\":\"%s\","
                       "\"sessionId\":\"s-1\",\"principalId\":\"p-1\",\"scope\":{\"appId\":\"org.example.Editor\","
                       "\"windowId\":7},\"state\":"
                       "\"active\",\"acquiredAt\":\"%s\",\"expiresAt\":\"%s\"}", action, now, later);
}

/* The target as it was proposed: an object without objects in it. */
static void target_of(struct il_str body, char *out, size_t cap)
{
    static const char key[] = "\"target\":";
    const char *at = memmem(body.ptr, body.len, key, sizeof key - 1);
    const char *end = at ? memchr(at, '}', body.len - (size_t)(at - body.ptr)) : NULL;
    if (!end) (void)snprintf(out, cap, "null");
    else (void)snprintf(out, cap, "%.*s", (int)(end + 1 - (at + sizeof key - 1)), at + sizeof key - 1);
}

static void act(const struct world *w, const struct il_request *r, const char *action, char *out, size_t cap)
{
    char target[600];
    (void)snprintf(out, cap, "null");
    switch ((int)r->op) {
    case IL_OP_DISCOVER_CAPABILITIES: (void)snprintf(out, cap, "{\"capabilities\":[]}"); break;
    case IL_OP_OBSERVE_VISUAL: (void)snprintf(out, cap, "{\"image\":\"AAAA\"}"); break;
    case IL_OP_OBSERVE_SEMANTIC: (void)snprintf(out, cap, "{\"windows\":[]}"); break;
    case IL_OP_PREVIEW_ACTION:
        target_of(r->body, target, sizeof target);
        preview(w, action, target, out, cap);
        break;
    case IL_OP_RESERVE_TARGET:
    case IL_OP_ACQUIRE_LEASE:
        deed(w, r->op == IL_OP_ACQUIRE_LEASE ? "lease+" : "target+", action);
        hold(action, r->op == IL_OP_ACQUIRE_LEASE, out, cap);
        break;
    case IL_OP_RELEASE_LEASE: deed(w, "lease-", action); break;
    case IL_OP_RELEASE_TARGET: deed(w, "target-", action); break;
    case IL_OP_EXECUTE_ACTION:
        cut_here(CUT_ACTED, (int)r->op, false);
        deed(w, "effect", action);
        cut_here(CUT_ACTED, (int)r->op, true);
        (void)snprintf(out, cap, RECEIPT, action);
        break;
    case IL_OP_VERIFY: (void)snprintf(out, cap, "{\"satisfied\":true}"); break;
    case IL_OP_RECOVER:
        if (w->scene->kind != WORLD_KNOWS) (void)snprintf(out, cap, "\"unknown\"");
        else if (world_count(w->path, action).effects) (void)snprintf(out, cap, RECEIPT, action);
        else (void)snprintf(out, cap, "\"not_started\"");
        break;
    default: break;
    }
}

static enum il_code begin(void *ctx, const struct il_request *r, struct il_error *err)
{
    const struct world *w = ctx;
    char action[60] = "", out[4096];
    (void)crash_member(r->body, "actionId", action, sizeof action);
    act(w, r, action, out, sizeof out);
    cut_here(CUT_HEARD, (int)r->op, false);
    enum il_code code = il_host_complete(w->host, r->token, crash_str(out), err);
    cut_here(CUT_HEARD, (int)r->op, true);
    return code;
}

struct il_runtime world_runtime(struct world *w)
{
    struct il_runtime r = IL_RUNTIME_INIT;
    r.begin = begin;
    r.ctx = w;
    return r;
}
