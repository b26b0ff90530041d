// The sums from which a picture's sharpness is computed. See Sharpness.swift.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "yuv.h"

/// Sums over all pixels: of the Laplacian, and of its square.
struct sm_laplacian {
    int64_t sum;
    uint64_t squares;
};

/// The sums over the rows so far, and the grey of the last rows.
struct sm_laplacian_rows {
    size_t width;
    int channels;
    size_t count;
    int16_t *kept[3];
    struct sm_laplacian sums;
};

/// - width: at least 2.
/// - channels: 3 for red, green, blue, 1 for grey.
/// - room: for 3 × (width + 2) numbers; must stay valid while rows are added.
struct sm_laplacian_rows sm_laplacian_begin(size_t width, int channels, int16_t *room);

/// Adds the picture's next row.
void sm_laplacian_add(struct sm_laplacian_rows *rows, const uint8_t *pixels);

/// The sums over the whole picture, which has at least two rows.
struct sm_laplacian sm_laplacian_end(struct sm_laplacian_rows *rows);

/// The same for a picture in memory.
struct sm_laplacian sm_laplacian_sums(
    const uint8_t *pixels, size_t width, size_t height, int channels, int16_t *room);

/// The same for a video's picture, whose red, green and blue are never stored.
struct sm_laplacian sm_laplacian_sums_yuv(const struct sm_yuv *picture, int16_t *room);

/// OpenCV's grey of one pixel's red, green, blue.
static inline uint32_t sm_gray_of(const uint8_t *pixel) {
    return (9798u * pixel[0] + 19235u * pixel[1] + 3735u * pixel[2] + 16384u) >> 15;
}

/// The same for many pixels.
void sm_gray(const uint8_t *pixels, size_t count, uint8_t *gray);
