// LZ4 blocks, without the frame format around them, through liblz4.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Returns how many bytes the block unpacks to, at most `capacity`; -1 when it is damaged or larger.
ptrdiff_t sm_lz4_decode(const uint8_t *block, size_t count, uint8_t *output, size_t capacity);

/// The largest size that packing so many bytes can need; 0 when they are too many.
size_t sm_lz4_bound(size_t count);

/// Returns the size of the packed block; 0 when it does not fit.
size_t sm_lz4_encode(const uint8_t *bytes, size_t count, uint8_t *output, size_t capacity);
