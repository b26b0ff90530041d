// Apple's LZFSE, with which Record3D compresses depth. Debian has no library for it.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Unpacks a whole stream.
/// Returns how many bytes it unpacks to, at most `capacity`. -1 if it is damaged, ends early, or unpacks to more; then
/// `*reason` says which, and the content of `output` is meaningless.
ptrdiff_t sm_lzfse_decode(
    const uint8_t *stream, size_t count, uint8_t *output, size_t capacity, const char **reason);
