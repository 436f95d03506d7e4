/* The rows of a key set. Uses the schema engine. Members that carry certificates are read and not used: trust comes
 * from the file alone. */
#include "contract/jwks.h"

#include "base/limits.h"
#include "contract/rows.h"

static const struct il__field key_fields[] = {
    IL__STR_ROW(il__jwk_doc, kty, "kty", IL__F_NONEMPTY, "The family: OKP, EC or RSA."),
    IL__STR_ROW(il__jwk_doc, kid, "kid", IL__F_OPT | IL__F_NONEMPTY, "The name of the key."),
    IL__STR_ROW(il__jwk_doc, alg, "alg", IL__F_OPT, "The one algorithm that it is for."),
    IL__STR_ROW(il__jwk_doc, use, "use", IL__F_OPT, "What it is for: sig."),
    IL__STRS_ROW(il__jwk_doc, key_ops, "key_ops", IL__F_OPT, "What it may do: verify among it."),
    IL__STR_ROW(il__jwk_doc, crv, "crv", IL__F_OPT, "The curve: Ed25519 or P-256."),
    IL__STR_ROW(il__jwk_doc, x, "x", IL__F_OPT, "The key, or the first coordinate."),
    IL__STR_ROW(il__jwk_doc, y, "y", IL__F_OPT, "The second coordinate."),
    IL__STR_ROW(il__jwk_doc, n, "n", IL__F_OPT, "The modulus."),
    IL__STR_ROW(il__jwk_doc, e, "e", IL__F_OPT, "The exponent."),
    IL__STR_ROW(il__jwk_doc, x5u, "x5u", IL__F_OPT, "Where a certificate lies; not used."),
    IL__STRS_ROW(il__jwk_doc, x5c, "x5c", IL__F_OPT, "Certificates; not used."),
    IL__STR_ROW(il__jwk_doc, x5t, "x5t", IL__F_OPT, "A certificate's SHA-1; not used."),
    IL__STR_ROW(il__jwk_doc, x5t_s256, "x5t#S256", IL__F_OPT, "A certificate's SHA-256; not used."),
    IL__END_ROW,
};
static const struct il__schema key_schema = {
    .object = "identity keys", .size = sizeof(struct il__jwk_doc), .closed = true, .fields = key_fields,
};

static const struct il__field set_fields[] = {
    IL__ROW(il__jwks_doc, keys, "keys", IL__F_OBJECTS, IL__F_NONEMPTY, &key_schema, NULL, 1, IL__LIMIT_IDENTITY_KEYS,
            "The keys."),
    IL__END_ROW,
};
const struct il__schema il__jwks_schema = {
    .object = "identity keys", .size = sizeof(struct il__jwks_doc), .closed = true, .fields = set_fields,
};
