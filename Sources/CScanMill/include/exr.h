// Depth in OpenEXR files, through the OpenEXR project's C library, OpenEXRCore.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Reads the size from the header.
int sm_exr_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, char *message);

/// Decodes one channel to floats in the machine's byte order, row by row without gaps: the only one, or else the one
/// called R. `pixel_count` must be width × height. Anything that would change pixels (missing or damaged rows, the
/// compressions B44 and DWA) is a failure; tiles, deep pixels, subsampled channels and whole numbers are one too.
int sm_exr_decode(const uint8_t *bytes, size_t count, float *pixels, size_t pixel_count, char *message);
