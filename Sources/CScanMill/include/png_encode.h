// PNG files around libdeflate: libpng can only deflate with zlib, which takes two to three times as long.
// ISA-L would take half of libdeflate's time, but its bytes depend on where its buffers lie in memory, and a rerun has
// to give the same bytes.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// What a row is stored as, by PNG's own numbers: the pixels, or their differences from the pixels above.
enum sm_png_filter { SM_PNG_NONE = 0, SM_PNG_UP = 2 };

/// Encodes 8-bit red, green, blue (`channels` 3, `bits` 8), the same with alpha (4, 8), 8-bit grey (1, 8) or 16-bit grey
/// in the machine's byte order (1, 16). `level` is libdeflate's, 0 to 12. `*output` is to be released with free.
int sm_png_encode(
    const void *pixels, uint32_t width, uint32_t height, int channels, int bits, int level, enum sm_png_filter filter,
    uint8_t **output, size_t *written, char *message);
