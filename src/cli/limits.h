/* The limits of the command itself: what it reads and how much of it. The library's own stand behind il_limit_at;
 * `interlock doctor` shows both tables. Must never hold a limit of the library. */
#ifndef IL_CLI_LIMITS_H
#define IL_CLI_LIMITS_H

/* X(constant, value, "name", "unit", "what it bounds") */
#define IL__CLI_LIMITS(X)                                                                               \
    X(FILE_BYTES, 16777216, "cli_file_bytes", "bytes", "one file or standard input as read")            \
    X(TEXT_BYTES, 268435456, "cli_text_bytes", "bytes", "one text that the command builds in memory")   \
    X(OPTIONS, 48, "cli_options", "count", "options of one command")                                    \
    X(PENDING_ROWS, 1000, "cli_pending_rows", "count", "runs that one list in text shows")             \
    X(OPTION_VALUES, 64, "cli_option_values", "count", "how often one option may be repeated")          \
    X(FOUND_FILES, 4096, "cli_found_files", "count", "files and folders that one search may meet")      \
    X(FOUND_DEPTH, 16, "cli_found_depth", "levels", "nesting of folders that a search enters")          \
    X(DESCRIPTORS, 64, "cli_descriptors", "count", "descriptors of a connection waited for at once")    \
    X(JSON_DEPTH, 600, "cli_json_depth", "levels", "nesting that the command reads in a document")

#define IL__CLI_LIMIT_ENUM(constant, value, name, unit, about) IL__CLI_##constant = (value),
enum il__cli_limit { IL__CLI_LIMITS(IL__CLI_LIMIT_ENUM) };
#undef IL__CLI_LIMIT_ENUM

#endif
