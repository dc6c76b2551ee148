// The wall to OpenSSL's libcrypto: the few functions that Sluice needs, with plain C types only.
#ifndef SLUICE_COPENSSL_H
#define SLUICE_COPENSSL_H

#include <stddef.h>
#include <stdint.h>

/// A SHA-256 computation in progress.
typedef struct copenssl_sha256 copenssl_sha256;

/// Starts a computation; NULL when there is no memory or no SHA-256 in the library.
copenssl_sha256 *copenssl_sha256_start(void);

/// Adds `count` octets; 1 on success.
int copenssl_sha256_add(copenssl_sha256 *state, const uint8_t *octets, size_t count);

/// Writes the 32 octets of the digest; 1 on success. The state is of no use afterwards.
int copenssl_sha256_finish(copenssl_sha256 *state, uint8_t *digest);

/// Frees the state; NULL is allowed.
void copenssl_sha256_free(copenssl_sha256 *state);

#endif
