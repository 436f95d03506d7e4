/* The options of a server, read and checked before anything is contacted.
 * A token comes from a file or a variable: arguments are seen by everybody on the machine. */
#include "cli/endpoint.h"

#include "cli/config.h"
#include "cli/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TOKEN_MAX = 8192, TIMEOUT_MAX_S = 3600 };

static bool starts_with(const char *text, const char *head)
{
    return strncmp(text, head, strlen(head)) == 0;
}

bool il__endpoint_is(const char *runtime)
{
    return starts_with(runtime, "mcp+http://") || starts_with(runtime, "mcp+https://") ||
           starts_with(runtime, "stdio:");
}

bool il__number_read(const char *text, int64_t min, int64_t max, int64_t *out)
{
    int64_t value = 0;
    if (!text[0]) return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || value > (INT64_MAX - 9) / 10) return false;
        value = value * 10 + (*text - '0');
    }
    if (value < min || value > max) return false;
    *out = value;
    return true;
}

/* RFC 6750: what may stand in the header. */
static bool is_token(struct il_str s)
{
    static const char signs[] = "-._~+/=";
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && (!c || !strchr(signs, c))) return false;
    }
    return s.len > 0 && s.len <= TOKEN_MAX;
}

static int take_token(struct il__io *io, struct il__endpoint *out, const char *option, const char *where)
{
    while (out->token.len && strchr(" \t\r\n", out->token.ptr[out->token.len - 1])) out->token.len--;
    if (is_token(il__text_get(&out->token))) return 0;
    il__io_error(io, "--%s %s: it holds no bearer token (letters, digits and -._~+/= on one line)", option, where);
    return 2;
}

static int read_token_file(struct il__io *io, struct il__endpoint *out, const char *option, const char *path)
{
    struct stat st;
    int status = il__io_read(io, path, &out->token);
    if (status == 0) status = take_token(io, out, option, path);
    if (status != 0) return status;
    if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 077))
        il__io_note(io, "note: others can read %s; 'chmod 600' keeps the token to you", path);
    return 0;
}

/* `file` and `env` are the names of the two options. */
static int read_token(struct il__io *io, const struct il__args *args, const char *file, const char *env,
                      struct il__endpoint *out)
{
    const char *path = il__args_value(args, file), *name = il__args_value(args, env);
    if (path && name) {
        il__io_error(io, "one token is enough; give --%s or --%s", file, env);
        return 2;
    }
    if ((path || name) && out->stdio) {
        il__io_error(io, "a server that is started over stdio takes no bearer token; leave out --%s",
                     path ? file : env);
        return 2;
    }
    if (path) return read_token_file(io, out, file, path);
    if (!name) return 0;
    const char *value = getenv(name);
    if (!value) {
        il__io_error(io, "--%s %s: there is no such variable in the environment", env, name);
        return 2;
    }
    il__text_puts(&out->token, value);
    return take_token(io, out, env, name);
}

/* Names and passwords do not belong into an address: it stands in the arguments, in results and in logs. */
static int check_address(struct il__io *io, const struct il__endpoint *out, const char *option)
{
    const char *rest = out->stdio ? out->address + 6 : strstr(out->address, "://") + 3;
    if (out->stdio && rest[strspn(rest, " ")] == '\0') {
        il__io_error(io, "--runtime stdio: names no program; write --runtime \"stdio:COMMAND ARGUMENTS\"");
        return 2;
    }
    if (out->stdio) return 0;
    size_t host = strcspn(rest, "/?#");
    if (host == 0) {
        il__io_error(io, "--%s %s: it names no host; write --%s mcp+http://127.0.0.1:7331/mcp", option, out->address,
                     option);
        return 2;
    }
    if (!memchr(rest, '@', host)) return 0;
    il__io_error(io, "--%s: an address must not hold a name or a password; give the token with a file", option);
    return 2;
}

static void read_accepted(const struct il__args *args, struct il__endpoint *out)
{
    const struct il__values *names = il__args_values(args, "accept-tool");
    for (size_t i = 0; i < names->count; i++) out->accept[i] = il__text_of(names->at[i]);
    out->accept_count = names->count;
    out->read_back = il__args_flag(args, "read-back");
}

static int read_timeout(struct il__io *io, const struct il__args *args, struct il__endpoint *out)
{
    const char *seconds = il__args_value(args, "connect-timeout");
    int64_t value = 0;
    if (!seconds) return 0;
    if (!il__number_read(seconds, 1, TIMEOUT_MAX_S, &value)) {
        il__io_error(io, "--connect-timeout: '%s' is no number of seconds from 1 to %d", seconds, (int)TIMEOUT_MAX_S);
        return 2;
    }
    out->connect_timeout_ms = (uint32_t)value * 1000;
    return 0;
}

static int check_ca(struct il__io *io, const char *ca, struct il__endpoint *out)
{
    out->ca = ca;
    if (!out->ca) return 0;
    if (!starts_with(out->address, "mcp+https://")) {
        il__io_error(io, "--ca is for mcp+https://...; this address has no certificate to check");
        return 2;
    }
    if (access(out->ca, R_OK) == 0) return 0;
    il__io_error(io, "--ca %s: %s", out->ca, strerror(errno));
    return 2;
}

/* "stdio:server", or the address up to a query. */
static void make_label(struct il__endpoint *out)
{
    const char *rest = out->stdio ? out->address + 6 : out->address;
    rest += strspn(rest, " ");
    snprintf(out->label, sizeof out->label, "%s%.*s", out->stdio ? "stdio:" : "",
             (int)strcspn(rest, out->stdio ? " " : "?#"), rest);
}

int il__endpoint_read(struct il__io *io, const struct il__args *args, const char *address, struct il__endpoint *out)
{
    memset(out, 0, sizeof *out);
    out->address = address;
    out->stdio = starts_with(address, "stdio:");
    make_label(out);
    int status = check_address(io, out, "runtime");
    if (status == 0) status = check_ca(io, il__args_value(args, "ca"), out);
    read_accepted(args, out);
    if (status == 0) status = read_timeout(io, args, out);
    if (status == 0) status = read_token(io, args, "token-file", "token-env", out);
    return status;
}

/* The configuration names authorities for each of the two; an option is for both. */
static const char *approver_ca(const struct il__args *args)
{
    if (!args->config || il__args_given(args, "approver") || il__args_given(args, "ca"))
        return il__args_value(args, "ca");
    return args->config->values->approver_ca.ptr;
}

int il__endpoint_approver(struct il__io *io, const struct il__args *args, const char *address,
                          struct il__endpoint *out)
{
    int status = 0;
    memset(out, 0, sizeof *out);
    out->address = address;
    make_label(out);
    if (!starts_with(address, "unix:")) status = check_address(io, out, "approver");
    if (status == 0 && starts_with(address, "mcp+https://")) status = check_ca(io, approver_ca(args), out);
    if (status == 0) status = read_timeout(io, args, out);
    if (status == 0) status = read_token(io, args, "approver-token-file", "approver-token-env", out);
    return status;
}

const char *il__endpoint_option_given(const struct il__args *args)
{
    static const char *const names[] = { "token-file", "token-env", "ca", "accept-tool", "connect-timeout", "read-back",
                                         "approver", "approver-token-file", "approver-token-env" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (il__args_given(args, names[i])) return names[i];
    return NULL;
}

void il__endpoint_clear(struct il__endpoint *endpoint)
{
    if (endpoint->token.ptr) explicit_bzero(endpoint->token.ptr, endpoint->token.cap);
    il__text_clear(&endpoint->token);
}
