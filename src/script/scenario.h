/* Scenario files: a sandbox of their own in which the words of lua/interlock/scenario.lua are known, and one primitive
 * that yields a call to the host. Knows nothing of hosts: who drives it carries the calls out.
 * Must never share a state with the runs that it drives. */
#ifndef IL_SCRIPT_SCENARIO_H
#define IL_SCRIPT_SCENARIO_H

#include "base/buf.h"
#include "script/sandbox.h"

struct il__scenario;

/* What a scenario file is given as globals: members of interlock/scenario.lua. Ended by NULL. */
extern const char *const il__scenario_globals[];

struct il__scenario_options {
    struct il__mem *mem;           /* needed */
    const struct il__clock *clock; /* needed: bounds the script; not the clock of the runs */
    const char *file;              /* in messages */
    struct il_str source;
    struct il_str data; /* JSON that the file reads as `require("interlock.scenario.host").data()`, or absent */
};
/* Loads the file. On failure `err` names file and line. What the options point to must live as long as the scenario. */
enum il_code il__scenario_open(const struct il__scenario_options *options, struct il__scenario **out,
                               struct il_error *err) IL_MUST_USE;
void il__scenario_close(struct il__scenario *sc); /* NULL is accepted */
size_t il__scenario_count(const struct il__scenario *sc);
/* The name of scenario `at` (from 0), and all its members but `play` as a JSON object, appended. */
enum il_code il__scenario_name(struct il__scenario *sc, size_t at, struct il__buf *out,
                               struct il_error *err) IL_MUST_USE;
enum il_code il__scenario_setup(struct il__scenario *sc, size_t at, struct il__buf *out,
                                struct il_error *err) IL_MUST_USE;

enum il__scenario_event { IL__SCENARIO_CALLS, IL__SCENARIO_PASSED, IL__SCENARIO_FAILED };
/* Plays scenario `at` on: `answer` is the JSON result of the last call (absent the first time). CALLS: `*op` names what
 * is asked for and `*args` is its JSON, both valid until the next call. FAILED: `result` has line and message. */
enum il__scenario_event il__scenario_next(struct il__scenario *sc, size_t at, struct il_str answer, struct il_str *op,
                                          struct il_str *args, struct il__script_result *result);

#endif
