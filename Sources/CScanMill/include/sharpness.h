// The sums from which a picture's sharpness comes. See Sharpness.swift.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Over all pixels: the Laplacian, and its square.
struct sm_laplacian {
    int64_t sum;
    uint64_t squares;
};

/// - pixels: red, green, blue (`channels` 3) or grey (`channels` 1), width and height at least 2.
/// - rows: room for 3 × (width + 2) numbers.
struct sm_laplacian sm_laplacian_sums(
    const uint8_t *pixels, size_t width, size_t height, int channels, int16_t *rows);

/// OpenCV's grey of red, green, blue.
void sm_gray(const uint8_t *pixels, size_t count, uint8_t *gray);
