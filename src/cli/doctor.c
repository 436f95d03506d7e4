/* `interlock doctor`: whether this build works on this machine: libraries, clocks, random bytes, digests, numbers, and
 * one simulated action from end to end; then every limit.
 * Must never call a machine sound when a probe failed: each failure is shown and the exit status is 8. */
#include "cli/clock.h"
#include "cli/config.h"
#include "cli/endpoint.h"
#include "cli/limits.h"

#include <locale.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* One probe's finding: a note, and whether all is well. */
struct finding {
    bool ok;
    char note[512];
};

static struct finding probe_version(void)
{
    struct finding f = { strcmp(il_version(), IL_VERSION) == 0, "" };
    snprintf(f.note, sizeof f.note, "library %s, command %s", il_version(), IL_VERSION);
    return f;
}

static struct finding probe_clock(void)
{
    struct finding f = { false, "" };
    struct timespec wall, boot, again;
    if (clock_gettime(CLOCK_REALTIME, &wall) != 0 || clock_gettime(CLOCK_BOOTTIME, &boot) != 0 ||
        clock_gettime(CLOCK_BOOTTIME, &again) != 0) {
        snprintf(f.note, sizeof f.note, "the system's clocks cannot be read");
        return f;
    }
    bool forward = again.tv_sec > boot.tv_sec || (again.tv_sec == boot.tv_sec && again.tv_nsec >= boot.tv_nsec);
    bool recent = wall.tv_sec > 1735689600; /* 2025-01-01: a clock before it was never set */
    f.ok = forward && recent;
    snprintf(f.note, sizeof f.note, "%s; %s",
             recent ? "the wall clock is set" : "the wall clock stands before 2025: set it",
             forward ? "the clock that counts suspended time goes forward" : "CLOCK_BOOTTIME went backward");
    return f;
}

static struct finding probe_random(void)
{
    struct finding f = { false, "the system's generator gives bytes, and two draws differ" };
    unsigned char a[32] = { 0 }, b[32] = { 0 };
    f.ok = getrandom(a, sizeof a, GRND_NONBLOCK) == sizeof a && getrandom(b, sizeof b, GRND_NONBLOCK) == sizeof b &&
           memcmp(a, b, sizeof a) != 0;
    if (!f.ok) snprintf(f.note, sizeof f.note, "the system's generator gives no bytes yet");
    return f;
}

