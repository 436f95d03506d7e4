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
    X(SCRIPT_LEVELS, 190, "script_levels", "levels", "nesting of statements and operands in a script that lint reads") \
    X(SCRIPT_SUFFIXES, 64, "script_suffixes", "count", "links of one a.b.c chain in a script")                      \
    X(SCRIPT_OPERATORS, 2000, "script_operators", "count", "and, or and elseif in one script")                      \
    X(SCRIPT_MUTANTS, 5000, "script_mutants", "count", "small changes that are tried in one script")               \
    X(LINT_FINDINGS, 1000, "lint_findings", "count", "what lint says about one bundle")                             \
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
    X(TRIAL_RECORDS, 512, "trial_records", "count", "journal records of one run by policies on trial")              \
    X(TRIAL_BYTES, 1048576, "trial_bytes", "bytes", "journal of one run by policies on trial")                      \
    X(TRIAL_MS, 500, "trial_ms", "ms", "time of all policies on trial together in one phase")                       \
    X(RUN_JOURNAL_BYTES, 67108864, "run_journal_bytes", "bytes", "journal of one run with its payloads")            \
    X(LEASE_WAIT_MS, 10000, "lease_wait_ms", "ms", "wait for the one lease of a host")                              \
    X(REQUEST_TIMEOUT_MS, 30000, "request_timeout_ms", "ms", "one request to the runtime")                          \
    X(CONTROL_TIMEOUT_MS, 10000, "control_timeout_ms", "ms", "pause, stop and emergency stop at the runtime")       \
    X(ENVELOPE_TTL_MS, 300000, "envelope_ttl_ms", "ms", "time to live asked for a preview")                         \
    X(LEASE_TTL_MS, 30000, "lease_ttl_ms", "ms", "time to live asked for a lease")                                  \
    X(GRANT_TTL_MS, 300000, "grant_ttl_ms", "ms", "time to live asked for a grant of the approver connection")       \
    X(RESERVATION_TTL_MS, 30000, "reservation_ttl_ms", "ms", "time to live asked for a reservation")                \
    X(APPROVAL_TIMEOUT_MS, 86400000, "approval_timeout", "ms", "wait for an answer before the preview")             \
    X(AUDIT_RUNS, 1000000, "audit_runs", "count", "runs of a store that one audit reads")                            \
    X(AUDIT_MASKS, 64, "audit_masks", "count", "pointers that one export masks")                                    \
    X(WITNESS_BYTES, 16777216, "witness_bytes", "bytes", "heads that an audit is given from outside")               \
    X(CONFIG_BYTES, 65536, "config_bytes", "bytes", "one configuration file")                                       \
    X(CONFIG_TOOLS, 64, "config_tools", "count", "tools that a configuration accepts by name")                      \
    X(CONFIG_HOST_BYTES, 64, "config_host_bytes", "bytes", "name of a host in a configuration")                     \
    X(BUNDLES, 16, "bundles", "count", "policy bundles of one host")                                                \
    X(BUNDLE_FILES, 64, "bundle_files", "count", "files of one policy bundle")                                      \
    X(BUNDLE_BYTES, 1048576, "bundle_bytes", "bytes", "all files of one policy bundle")                             \
    X(BUNDLE_NAME_BYTES, 64, "bundle_name_bytes", "bytes", "name of a policy bundle or of a policy")                 \
    X(BUNDLE_PATH_BYTES, 128, "bundle_path_bytes", "bytes", "path of a file in a policy bundle")                     \
    X(ZONE_BYTES, 128, "zone_bytes", "bytes", "the rule of a time zone")                                            \
    X(RULE_TEXT_BYTES, 65536, "rule_text_bytes", "bytes", "text that a glob is held against, or whose domain is read")\
    X(RULE_PATTERN_BYTES, 1024, "rule_pattern_bytes", "bytes", "one glob, or one pattern of domains")               \
    X(RULE_PATH_BYTES, 4096, "rule_path_bytes", "bytes", "a path that a policy compares")                           \
    X(NFC_BYTES, 16384, "nfc_bytes", "bytes", "text that a policy normalizes")                                      \
    X(NFC_MARKS, 30, "nfc_marks", "count", "combining marks on one character, as in UAX #15")                       \
    X(BUNDLE_PACKED_BYTES, 4194304, "bundle_packed_bytes", "bytes", "a policy bundle that was packed into one file")   \
    X(BUNDLE_KEYS, 16, "bundle_keys", "count", "public keys that bundles are trusted by")                              \
    X(BUNDLE_PARAMS, 64, "bundle_params", "count", "parameters of one policy")                                      \
    X(POLICIES, 64, "policies", "count", "policies of all bundles of one host")                                     \
    X(LIMIT_UNITS, 100000, "limit_units", "count", "units of limits that one store keeps")                          \
    X(LIMIT_CLAIMS, 64, "limit_claims", "count", "limits that one run counts against")                              \
    X(LIMIT_KEY_BYTES, 128, "limit_key_bytes", "bytes", "key of a limit, as a policy writes it")                     \
    X(LIMIT_MAX, 10000, "limit_max", "count", "units that one limit may allow within its time")                     \
    X(HISTORY_ENTRIES, 100000, "history_entries", "count", "runs whose outcome one store keeps")                    \
    X(KEPT_S, 2678400, "kept", "s", "time that units of limits and outcomes of runs are kept")                      \
    X(POLICY_ASKS, 64, "policy_asks", "count", "questions of one policy in one phase: limits and history")          \
    X(EXPLAIN_CANDIDATES, 400, "explain_candidates", "count", "changes of one case that an explanation tries")      \
    X(EXPLAIN_EVALS, 20000, "explain_evals", "count", "changed cases that one explanation asks policies about")     \
    X(EXPLAIN_MS, 30000, "explain_ms", "ms", "time that one explanation tries changes of a case")                   \
    X(EXPLAIN_FLIPS, 32, "explain_flips", "count", "changes of a verdict that one explanation lists")               \
    X(MUTATE_EVALS, 10000, "mutate_evals", "count", "changed cases asked about for the mutants of a bundle")     \
    X(MUTANTS_LISTED, 256, "mutants_listed", "count", "mutants that one list calls equivalent")                     \
    X(NEEDS, 64, "needs", "count", "open needs of one run")                                                         \
    X(DECISIONS, 64, "decisions", "count", "decisions of one run that count")                                       \
    X(APPROVERS, 256, "approvers", "count", "approvers of one host")                                                \
    X(ROLES, 16, "roles", "count", "roles of one approver, or of one ask")                                          \
    X(IDENTITY_TOKEN_BYTES, 16384, "identity_token_bytes", "bytes", "one token that says who a run is for")         \
    X(IDENTITY_KEYS, 32, "identity_keys", "count", "keys that such tokens are checked with")                        \
    X(TENANT_CLAIM_BYTES, 128, "tenant_claim_bytes", "bytes", "name of the claim that names the tenant")            \
    X(ASK_APPROVERS, 16, "ask_approvers", "count", "approvers that one ask may demand")                             \
    X(ASK_TIMEOUT_S, 2592000, "ask_timeout", "s", "time-out that one ask may set")                                  \
    X(VERDICT_TEXT_BYTES, 400, "verdict_text_bytes", "bytes", "reason, remedy, code or role of a verdict")           \
    X(CASE_HISTORY, 256, "case_history", "count", "earlier runs that one case of a policy test tells of")              \
    X(TRACE_VALUES, 256, "trace_values", "count", "values that a trace of one policy shows")                        \
    X(CARD_VALUE_BYTES, 2048, "card_value_bytes", "bytes", "a value on a card; a longer one is cut, with its digest") \
    X(CARD_BYTES, 65536, "card_bytes", "bytes", "one card")                                                         \
    X(STORE_PENDING_BYTES, 67108864, "store_pending_bytes", "bytes", "what a store was told and has not written yet") \
    X(STORE_LETTERS, 64, "store_letters", "count", "letters for one run that nobody has taken")                     \
    X(STORE_BUSY_MS, 5000, "store_busy_ms", "ms", "wait for another process that writes to the store")              \
    X(STORE_WAL_BYTES, 4194304, "store_wal_bytes", "bytes", "log of a store; past it, it goes to the main file")    \
    X(STORE_CACHE_BYTES, 2097152, "store_cache_bytes", "bytes", "pages of a store file kept in memory")             \
    X(STORE_OWNERS, 4096, "store_owners", "count", "owner files that one opening of a store looks through")         \
    X(MCP_HTTP_STREAMS, 32, "mcp_http_streams", "count", "connections to an MCP server over HTTP at once")           \
    X(MCP_HTTP_KEPT_FOR_NOTES, 4, "mcp_http_kept_for_notes", "count", "of them, those kept for notes and answers")   \
    X(MCP_HTTP_SOCKETS, 128, "mcp_http_sockets", "count", "sockets of all connections to an MCP server over HTTP")   \
    X(MCP_HTTP_URL_BYTES, 4096, "mcp_http_url_bytes", "bytes", "address of an MCP server")                          \
    X(MCP_HTTP_TOKEN_BYTES, 8192, "mcp_http_token_bytes", "bytes", "bearer token for an MCP server")                \
    X(MCP_HTTP_SESSION_BYTES, 1024, "mcp_http_session_bytes", "bytes", "session id of an MCP server")               \
    X(MCP_HTTP_HEAD_BYTES, 65536, "mcp_http_head_bytes", "bytes", "all header lines of one answer over HTTP")       \
    X(MCP_HTTP_ERROR_BYTES, 65536, "mcp_http_error_bytes", "bytes", "body of a refusal over HTTP")                  \
    X(MCP_HTTP_EVENTS, 100000, "mcp_http_events", "count", "events of one event stream")                            \
    X(MCP_HTTP_STREAM_BYTES, 67108864, "mcp_http_stream_bytes", "bytes", "one event stream")                        \
    X(MCP_HTTP_RESUMES, 8, "mcp_http_resumes", "count", "connections in a row that resume a stream in vain")        \
    X(MCP_HTTP_REFUSALS, 3, "mcp_http_refusals", "count", "of them, those that nobody listens for, in a row")         \
    X(MCP_HTTP_RETRY_MS, 1000, "mcp_http_retry_ms", "ms", "wait to resume a stream, unless the server names one")    \
    X(MCP_HTTP_RETRY_MIN_MS, 100, "mcp_http_retry_min_ms", "ms", "the least such wait, whatever the server says")   \
    X(MCP_HTTP_RETRY_MAX_MS, 60000, "mcp_http_retry_max_ms", "ms", "the longest such wait, whatever the server says") \
    X(MCP_HTTP_CONNECT_MS, 10000, "mcp_http_connect_ms", "ms", "connecting to an MCP server over HTTP, with TLS")   \
    X(MCP_HTTP_LINGER_MS, 10000, "mcp_http_linger_ms", "ms", "time that a given-up request over HTTP may still grant") \
    X(MCP_HTTP_NOTE_MS, 10000, "mcp_http_note_ms", "ms", "delivery of one note to an MCP server over HTTP")         \
    X(LUA_RUNTIME_MEMORY, 16777216, "lua_runtime_memory", "bytes", "all memory of one runtime written in Lua")       \
    X(LUA_RUNTIME_WAITING, 4096, "lua_runtime_waiting", "count", "answers of a Lua runtime that are not yet due")    \
    X(SCENARIO_STEPS, 10000, "scenario_steps", "count", "actions of one scenario")                                  \
    X(MCP_LINE_BYTES, 16777216, "mcp_line_bytes", "bytes", "one line that an MCP server writes")                    \
    X(MCP_MESSAGE_BYTES, 4194304, "mcp_message_bytes", "bytes", "one message to an MCP server")                     \
    X(MCP_QUEUE_BYTES, 16777216, "mcp_queue_bytes", "bytes", "messages that an MCP server has not read yet")        \
    X(MCP_QUEUED_NOTES, 256, "mcp_queued_notes", "count", "notes and answers that an MCP server has not read yet")  \
    X(MCP_IN_FLIGHT, 256, "mcp_in_flight", "count", "requests of one MCP connection that wait")                     \
    X(MCP_INITIALIZE_MS, 30000, "mcp_initialize_ms", "ms", "start of an MCP server up to its answer to initialize") \
    X(MCP_HARD_TIMEOUT_MS, 300000, "mcp_hard_timeout_ms", "ms", "one MCP request whatever progress it tells")       \
    X(MCP_LATE, 256, "mcp_late", "count", "given-up MCP requests whose late answers are still known")               \
    X(MCP_LATE_MS, 600000, "mcp_late_ms", "ms", "time that a late answer is still known")                           \
    X(MCP_RESTARTS, 3, "mcp_restarts", "count", "sessions that an MCP server may lose before it answers again")     \
    X(MCP_COMPLAINTS, 100, "mcp_complaints", "count", "log lines about wrong messages of one MCP connection")       \
    X(MCP_BATCH, 256, "mcp_batch", "count", "messages in one array of an MCP server")                               \
    X(MCP_PAGES, 100, "mcp_pages", "count", "pages of one tools/list")                                              \
    X(MCP_TOOLS, 4096, "mcp_tools", "count", "tools of one tools/list")                                             \
    X(MCP_CURSOR_BYTES, 4096, "mcp_cursor_bytes", "bytes", "cursor of a page of tools/list")                        \
    X(MCP_NAME_BYTES, 256, "mcp_name_bytes", "bytes", "name or version of an MCP server, or an id it chose")        \
    X(MCP_NOISE_LINES, 1000, "mcp_noise_lines", "count", "lines between two messages that are none")                \
    X(MCP_NOISE_BYTES, 1048576, "mcp_noise_bytes", "bytes", "text between two messages that is no message")         \
    X(MCP_STDERR_LINES, 50, "mcp_stderr_lines", "count", "logged lines of stderr of an MCP server in a second")     \
    X(MCP_SHUT_MS, 2000, "mcp_shut_ms", "ms", "each step of ending an MCP server: stdin closed, SIGTERM, SIGKILL")  \
    X(MCP_GOODBYE_MS, 500, "mcp_goodbye_ms", "ms", "telling an MCP server of the end when its host is freed")         \
    X(MCP_COMMAND_BYTES, 65536, "mcp_command_bytes", "bytes", "command line of an MCP server")                      \
    X(APPROVER_ASKS, 16, "approver_asks", "count", "grants asked for at once over an approver connection")           \
    X(SUPERVISOR_LINE_BYTES, 65536, "supervisor_line_bytes", "bytes", "one message on a supervisor's socket")        \
    X(CONNECT_TIMEOUT_MS, 30000, "connect_timeout_ms", "ms", "connecting to a server until it is ready")            \
    X(MCP_KEPT_BYTES, 67108864, "mcp_kept_bytes", "bytes", "arguments of sent actions, kept to look for lost ones")  \
    X(EVENT_PAGES, 64, "event_pages", "count", "pages of session events that one reading takes")                    \
    X(RECONNECTS, 5, "reconnects", "count", "connections made again to one server within reconnect_window_ms")       \
    X(RECONNECT_WINDOW_MS, 60000, "reconnect_window_ms", "ms", "time in which reconnects are counted")               \
    X(RECONNECT_WAIT_MS, 250, "reconnect_wait_ms", "ms", "wait before the first of them; each further doubles it")   \
    X(READ_BACK_BYTES, 1048576, "read_back_bytes", "bytes", "what a read-back of a verification may be told")         \
    X(READ_BACK_MS, 5000, "read_back_ms", "ms", "one observation of a read-back")                                    \
    X(MCP_ARGUMENTS, 256, "mcp_arguments", "count", "words of the command line, or variables, of an MCP server")    \
    X(SSE_LINE_BYTES, 16777216, "sse_line_bytes", "bytes", "one line of an event stream")                           \
    X(SSE_EVENT_BYTES, 16777216, "sse_event_bytes", "bytes", "data of one event of an event stream")                \
    X(SSE_ID_BYTES, 4096, "sse_id_bytes", "bytes", "id or type of an event of an event stream")                     \
    X(EVALUATED_EVENTS, 100000, "evaluated_events", "count", "session events of one evaluation")                    \
    X(TRAJECTORY_STEPS, 1000, "trajectory_steps", "count", "steps of an expected trajectory")                       \
    X(TRAJECTORY_ARGUMENTS, 32, "trajectory_arguments", "count", "arguments of one expected step")                  \
    X(DSSE_SIGNATURES, 16, "dsse_signatures", "count", "signatures of one envelope")

#define IL__LIMIT_ENUM(constant, value, name, unit, about) IL__LIMIT_##constant = (value),
enum il__limit { IL__LIMITS(IL__LIMIT_ENUM) };
#undef IL__LIMIT_ENUM

#endif
