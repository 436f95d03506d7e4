/* The strict JSON reader: validates once over the received bytes into a flat tape of nodes; no tree, no copies. It is
 * the trust boundary (SPEC §2 "Decoding"). Refuses duplicate members at any depth (also when equal only after
 * unescaping), invalid UTF-8, a leading BOM, numbers that overflow a double, trailing bytes, nesting past the limit.
 * Linear in the input but for member sorting in very large objects (n log n); no recursion.
 *
 * What is fine in free-form values only (escaped NUL, lone surrogates, integers outside int64, nesting past 64) is
 * accepted into the tape and flagged; il__json_strict refuses it everywhere outside the named free-form members. */
#ifndef IL_WIRE_JSON_H
#define IL_WIRE_JSON_H

#include "base/limits.h"
#include "base/mem.h"

#include <stdint.h>

enum il__json_kind {
    IL__JSON_NULL, IL__JSON_FALSE, IL__JSON_TRUE, IL__JSON_INT, IL__JSON_DOUBLE, IL__JSON_STRING, IL__JSON_ARRAY,
    IL__JSON_OBJECT
};
enum {
    IL__JSON_ESCAPED = 1,    /* string: holds at least one escape */
    IL__JSON_NUL = 2,        /* string: holds \u0000 */
    IL__JSON_SURROGATE = 4,  /* string: holds a lone surrogate escape */
    IL__JSON_BIG = 8,        /* number without fraction or exponent, outside int64 */
    IL__JSON_KEY = 16        /* this node is a member name; its value is the next node */
};

/* One value or member name. A container's children follow it in document order; members as name, value, name, value.
 * `end` is the index just past the last descendant. */
struct il__json_node {
    uint32_t off, len;   /* bytes of the document: a string without its quotes, a container with its brackets */
    uint32_t end;
    uint32_t count;      /* array: elements; object: members; member name: a hash of the name; otherwise 0 */
    uint8_t kind, flags; /* enum il__json_kind; IL__JSON_* flags */
    uint16_t depth;      /* 1 for the root container, 0 for a scalar root */
};

struct il__json {
    struct il_str text;          /* the received bytes; owned by the caller unless il__json_parse_copy */
    struct il__json_node *nodes; /* nodes[0] is the root */
    uint32_t count, cap;
    uint8_t flags;               /* all nodes' NUL, SURROGATE and BIG flags together */
    uint16_t depth;              /* the deepest nesting seen */
    uint32_t fault_line;         /* when the text was refused: from 1; 0: it was not, or not for what it says */
    struct il__arena arena;      /* unescaped strings, and the text of il__json_parse_copy */
    struct il__mem *mem;
};

struct il__json_limits {
    size_t max_bytes;   /* document size */
    uint16_t max_depth; /* 64 strict, 512 where free-form values may occur */
};
#define IL__JSON_CONTRACT ((struct il__json_limits){ IL__LIMIT_CONTRACT_BYTES, IL__LIMIT_JSON_DEPTH })
#define IL__JSON_PAYLOAD ((struct il__json_limits){ IL__LIMIT_RESULT_BYTES, IL__LIMIT_JSON_FREE_DEPTH })

/* Reads `text`, which must stay valid as long as `doc`. On failure `doc` is cleared and `err` is `decode` with the
 * place of the value or member being read as JSON pointer in `field` ("": the root) and the byte in the message, or
 * out_of_memory. A document past its size, or of more nodes than json_nodes, is `decode` as well
 * (SPEC §2). `doc` must be zeroed or cleared before. */
enum il_code il__json_parse(struct il__json *doc, struct il__mem *mem, struct il_str text,
                            struct il__json_limits limits, struct il_error *err) IL_MUST_USE;
/* The same over a copy that `doc` owns. */
enum il_code il__json_parse_copy(struct il__json *doc, struct il__mem *mem, struct il_str text,
                                 struct il__json_limits limits, struct il_error *err) IL_MUST_USE;
/* NULL and zeroed are accepted; `doc` may be used again. */
void il__json_clear(struct il__json *doc);

/* Refuses, below node `at`, what only free-form values may hold, and nesting past 64 relative to `at`. `free_members`
 * is a NULL-terminated list of member names of the object `at` whose values are free-form (NULL: none). Costs nothing
 * when the document has no such content. */
enum il_code il__json_strict(const struct il__json *doc, uint32_t at, const char *const *free_members,
                             struct il_error *err) IL_MUST_USE;

/* The value of member `name` of object `at`; 0 when absent or `at` is no object (node 0 is never a member's value). */
uint32_t il__json_get(const struct il__json *doc, uint32_t at, const char *name);
uint32_t il__json_get_str(const struct il__json *doc, uint32_t at, struct il_str name);
/* Children: first value of an array or first member NAME of an object; 0 when empty. */
uint32_t il__json_first(const struct il__json *doc, uint32_t at);
/* The sibling after node `at` within container `parent` (for an object pass the VALUE node: the next NAME comes back);
 * 0 at the end. */
uint32_t il__json_next(const struct il__json *doc, uint32_t parent, uint32_t at);
static inline const struct il__json_node *il__json_at(const struct il__json *doc, uint32_t at)
{
    return &doc->nodes[at];
}
static inline enum il__json_kind il__json_kind(const struct il__json *doc, uint32_t at)
{
    return (enum il__json_kind)doc->nodes[at].kind;
}
/* "null", "boolean", "integer", "number", "string", "array", "object". */
const char *il__json_kind_name(enum il__json_kind kind);

/* The raw bytes of a value, a string with its quotes. */
struct il_str il__json_raw(const struct il__json *doc, uint32_t at);
/* A string or member name, unescaped; a slice of the document when nothing was escaped, else in the doc's arena.
 * NUL becomes U+FFFD and lone surrogates U+FFFD (SPEC §2). */
enum il_code il__json_string(struct il__json *doc, uint32_t at, struct il_str *out, struct il_error *err) IL_MUST_USE;
/* The same into `out`, which holds at least the node's `len` bytes; returns the length. For a string node only. */
size_t il__json_unescape(const struct il__json *doc, uint32_t at, char *out);
/* True and `*out` when the node is an IL__JSON_INT without IL__JSON_BIG. */
bool il__json_int(const struct il__json *doc, uint32_t at, int64_t *out);
/* The number as double: any int (rounded as needed), big or double. False: not a number. */
bool il__json_double(const struct il__json *doc, uint32_t at, double *out);
/* The place of node `at` as a JSON pointer (RFC 6901), escaped, cut to `cap`; "" is the root. */
void il__json_pointer(const struct il__json *doc, uint32_t at, char *buf, size_t cap);

#endif