static struct finding probe_digest(void)
{
    struct finding f = { false, "SHA-256 of a known text is right" };
    char hex[65] = "";
    il_sha256_hex(il__text_of("abc"), hex);
    f.ok = strcmp(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") == 0;
    if (!f.ok) snprintf(f.note, sizeof f.note, "SHA-256 of a known text is wrong");
    return f;
}

static struct finding probe_time(void)
{
    struct finding f = { false, "RFC 3339 times are read, leap seconds too" };
    int64_t sec = 0;
    int32_t nsec = 0;
    f.ok = il_time_parse(il__text_of("1990-12-31T15:59:60-08:00"), &sec, &nsec) && sec == 662688000 &&
           !il_time_parse(il__text_of("2026-02-30T00:00:00Z"), &sec, &nsec);
    if (!f.ok) snprintf(f.note, sizeof f.note, "RFC 3339 times are misread");
    return f;
}

/* Numbers must read and print with a point whatever the locale of the environment says. */
static struct finding probe_locale(void)
{
    struct finding f = { false, "" };
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_str text = { NULL, 0 };
    il_host *host = NULL;
    if (il_host_new(&options, &host, &err) == IL_OK &&
        il_host_canonical(host, il__text_of("{\"b\":1.50,\"a\":[1e21,0.1]}"), &text, &err) == IL_OK)
        f.ok = il__text_same(text, "{\"a\":[1e+21,0.1],\"b\":1.5}") && strcmp(localeconv()->decimal_point, ".") == 0;
    snprintf(f.note, sizeof f.note, "%s%s%s",
             f.ok ? "numbers are read and written the same in every locale" : "numbers depend on the locale",
             err.code == IL_OK ? "" : ": ", err.message);
    il_host_free(host);
    return f;
}

/* Moves the run until it stands still or ends. */
static bool settle(il_host *host, il_run *run)
{
    for (int i = 0; i < 1000; i++) {
        struct il_error err = IL_ERROR_INIT;
        struct il_tick tick = { .size = sizeof tick };
        if (il_host_tick(host, 10000, &tick, &err) != IL_OK) return false;
        if (il_run_state(run) == IL_RUN_ENDED || il_run_state(run) == IL_RUN_WAITING) return true;
        if (!tick.more && tick.in_flight == 0) return false;
    }
    return false;
}

static struct finding probe_run(void)
{
    struct finding f = { false, "" };
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_run_options run_options = IL_RUN_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_summary summary = { .size = sizeof summary };
    struct il_str scopes[] = { il__text_of("computer:plan"), il__text_of("computer:execute:background") };
    il_host *host = NULL;
    il_run *run = NULL;
    run_options.proposal = il__text_of("{\"tool\":\"write_clipboard\",\"arguments\":{\"text\":\"doctor\"}}");
    run_options.principal = il__text_of("local-operator");
    run_options.session_id = il__text_of("doctor");
    run_options.scopes = scopes;
    run_options.scope_count = 2;
    bool started = il_host_new(&options, &host, &err) == IL_OK &&
                   il_host_set_runtime_simulated(host, (struct il_str){ NULL, 0 }, &err) == IL_OK &&
                   il_run_start(host, &run_options, &run, &err) == IL_OK && settle(host, run);
    if (started) {
        il_run_summary(run, &summary);
        err = summary.error;
        f.ok = strcmp(summary.status, "committed_unverified") == 0 && err.code == IL_OK;
    }
    bool well = err.code == IL_OK;
    snprintf(f.note, sizeof f.note, "against the simulated runtime, which acts on nothing, it ends %s%s%s",
             started ? summary.status : "not at all", well ? "" : ": ", well ? "" : err.message);
    il_run_free(run);
    il_host_free(host);
    return f;
}

static const struct probe {
    const char *name;
    struct finding (*look)(void);
} probes[] = {
    { "version", probe_version }, { "clocks", probe_clock },   { "random", probe_random }, { "digest", probe_digest },
    { "time", probe_time },       { "locale", probe_locale },  { "one action", probe_run },
};

static const char *const facts[] = {
    "This build writes no file: runs live in memory and end with the process.",
    "Interlock governs only if it alone holds the credential to the runtime. The runtimes simulated and FILE.lua "
    "need none and reach no desktop; 'interlock doctor --runtime SERVER' looks at a server.",
};

static const struct il_limit *own_limit(size_t index)
{
    static const struct il_limit limits[] = {
#define IL_X(constant, value, name, unit, about) { name, value, unit, about },
        IL__CLI_LIMITS(IL_X)
#undef IL_X
    };
    return index < sizeof limits / sizeof *limits ? &limits[index] : NULL;
}

/* ---- as text ---- */

static void heading(struct il__out *out, const char *title)
{
    il__out_tone(out, IL__TONE_BOLD, il__text_of(title));
    il__out_puts(out, "\n");
}

static void show_limit(struct il__out *out, const struct il_limit *limit)
{
    char lead[96];
    bool narrow = out->width < 70;
    snprintf(lead, sizeof lead, "  %-20s %10llu %-7s%s", limit->name, (unsigned long long)limit->value, limit->unit,
             narrow ? "\n" : "");
    if (narrow) {
        il__out_puts(out, lead);
        il__out_wrap(out, "      ", 6, IL__TONE_DIM, il__text_of(limit->about));
    } else {
        il__out_wrap(out, lead, 41, IL__TONE_DIM, il__text_of(limit->about));
    }
}

static bool show_probes(struct il__out *out)
{
    bool well = true;
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        struct finding f = probes[i].look();
        enum il__tone tone;
        char lead[40];
        const char *mark = il__out_mark(out, f.ok ? IL__MARK_OK : IL__MARK_BAD, &tone);
        struct il__text note = IL__TEXT_INIT;
        snprintf(lead, sizeof lead, " %-12s", probes[i].name);
        il__text_escaped(&note, il__text_of(f.note));
        il__out_puts(out, "  ");
        il__out_tone(out, tone, il__text_of(mark));
        struct il__out rest = *out;
        rest.width = out->width - 4;
        il__out_wrap(&rest, lead, 17, IL__TONE_PLAIN, il__text_get(&note));
        out->lost = rest.lost;
        il__text_clear(&note);
        well = well && f.ok;
    }
    return well;
}

static bool show_text(const struct il__args *args, struct il__out *out)
{
    const char *name, *version;
    bool sound = true;
    if (args->config) {
        heading(out, "configuration");
        sound = il__doctor_config(args, out);
        il__out_puts(out, "\n");
    }
    heading(out, "probes");
    bool well = show_probes(out) && sound;
    heading(out, "\nlibraries");
    for (size_t i = 0; il_library_at(i, &name, &version); i++)
        il__out_pair(out, name, IL__TONE_PLAIN, il__text_of(version));
    heading(out, "\nto know");
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        il__out_wrap(out, "  ", 2, IL__TONE_PLAIN, il__text_of(facts[i]));
    heading(out, "\nlimits");
    for (size_t i = 0; il_limit_at(i); i++) show_limit(out, il_limit_at(i));
    for (size_t i = 0; own_limit(i); i++) show_limit(out, own_limit(i));
    il__out_puts(out, "\n");
    if (well) il__out_tone(out, IL__TONE_GOOD, il__text_of("all probes passed\n"));
    else il__out_tone(out, IL__TONE_BAD, il__text_of("something is wrong: see the marked lines\n"));
    return well;
}

