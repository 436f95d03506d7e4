/* Merkle trees (RFC 6962 §2.1) over hashes: one root that many things hang from, and the short path that shows one of
 * them to be among them. A leaf is SHA-256(0x00, what it stands for), a node SHA-256(0x01, left, right), and the last
 * node of a level that has no neighbour goes up as it is. Pure; must never be asked about a tree without leaves. */
#ifndef IL_EVIDENCE_TREE_H
#define IL_EVIDENCE_TREE_H

#include "wire/digest.h"

enum { IL__TREE_PATH = 64 }; /* hashes that a path has at most */

struct il__tree_path {
    uint8_t hashes[IL__TREE_PATH][IL__SHA256_BYTES];
    size_t count;
};

void il__tree_leaf(struct il__digest *digest, struct il_str bytes, uint8_t out[IL__SHA256_BYTES]);
/* The root over `count` leaves, which are overwritten. `path` (may be NULL) becomes that of leaf `index`. */
void il__tree_root(struct il__digest *digest, uint8_t (*leaves)[IL__SHA256_BYTES], size_t count, size_t index,
                   struct il__tree_path *path, uint8_t out[IL__SHA256_BYTES]);
/* The root that leaf `index` of `count` has with this path; false: the path is not one of such a tree. */
bool il__tree_climb(struct il__digest *digest, const uint8_t leaf[IL__SHA256_BYTES], uint64_t index, uint64_t count,
                    const struct il__tree_path *path, uint8_t out[IL__SHA256_BYTES]);

#endif
