#include "COpenSSL.h"

#include <openssl/evp.h>

// `copenssl_sha256` is never defined: a pointer to it is an EVP_MD_CTX under another name, so
// that no OpenSSL header reaches Swift.

copenssl_sha256 *copenssl_sha256_start(void) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1) {
        EVP_MD_CTX_free(context);
        return NULL;
    }
    return (copenssl_sha256 *)context;
}

int copenssl_sha256_add(copenssl_sha256 *state, const uint8_t *octets, size_t count) {
    return count == 0 || EVP_DigestUpdate((EVP_MD_CTX *)state, octets, count) == 1;
}

int copenssl_sha256_finish(copenssl_sha256 *state, uint8_t *digest) {
    unsigned int size = 0;
    return EVP_DigestFinal_ex((EVP_MD_CTX *)state, digest, &size) == 1 && size == 32;
}

void copenssl_sha256_free(copenssl_sha256 *state) {
    EVP_MD_CTX_free((EVP_MD_CTX *)state);
}
