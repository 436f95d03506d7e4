/* Lease boundaries: every list against every kind of target. An empty list passes all; a non-empty one passes exactly
 * the targets that name a listed one; window ids go by type and value. */
#include "check_kit.h"
#include "tap.h"

#include "check/boundary.h"

static const struct il_str texts[] = { LIT("a"), LIT("b") };
static const struct il__window_id windows[] = {
    { IL__WINDOW_TOKEN, NONE, 42 }, { IL__WINDOW_TEXT, LIT("7"), 0 }
};

struct sample {
    const char *what;
    struct il_str text;
    bool listed;
};

static void run_texts(bool apps)
{
    static const struct sample samples[] = {
        { "the first", LIT("a"), true }, { "the second", LIT("b"), true }, { "another", LIT("c"), false },
        { "another case", LIT("A"), false }, { "longer", LIT("ab"), false }, { "with a NUL", LIT("a\0"), false },
        { "empty", LIT(""), false }, { "absent", NONE, false },
    };
    const char *field = apps ? "boundaries.app_ids" : "boundaries.display_ids";
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        for (size_t count = 0; count <= 2; count += 2) {
            struct kit kit;
            kit_init(&kit);
            *(apps ? &kit.target.app_id : &kit.target.display_id) = samples[i].text;
            *(apps ? &kit.bounds.app_ids : &kit.bounds.display_ids) = (struct il__strs){ texts, count };
            il__check_boundaries(&kit.ck, &kit.lease, &kit.env);
            if (count == 0 || samples[i].listed) kit_passed(&kit, samples[i].what);
            else kit_refused(&kit, "control lease", field, IL_IDENTITY_MISMATCH, samples[i].what);
        }
}

static void run_windows(void)
{
    static const struct { const char *what; struct il__window_id id; bool listed; } samples[] = {
        { "42", { IL__WINDOW_TOKEN, NONE, 42 }, true }, { "\"42\"", { IL__WINDOW_TEXT, LIT("42"), 0 }, false },
        { "\"7\"", { IL__WINDOW_TEXT, LIT("7"), 0 }, true }, { "7", { IL__WINDOW_TOKEN, NONE, 7 }, false },
        { "0", { IL__WINDOW_TOKEN, NONE, 0 }, false }, { "none", { IL__WINDOW_NONE, NONE, 0 }, false },
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        for (size_t count = 0; count <= 2; count += 2) {
            struct kit kit;
            kit_init(&kit);
            kit.target.window_id = samples[i].id;
            kit.bounds.window_ids = (struct il__windows){ windows, count };
            il__check_boundaries(&kit.ck, &kit.lease, &kit.env);
            if (count == 0 || samples[i].listed) kit_passed(&kit, samples[i].what);
            else kit_refused(&kit, "control lease", "boundaries.window_ids", IL_IDENTITY_MISMATCH, samples[i].what);
        }
}

static void no_target(void)
{
    struct kit kit;
    kit_init(&kit);
    kit.env.target = NULL;
    il__check_boundaries(&kit.ck, &kit.lease, &kit.env);
    kit_passed(&kit, "without target: lists that are empty pass");
    kit.lease.boundaries = NULL;
    il__check_boundaries(&kit.ck, &kit.lease, &kit.env);
    kit_passed(&kit, "without target: no boundaries pass");
    for (int list = 0; list < 3; list++) {
        static const char *const fields[] = { "boundaries.app_ids", "boundaries.window_ids", "boundaries.display_ids" };
        kit_init(&kit);
        kit.env.target = NULL;
        if (list == 0) kit.bounds.app_ids = (struct il__strs){ texts, 1 };
        if (list == 1) kit.bounds.window_ids = (struct il__windows){ windows, 1 };
        if (list == 2) kit.bounds.display_ids = (struct il__strs){ texts, 1 };
        il__check_boundaries(&kit.ck, &kit.lease, &kit.env);
        kit_refused(&kit, "control lease", fields[list], IL_IDENTITY_MISMATCH, "without target");
    }
}

static void shown(void)
{
    struct kit kit;
    kit_init(&kit);
    kit.bounds.window_ids = (struct il__windows){ windows, 2 };
    kit.target.window_id = (struct il__window_id){ IL__WINDOW_TEXT, S("42"), 0 };
    il__check_boundaries(&kit.ck, &kit.lease, &kit.env);
    tap_str(il__str(kit.err.expected), "[42,\"7\"]", "the refusal shows the list");
    tap_str(il__str(kit.err.actual), "\"42\"", "and the window, by its type");
}

int main(void)
{
    run_texts(true);
    run_texts(false);
    run_windows();
    no_target();
    shown();
    return tap_done();
}
