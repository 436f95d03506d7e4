/* Lease boundaries, see boundary.h. Must never let a target pass that a non-empty list does not name. */
#include "check/boundary.h"

#include "check/show.h"

static bool has_window(struct il__windows list, struct il__window_id id)
{
    for (size_t i = 0; i < list.count; i++)
        if (il__window_equal(list.items[i], id)) return true;
    return false;
}

static void check_texts(struct il__checker *ck, const char *field, struct il__strs list, struct il_str actual)
{
    char want[IL__SHOW_MAX];
    if (list.count == 0) return;
    bool ok = il__str_present(actual) && il__strs_has(list, actual);
    il__check_that(ck, field, ok, il__show_strs(list, want), actual);
}

static void check_windows(struct il__checker *ck, const char *field, struct il__windows list, struct il__window_id id)
{
    char want[IL__SHOW_MAX], got[IL__SHOW_MAX];
    if (list.count == 0) return;
    bool ok = id.kind != IL__WINDOW_NONE && has_window(list, id);
    il__check_that(ck, field, ok, il__show_windows(list, want), il__show_window(id, got));
}

void il__check_boundaries(struct il__checker *ck, const struct il__lease *lease, const struct il__envelope *env)
{
    static const struct il__target none = { .window_id = { .kind = IL__WINDOW_NONE } };
    const struct il__boundaries *bounds = lease->boundaries;
    const struct il__target *target = env->target ? env->target : &none;
    if (!bounds) return;
    il__checker_object(ck, "control lease", IL_IDENTITY_MISMATCH);
    check_texts(ck, "boundaries.app_ids", bounds->app_ids, target->app_id);
    check_windows(ck, "boundaries.window_ids", bounds->window_ids, target->window_id);
    check_texts(ck, "boundaries.display_ids", bounds->display_ids, target->display_id);
}
