// Occipital's codec for a depth frame of sensor shifts, as the Structure sensor's apps record it.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Unpacks shifts, row by row. Nothing is read beyond `byte_count` or written beyond `count`: a run is clipped there.
/// Returns how many shifts there were; fewer than `count` if the bytes end before the frame does. `*left` becomes the
/// number of whole bytes after the last one.
size_t sm_shifts_decode(const uint8_t *bytes, size_t byte_count, uint16_t *shifts, size_t count, size_t *left);

/// Packs shifts, each at most 2047; `output` must have room for two bytes per shift. Returns the bytes written.
size_t sm_shifts_encode(const uint16_t *shifts, size_t count, uint8_t *output);
