/* Merkle trees, level by level (tree.h). */
#include "evidence/tree.h"

void il__tree_leaf(struct il__digest *digest, struct il_str bytes, uint8_t out[IL__SHA256_BYTES])
{
    il__sha256_begin(digest);
    il__sha256_add(digest, "\0", 1);
    il__sha256_add(digest, bytes.ptr, bytes.len);
    il__sha256_end(digest, out);
}

/* `out` may be one of the two. */
static void node(struct il__digest *digest, const uint8_t *left, const uint8_t *right, uint8_t *out)
{
    il__sha256_begin(digest);
    il__sha256_add(digest, "\1", 1);
    il__sha256_add(digest, left, IL__SHA256_BYTES);
    il__sha256_add(digest, right, IL__SHA256_BYTES);
    il__sha256_end(digest, out);
}

void il__tree_root(struct il__digest *digest, uint8_t (*leaves)[IL__SHA256_BYTES], size_t count, size_t index,
                   struct il__tree_path *path, uint8_t out[IL__SHA256_BYTES])
{
    if (path) path->count = 0;
    for (; count > 1; count = (count + 1) / 2, index /= 2) {
        if (path && (index ^ 1) < count) memcpy(path->hashes[path->count++], leaves[index ^ 1], IL__SHA256_BYTES);
        for (size_t i = 0; i + 1 < count; i += 2) node(digest, leaves[i], leaves[i + 1], leaves[i / 2]);
        if (count % 2) memmove(leaves[count / 2], leaves[count - 1], IL__SHA256_BYTES);
    }
    memcpy(out, leaves[0], IL__SHA256_BYTES);
}

bool il__tree_climb(struct il__digest *digest, const uint8_t leaf[IL__SHA256_BYTES], uint64_t index, uint64_t count,
                    const struct il__tree_path *path, uint8_t out[IL__SHA256_BYTES])
{
    size_t used = 0;
    if (index >= count) return false;
    memcpy(out, leaf, IL__SHA256_BYTES);
    for (uint64_t last = count - 1; last; last /= 2, index /= 2) {
        if (index % 2 == 0 && index == last) continue; /* no neighbour */
        if (used == path->count) return false;
        const uint8_t *other = path->hashes[used++];
        if (index % 2) node(digest, other, out, out);
        else node(digest, out, other, out);
    }
    return used == path->count;
}
