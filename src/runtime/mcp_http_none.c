/* What stands in for the HTTP wire in a build without libcurl (BUILD=minimal): every connection is refused by name.
 * Must never be linked beside mcp_http.c. */
#include "runtime/mcp_http.h"

#include "base/error.h"

enum il_code il__mcp_http_new(const struct il__mcp_http_options *options, struct il__mcp_sink sink,
                              struct il__mcp_wire *out, struct il_error *err)
{
    (void)options;
    (void)sink;
    (void)out;
    return il__fail_at(err, IL_UNSUPPORTED, "mcp", "url",
                       "this build has no HTTP: speak to the server as stdio:COMMAND, or build the library whole");
}
