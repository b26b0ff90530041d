// Colours of a video's pictures. See VideoColors.swift.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// How much luma and chroma contribute to red, green and blue: each product is shifted right by 16 bits.
struct sm_yuv_factors {
    /// Subtracted from 8 × luma before it is multiplied.
    int16_t black;
    int16_t luma, red_v, green_u, green_v, blue_u;
};

/// Width and height are even. The planes follow one another: luma, then u and v of half the width and height.
struct sm_yuv {
    const uint8_t *planes;
    size_t width, height;
    struct sm_yuv_factors factors;
};

/// The picture as red, green, blue: 3 × width × height bytes.
void sm_yuv_rgb(const struct sm_yuv *picture, uint8_t *rgb);

/// OpenCV's grey of the red, green and blue of one row: width numbers.
void sm_yuv_gray(const struct sm_yuv *picture, size_t y, int16_t *gray);
