/* A host in C99, the smallest one that is whole: one host, a runtime that acts on nothing, one governed action moved by
 * a loop that has a budget, and the result document. */
#include <interlock.h>

#include <stdio.h>
#include <string.h>

static struct il_str text(const char *z)
{
    struct il_str s;
    s.ptr = z;
    s.len = strlen(z);
    return s;
}

static int fail(const struct il_error *err)
{
    fprintf(stderr, "host: %s: %s\n", il_code_name(err->code), err->message);
    return 1;
}

int main(void)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_run_options action = IL_RUN_OPTIONS_INIT;
    struct il_str none = { NULL, 0 }, document;
    struct il_str scopes[2];
    il_host *host = NULL;
    il_run *run = NULL;
    int status = 0;

    if (il_host_new(&options, &host, &err)) return fail(&err);
    scopes[0] = text("computer:plan");
    scopes[1] = text("computer:execute:background");
    action.proposal = text("{\"tool\":\"write_clipboard\",\"arguments\":{\"text\":\"hello\"}}");
    action.principal = text("player-1");
    action.session_id = text("simulated-session");
    action.scopes = scopes;
    action.scope_count = 2;
    if (il_host_set_runtime_simulated(host, none, &err) || il_run_start(host, &action, &run, &err)) status = fail(&err);
    while (!status && il_run_state(run) != IL_RUN_ENDED) { /* once a frame */
        struct il_tick tick;
        tick.size = sizeof tick;
        if (il_host_tick(host, 1000, &tick, &err)) status = fail(&err);
    }
    if (!status && il_run_document(run, &document, &err)) status = fail(&err);
    if (!status) printf("%.*s\n", (int)document.len, document.ptr);
    il_host_free(host);
    return status;
}
