// Depth in OpenEXR files, through the OpenEXR project's C library, OpenEXRCore. Functions return SM_EXR_OTHER if a
// file is sound but holds no depth that is supported here.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define SM_EXR_OTHER 2

/// Reads the size from the header.
int sm_exr_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, char *message);

/// Decodes one channel to floats in the machine's byte order, row by row without gaps: the only one, or else the one
/// called R. `pixel_count` must be width × height. Missing or damaged rows are a failure. SM_EXR_OTHER: several parts,
/// tiles, deep pixels, more than 16 channels, subsampled ones, whole numbers, and the compressions B44 and DWA. PXR24,
/// which keeps 24 bits of a float, is accepted.
int sm_exr_decode(const uint8_t *bytes, size_t count, float *pixels, size_t pixel_count, char *message);
