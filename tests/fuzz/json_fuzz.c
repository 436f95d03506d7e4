/* The JSON reader may be fed anything. Whatever it accepts, jansson accepts as well (but for what SPEC §2 keeps in
 * free-form values: lone surrogates, escaped NUL in a member's name); what canonical text there is reads back to the
 * same text; every accessor holds on every node. */
#include "base/limits.h"
#include "wire/canon.h"
#include "wire/json.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool cond, const char *what)
{
    if (cond) return;
    fprintf(stderr, "json_fuzz: %s\n", what);
    abort();
}

static void agrees_with_jansson(const struct il__json *doc, const uint8_t *data, size_t size)
{
    if (doc->flags & (IL__JSON_SURROGATE | IL__JSON_NUL)) return;
    size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY;
    if (doc->flags & IL__JSON_BIG) flags |= JSON_DECODE_INT_AS_REAL;
    json_error_t why;
    json_t *root = json_loadb((const char *)data, size, flags, &why);
    must(root != NULL, "accepted what jansson refuses");
    json_decref(root);
}

static void accessors(struct il__json *doc)
{
    uint32_t step = doc->count < 500 ? 1 : doc->count / 250;
    for (uint32_t at = 0; at < doc->count; at += step) {
        const struct il__json_node *node = il__json_at(doc, at);
        char place[256];
        int64_t integer;
        double number;
        struct il_str raw = il__json_raw(doc, at), text;
        must(raw.ptr >= doc->text.ptr && raw.ptr + raw.len <= doc->text.ptr + doc->text.len, "raw bytes lie outside");
        must(node->end > at && node->end <= doc->count, "a node ends outside");
        il__json_pointer(doc, at, place, sizeof place);
        if (node->kind == IL__JSON_STRING) {
            must(il__json_string(doc, at, &text, NULL) == IL_OK, "a string without text");
        }
        if (il__json_int(doc, at, &integer)) must(il__json_double(doc, at, &number), "an integer is a number");
        must(il__json_first(doc, at) == 0 || node->count > 0, "a child of nothing");
    }
}

static void canonical(struct il__json *doc, struct il__mem *mem)
{
    struct il__buf once, twice;
    struct il__json again = { 0 };
    il__buf_init(&once, mem, 0);
    il__buf_init(&twice, mem, 0);
    if (il__canon(doc, 0, &once, NULL) == IL_OK) {
        must(il__json_parse(&again, mem, il__buf_get(&once), IL__JSON_PAYLOAD, NULL) == IL_OK,
             "canonical text is JSON");
        must(il__canon(&again, 0, &twice, NULL) == IL_OK, "canonical text has canonical text");
        must(il__str_eq(il__buf_get(&once), il__buf_get(&twice)), "canonical text is its own");
    }
    il__json_clear(&again);
    il__buf_clear(&once);
    il__buf_clear(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct il__mem mem;
    struct il__json doc = { 0 };
    il__mem_init(&mem, NULL, NULL, 0);
    if (il__json_parse(&doc, &mem, (struct il_str){ (const char *)data, size }, IL__JSON_PAYLOAD, NULL) == IL_OK) {
        agrees_with_jansson(&doc, data, size);
        accessors(&doc);
        canonical(&doc, &mem);
    }
    il__json_clear(&doc);
    must(mem.in_use_bytes == 0, "memory was kept");
    return 0;
}
