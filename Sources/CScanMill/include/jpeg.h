// JPEG through libjpeg (Debian's is libjpeg-turbo), with its default transform, the one OpenCV uses too.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "sharpness.h"

/// What a picture's header says. Palettes count as three channels of eight bits.
struct sm_picture_header {
    uint32_t width, height;
    int32_t channels, bits;
};

/// Reads up to the first scan.
int sm_jpeg_header(const uint8_t *bytes, size_t count, struct sm_picture_header *header, char *message);

/// Decodes to red, green, blue (`channels` 3) or to the picture's own luma plane (`channels` 1), without gaps.
/// The size is `eighths` (1 to 8) of the width and height, each rounded up; less than 8 costs much less than the whole
/// picture: an eighth needs one coefficient in 64. `pixel_bytes` must be width × height × channels. Anything that would
/// change pixels (missing or damaged data) is a failure; so are four-channel pictures.
int sm_jpeg_decode(
    const uint8_t *bytes, size_t count, int channels, int eighths, uint8_t *pixels, size_t pixel_bytes,
    char *message);

/// Decodes as ``sm_jpeg_decode`` does, row by row into `row`, which has room for one, and adds each to `laplacian`,
/// which was begun with the picture's width and `channels`.
int sm_jpeg_laplacian(
    const uint8_t *bytes, size_t count, int channels, uint8_t *row, size_t row_bytes,
    struct sm_laplacian_rows *laplacian, char *message);

/// Encodes red, green, blue. `halved` says whether the chroma planes have half the width and height.
/// `*output` is to be released with free.
int sm_jpeg_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, int quality, int halved, uint8_t **output, size_t *written,
    char *message);
