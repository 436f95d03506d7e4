/* See box.h. */
#include "box.h"

#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void on_line(void *ctx, enum il_log_level level, struct il_str line)
{
    struct box *box = ctx;
    (void)level;
    il__buf_str(&box->lines, line);
    il__buf_putc(&box->lines, '\n');
}

int box_slowness(void)
{
    return getenv("VALGRIND") ? 30 : 1;
}

void box_init(struct box *box)
{
    memset(box, 0, sizeof *box);
    il__mem_init(&box->mem, NULL, NULL, 0);
    il__clock_init(&box->clock, NULL, NULL, NULL);
    il__buf_init(&box->lines, &box->mem, 0);
    box->options = (struct il__sandbox_options){ .mem = &box->mem, .clock = &box->clock, .seed = IL_STR("run-1"),
                                                 .log = on_line, .log_ctx = box, .host = box,
                                                 .wall_ms = IL__LIMIT_SCRIPT_WALL_MS * box_slowness() };
}

bool box_open(struct box *box)
{
    struct il_error err = IL_ERROR_INIT;
    box->sb = il__sandbox_open(&box->options, &err);
    return box->sb != NULL;
}

bool box_close(struct box *box)
{
    il__sandbox_close(box->sb);
    box->sb = NULL;
    il__buf_clear(&box->lines);
    return box->mem.in_use_bytes == 0;
}

static void take_text(lua_State *L, void *ctx)
{
    struct box *box = ctx;
    box->value[0] = '\0';
    if (lua_gettop(L) == 0) return;
    if (lua_type(L, 1) == LUA_TBOOLEAN)
        snprintf(box->value, sizeof box->value, "%s", lua_toboolean(L, 1) ? "true" : "false");
    else if (lua_isstring(L, 1)) snprintf(box->value, sizeof box->value, "%s", lua_tostring(L, 1));
    else snprintf(box->value, sizeof box->value, "%s", luaL_typename(L, 1));
}

enum il__script_end box_run_in(struct box *box, struct il_str source)
{
    struct timespec a, b;
    int ref;
    clock_gettime(CLOCK_MONOTONIC, &a);
    box->value[0] = '\0';
    if (il__sandbox_load(box->sb, "t.lua", source, &ref, &box->result) == IL__SCRIPT_RETURNED &&
        il__sandbox_start(box->sb, ref, &box->result) == IL__SCRIPT_RETURNED)
        (void)il__sandbox_resume(box->sb, NULL, take_text, box, &box->result);
    clock_gettime(CLOCK_MONOTONIC, &b);
    box->seconds = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
    return box->result.end;
}

enum il__script_end box_run(struct box *box, const char *source)
{
    box_init(box);
    if (!tap_ok(box_open(box), "a sandbox opens")) return IL__SCRIPT_ERROR;
    (void)box_run_in(box, il__str(source));
    tap_ok(box_close(box), "every byte came back: %.60s", source);
    return box->result.end;
}
