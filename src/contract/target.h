/* Where an action is aimed, and what is known of the sensitivity of that place (SPEC §2). Uses the schema engine.
 * The sensitivity object is closed: it names signals and never carries a value from the screen. */
#ifndef IL_CONTRACT_TARGET_H
#define IL_CONTRACT_TARGET_H

#include "contract/schema.h"

struct il__bounds { double x, y, width, height; };
extern const struct il__schema il__bounds_schema;

struct il__target {
    struct il_str platform, app_id;
    struct il__opt_int pid; /* u32 */
    struct il__window_id window_id;
    struct il_str window_title_digest, display_id, role, label_digest;
    const struct il__bounds *bounds;
    struct il_str observation_id, screenshot_hash, ui_tree_revision;
    double confidence; /* 0..1 */
    struct il_str captured_at;
};
extern const struct il__schema il__target_schema;

enum il__assessment { IL__ASSESSMENT_SENSITIVE, IL__ASSESSMENT_NON_SENSITIVE, IL__ASSESSMENT_UNKNOWN,
                      IL__ASSESSMENT_COUNT };
extern const char *const il__assessment_names[];
enum il__sensitivity_source { IL__SOURCE_ACCESSIBILITY, IL__SOURCE_UNAVAILABLE, IL__SOURCE_COUNT };
extern const char *const il__sensitivity_source_names[];
extern const char *const il__signal_names[];

struct il__sensitivity {
    int assessment; /* enum il__assessment */
    int source;     /* enum il__sensitivity_source */
    struct il__strs signals; /* at most 10, unique, each one of il__signal_names */
    int64_t fields_checked;  /* 0..100 */
    struct il_str observed_at;
};
extern const struct il__schema il__sensitivity_schema;

#endif
