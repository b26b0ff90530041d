// PNG through libpng's row interface: the simplified interface would apply sRGB and gAMA chunks to 16-bit depth.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "jpeg.h"

/// Reads up to the first pixels.
int sm_png_header(const uint8_t *bytes, size_t count, struct sm_picture_header *header, char *message);

/// Decodes to 8-bit red, green, blue (`channels` 3, `bits` 8), 8-bit grey (1, 8) or 16-bit grey in the machine's byte
/// order (1, 16). Alpha is dropped, colour profiles and gamma are ignored, 16 bits become 8 by exact scaling. The file
/// must hold grey where grey is asked for, and 16 bits where 16 are. `pixel_bytes` is the size without gaps.
int sm_png_decode(
    const uint8_t *bytes, size_t count, int channels, int bits, void *pixels, size_t pixel_bytes, char *message);