/* ---- as JSON ---- */

static void json_limit(struct il__text *text, const struct il_limit *limit, bool first)
{
    il__text_printf(text, "%s{\"name\":", first ? "" : ",");
    il__text_json(text, il__text_of(limit->name));
    il__text_printf(text, ",\"value\":%llu,\"unit\":", (unsigned long long)limit->value);
    il__text_json(text, il__text_of(limit->unit));
    il__text_puts(text, ",\"about\":");
    il__text_json(text, il__text_of(limit->about));
    il__text_puts(text, "}");
}

static bool show_json(const struct il__args *args, struct il__out *out)
{
    struct il__text text = IL__TEXT_INIT;
    const char *name, *version;
    bool well = true;
    il__text_puts(&text, "{");
    bool sound = il__doctor_config_json(args, &text);
    il__text_puts(&text, "\"probes\":[");
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        struct finding f = probes[i].look();
        il__text_printf(&text, "%s{\"name\":\"%s\",\"ok\":%s,\"note\":", i ? "," : "", probes[i].name,
                        f.ok ? "true" : "false");
        il__text_json(&text, il__text_of(f.note));
        il__text_puts(&text, "}");
        well = well && f.ok;
    }
    il__text_puts(&text, "],\"libraries\":{");
    for (size_t i = 0; il_library_at(i, &name, &version); i++) {
        if (i) il__text_puts(&text, ",");
        il__text_json(&text, il__text_of(name));
        il__text_puts(&text, ":");
        il__text_json(&text, il__text_of(version));
    }
    il__text_puts(&text, "},\"writesFiles\":false,\"limits\":[");
    for (size_t i = 0; il_limit_at(i); i++) json_limit(&text, il_limit_at(i), i == 0);
    for (size_t i = 0; own_limit(i); i++) json_limit(&text, own_limit(i), !il_limit_at(0) && i == 0);
    il__text_printf(&text, "],\"ok\":%s}\n", well && sound ? "true" : "false");
    il__out_text(out, &text);
    il__text_clear(&text);
    return well && sound;
}

static int run(const struct il__args *args, struct il__io *io)
{
    if (args->operand_count) {
        il__io_error(io, "unexpected operand '%s'; write 'interlock doctor'", args->operands[0]);
        return 2;
    }
    bool connect = il__args_flag(args, "connect");
    if (connect && !il__args_value(args, "runtime")) {
        il__io_error(io, "--connect is for a configuration that names a server; or name one with --runtime");
        return 2;
    }
    if (connect || il__args_given(args, "runtime")) return il__doctor_server(args, io);
    if (il__endpoint_option_given(args)) {
        il__io_error(io, "--%s is for a server; name it with --runtime", il__endpoint_option_given(args));
        return 2;
    }
    return (il__args_json(args) ? show_json(args, &io->out) : show_text(args, &io->out)) ? 0 : 8;
}

static const struct il__option options[] = {
    { "runtime", "SERVER", false,
      "Probe this server instead: mcp+http://HOST/PATH, mcp+https://HOST/PATH or \"stdio:COMMAND ARGUMENTS\"." },
    { "connect", NULL, false, "Probe the server that the configuration names." },
    { "session", "S", false, "With a server: see that this session is there, and whose it is." },
    { "format", "text|json", false, "How to print; text is the default." },
    IL__ENDPOINT_OPTIONS,
    IL__CONFIG_OPTIONS,
};
static const char *const examples[] = {
    "interlock doctor",
    "interlock doctor --format json",
    "interlock doctor --runtime mcp+http://127.0.0.1:7331/mcp --token-file token",
    NULL,
};
static const char *const exits[] = {
    "0   every probe passed",
    IL__EXIT_USAGE,
    "8   a probe failed; it is marked",
    NULL,
};

const struct il__command il__command_doctor = {
    .name = "doctor",
    .operands = "",
    .summary = "Say whether this build works here, and list every limit.",
    .about = "Probes the clocks, the random generator, digests, times, numbers and one simulated action; then "
             "lists the libraries inside and every limit by name.\n"
             "Of a configuration it shows path and digest, and tries every file, variable and address it names, but "
             "starts and contacts nothing; --connect does.\n"
             "With --runtime SERVER it connects, lists what the server offers and says what is missing for governing "
             "it; it fails when the connection offers a way around the governance that is not accepted by name.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
