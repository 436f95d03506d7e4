/* The growing buffer: content, limit, sticky error. */
#include "base/buf.h"

#include "tap.h"

static void content(void)
{
    struct il__mem mem;
    struct il__buf buf;
    il__mem_init(&mem, NULL, NULL, 0);
    il__buf_init(&buf, &mem, 0);
    tap_str(il__buf_get(&buf), "", "empty at first, not absent");
    il__buf_puts(&buf, "a");
    il__buf_puts(&buf, NULL);
    il__buf_putc(&buf, 'b');
    il__buf_str(&buf, IL_STR("cd"));
    il__buf_str(&buf, IL_STR_NONE);
    il__buf_add(&buf, "e\0f", 3);
    il__buf_printf(&buf, "-%d-%s", 42, "x");
    il__buf_printf(&buf, "%s", "");
    struct il_str s = il__buf_get(&buf);
    tap_ok(s.len == 12 && memcmp(s.ptr, "abcde\0f-42-x", 13) == 0, "all pieces, NUL behind");
    char *room = il__buf_reserve(&buf, 1000);
    if (room) memset(room, 'z', 1000);
    tap_int((long long)il__buf_get(&buf).len, 12, "reserved is not yet added");
    il__buf_commit(&buf, 1000);
    tap_int((long long)il__buf_get(&buf).len, 1012, "commit adds it");
    tap_int(buf.ptr[1012], 0, "NUL behind it");
    size_t cap = buf.cap;
    il__buf_reset(&buf);
    tap_str(il__buf_get(&buf), "", "reset empties");
    tap_int((long long)buf.cap, (long long)cap, "and keeps the memory");
    for (int i = 0; i < 100000; i++) il__buf_putc(&buf, 'q');
    tap_int(il__buf_check(&buf, NULL), IL_OK, "no error");
    tap_ok(mem.calls < 20, "a hundred thousand bytes take few growths");
    il__buf_clear(&buf);
    tap_int((long long)mem.in_use_bytes, 0, "clear gives all back");
    il__buf_puts(&buf, "again");
    tap_str(il__buf_get(&buf), "again", "usable after clear");
    il__buf_clear(&buf);
    il__buf_clear(NULL);
}

static void limit(void)
{
    struct il__mem mem;
    struct il__buf buf;
    struct il_error err = IL_ERROR_INIT;
    il__mem_init(&mem, NULL, NULL, 0);
    il__buf_init(&buf, &mem, 5);
    il__buf_puts(&buf, "12345");
    tap_int(il__buf_check(&buf, NULL), IL_OK, "exactly the limit");
    il__buf_putc(&buf, '6');
    il__buf_putc(&buf, '7');
    tap_int(il__buf_check(&buf, &err), IL_LIMIT_EXCEEDED, "one byte more is an error");
    tap_ok(strstr(err.message, "5 bytes") != NULL, "that names the limit");
    tap_str(il__buf_get(&buf), "12345", "nothing of it was added");
    tap_ok(il__buf_reserve(&buf, 0) == NULL, "nothing can be reserved after it");
    il__buf_reset(&buf);
    il__buf_printf(&buf, "%d", 123456);
    tap_int(il__buf_check(&buf, NULL), IL_LIMIT_EXCEEDED, "printf honours the limit");
    il__buf_reset(&buf);
    tap_int(il__buf_check(&buf, NULL), IL_OK, "reset forgets the error");
    tap_ok(il__buf_reserve(&buf, SIZE_MAX) == NULL, "an impossible size");
    il__buf_clear(&buf);
    il__buf_init(&buf, &mem, 0);
    il__buf_puts(&buf, "x");
    tap_ok(il__buf_reserve(&buf, SIZE_MAX - 1) == NULL, "no overflow without a limit either");
    il__buf_clear(&buf);
}

static void no_memory(void)
{
    struct il__mem mem;
    struct il__buf buf;
    struct il_error err = IL_ERROR_INIT;
    il__mem_init(&mem, NULL, NULL, 0);
    il__buf_init(&buf, &mem, 0);
    il__buf_puts(&buf, "kept");
    mem.fail_at = mem.calls + 1;
    for (int i = 0; i < 1000; i++) il__buf_putc(&buf, 'x');
    tap_int(il__buf_check(&buf, &err), IL_OUT_OF_MEMORY, "a failed growth is sticky");
    tap_ok(strncmp(buf.ptr, "kept", 4) == 0, "what was there stays");
    il__buf_clear(&buf);
    tap_int((long long)mem.in_use_bytes, 0, "nothing left");
}

int main(void)
{
    content();
    limit();
    no_memory();
    return tap_done();
}
