// Apple's LZFSE, in which Record3D keeps depth. Debian has no library for it.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Unpacks a whole stream.
/// Returns how many bytes it unpacks to, at most `capacity`. -1 when it is damaged, ends early, or unpacks to more; then
/// `*reason` says which, and what `output` holds is of no use.
ptrdiff_t sm_lzfse_decode(
    const uint8_t *stream, size_t count, uint8_t *output, size_t capacity, const char **reason);
