/* What an adapter that queues, or that reads a server's events, tells the core (SPEC §4 I2, §7). */
#include "kit.h"
#include "tap.h"

#include <string.h>

static void unsent(enum il_code code, const char *status)
{
    struct kit k;
    kit_open(&k);
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_EXECUTE_ACTION, .fail = code, .unsent = true });
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), status, "a send that never left ends %s", status);
    tap_ok(k.run->effect == IL_EFFECT_NONE && k.run->sends == 0, "%s: effect none, as if not sent", status);
    tap_int(k.calls[IL_OP_RECOVER], 0, "%s: there is nothing to recover", status);
    tap_int((long long)kit_error(&k).code, (long long)code, "%s: its own code", status);
    kit_counts(&k, 0, 1, 1, status);
    kit_close(&k);
}

#define EVENT(verified, method)                                                                                        \
    "{\"events\":[{\"schemaVersion\":1,\"eventId\":\"e\",\"sequence\":3,\"sessionId\":\"s-1\",\"actionId\":\"$A\","    \
    "\"type\":\"action.verified\",\"at\":\"2026-11-30T18:00:00Z\",\"payload\":{\"verified\":" verified                 \
    ",\"method\":\"" method                                                                                            \
    "\",\"checks\":1,\"postconditionKind\":\"window\",\"postconditionExpectedState\":\"exists\"}}]}"

static void event(const char *evidence, bool believe, const char *status, const char *detail, const char *what)
{
    struct kit k;
    struct il_str document;
    kit_open(&k);
    k.options.accept_server_verification = believe;
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_RESERVE_TARGET, .to = "null" });
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_VERIFY, .to = evidence });
    kit_start(&k, kit_postcondition);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), status, "%s: %s", what, status);
    tap_ok(!il__run_document(k.run, &document, NULL) && strstr(document.ptr, detail), "%s: %s", what, detail);
    kit_close(&k);
}

static void events(void)
{
    event(EVENT("true", "postcondition.window"), false, "committed_unverified", "says verified: true",
          "a positive event is quoted, not believed");
    event(EVENT("true", "postcondition.window"), true, "completed", "\"evidence\":\"server_event\"",
          "unless the host says so");
    event(EVENT("true", "fresh_window_identity"), true, "committed_unverified", "fresh_window_identity",
          "another method proves nothing");
    event(EVENT("false", "postcondition.window"), false, "verification_failed", "says verified: false",
          "a negative event contradicts");
    event("{\"events\":[{\"type\":\"action.verified\"}]}", true, "committed_unverified", "does not say",
          "an event that cannot be read is none");
    event("{\"events\":7}", true, "committed_unverified", "does not say", "nor is anything else");
}

int main(void)
{
    unsent(IL_TRANSPORT, "failed");
    unsent(IL_CANCELLED, "cancelled");
    unsent(IL_IDENTITY_MISMATCH, "refused");
    events();
    return tap_done();
}
