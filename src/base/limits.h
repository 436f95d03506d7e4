/* Every limit of the product: number, name, unit and what it bounds, in one table. `interlock doctor`, the pages and
 * the tests read it from here. */
#ifndef IL_BASE_LIMITS_H
#define IL_BASE_LIMITS_H

/* X(constant, value, "name", "unit", "what it bounds") */
#define IL__LIMITS(X)                                                                                              \
    X(CONTRACT_BYTES, 1048576, "contract_bytes", "bytes", "one contract object as received")                        \
    X(RESULT_BYTES, 16777216, "result_bytes", "bytes", "one answer of the runtime as received")                     \
    X(JSON_DEPTH, 64, "json_depth", "levels", "nesting of a contract object")                                       \
    X(JSON_FREE_DEPTH, 512, "json_free_depth", "levels", "nesting of a free-form value")                            \
    X(JSON_NODES, 2000000, "json_nodes", "count", "values and member names of one document")                        \
    X(SCRIPT_MEMORY, 1048576, "script_memory", "bytes", "all memory of one script")                                 \
    X(SCRIPT_BLOCK, 524288, "script_block", "bytes", "one allocation of a script")                                  \
    X(SCRIPT_FUEL, 20000000, "script_fuel", "units", "work of a workflow between two requests, or of a policy phase") \
    X(SCRIPT_WALL_MS, 2000, "script_wall_ms", "ms", "time of one script between two requests")                      \
    X(SCRIPT_SOURCE, 65536, "script_source", "bytes", "source text of one script file")                             \
    X(SCRIPT_NESTING, 100, "script_nesting", "levels", "nesting of brackets and blocks in a script")                \
    X(SCRIPT_SUFFIXES, 64, "script_suffixes", "count", "links of one a.b.c chain in a script")                      \
    X(SCRIPT_OPERATORS, 2000, "script_operators", "count", "and, or and elseif in one script")                      \
    X(SCRIPT_C_STACK, 131072, "script_c_stack", "bytes", "C stack that a script may use below its entry")           \
    X(SCRIPT_COROUTINES, 1000, "script_coroutines", "count", "coroutines that one script may create")               \
    X(SCRIPT_RESULTS, 4096, "script_results", "count", "values that one unpack or byte may give")                   \
    X(SCRIPT_LOG_LINES, 200, "script_log_lines", "count", "log lines of one script")                                \
    X(SCRIPT_LOG_BYTES, 16384, "script_log_bytes", "bytes", "log text of one script")                               \
    X(SCRIPT_ERROR_BYTES, 400, "script_error_bytes", "bytes", "text of one script error")                           \
    X(VALUE_DEPTH, 32, "value_depth", "levels", "nesting of a value that a script hands to the core")               \
    X(VALUE_CELLS, 10000, "value_cells", "count", "entries of a value that a script hands to the core")             \
    X(VALUE_BYTES, 1048576, "value_bytes", "bytes", "text of a value that a script hands to the core")              \
    X(MOVING_RUNS, 32, "max_moving_runs", "runs", "runs that move at once; more wait in line")                      \
    X(QUEUED_RUNS, 100000, "max_runs", "runs", "runs that one host holds in memory")                                \
    X(RUN_STEPS, 256, "run_steps", "count", "verbs that one workflow may ask for")                                  \
    X(RUN_REQUESTS, 512, "run_requests", "count", "requests of one run to the runtime")                             \
    X(RUN_RECORDS, 2048, "run_records", "count", "journal records of one run")                                      \
    X(RUN_JOURNAL_BYTES, 67108864, "run_journal_bytes", "bytes", "journal of one run with its payloads")            \
    X(LEASE_WAIT_MS, 10000, "lease_wait_ms", "ms", "wait for the one lease of a host")                              \
    X(REQUEST_TIMEOUT_MS, 30000, "request_timeout_ms", "ms", "one request to the runtime")                          \
    X(CONTROL_TIMEOUT_MS, 10000, "control_timeout_ms", "ms", "pause, stop and emergency stop at the runtime")       \
    X(ENVELOPE_TTL_MS, 300000, "envelope_ttl_ms", "ms", "time to live asked for a preview")                         \
    X(LEASE_TTL_MS, 30000, "lease_ttl_ms", "ms", "time to live asked for a lease")                                  \
    X(RESERVATION_TTL_MS, 30000, "reservation_ttl_ms", "ms", "time to live asked for a reservation")                \
    X(APPROVAL_TIMEOUT_MS, 86400000, "approval_timeout", "ms", "wait for an answer before the preview")             \
    X(BUNDLES, 16, "bundles", "count", "policy bundles of one host")                                                \
    X(BUNDLE_FILES, 64, "bundle_files", "count", "files of one policy bundle")                                      \
    X(BUNDLE_BYTES, 1048576, "bundle_bytes", "bytes", "all files of one policy bundle")                             \
    X(BUNDLE_NAME_BYTES, 64, "bundle_name_bytes", "bytes", "name of a policy bundle or of a policy")                 \
    X(BUNDLE_PATH_BYTES, 128, "bundle_path_bytes", "bytes", "path of a file in a policy bundle")                     \
    X(BUNDLE_PARAMS, 64, "bundle_params", "count", "parameters of one policy")                                      \
    X(POLICIES, 64, "policies", "count", "policies of all bundles of one host")                                     \
    X(NEEDS, 64, "needs", "count", "open needs of one run")                                                         \
    X(DECISIONS, 64, "decisions", "count", "decisions of one run that count")                                       \
    X(APPROVERS, 256, "approvers", "count", "approvers of one host")                                                \
    X(ROLES, 16, "roles", "count", "roles of one approver, or of one ask")                                          \
    X(ASK_APPROVERS, 16, "ask_approvers", "count", "approvers that one ask may demand")                             \
    X(ASK_TIMEOUT_S, 2592000, "ask_timeout", "s", "time-out that one ask may set")                                  \
    X(VERDICT_TEXT_BYTES, 400, "verdict_text_bytes", "bytes", "reason, remedy, code or role of a verdict")           \
    X(CARD_VALUE_BYTES, 2048, "card_value_bytes", "bytes", "a value on a card; a longer one is cut, with its digest") \
    X(CARD_BYTES, 65536, "card_bytes", "bytes", "one card")                                                         \
    X(LUA_RUNTIME_MEMORY, 16777216, "lua_runtime_memory", "bytes", "all memory of one runtime written in Lua")       \
    X(LUA_RUNTIME_WAITING, 4096, "lua_runtime_waiting", "count", "answers of a Lua runtime that are not yet due")    \
    X(SCENARIO_STEPS, 10000, "scenario_steps", "count", "actions of one scenario")

#define IL__LIMIT_ENUM(constant, value, name, unit, about) IL__LIMIT_##constant = (value),
enum il__limit { IL__LIMITS(IL__LIMIT_ENUM) };
#undef IL__LIMIT_ENUM

#endif
