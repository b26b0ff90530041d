// SHA-256 of the Nettle library, which ffmpeg brings along. The package that Swift has for it takes minutes of a first
// build, for hundreds of files of C.
#ifndef CNETTLE_H
#define CNETTLE_H

#include <nettle/sha2.h>
#include <nettle/version.h>

/// Writes the digest of what a state has taken, SHA256_DIGEST_SIZE bytes, and clears the state. Nettle 4 no longer
/// takes the length.
static inline void sm_sha256_digest(struct sha256_ctx *state, uint8_t *digest) {
#if NETTLE_VERSION_MAJOR >= 4
    sha256_digest(state, digest);
#else
    sha256_digest(state, SHA256_DIGEST_SIZE, digest);
#endif
}

#endif
