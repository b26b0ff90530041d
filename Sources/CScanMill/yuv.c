#include "CScanMill.h"
#include "vector.h"

// A row of each plane; one pixel of u and v goes with two of luma.
struct row {
    const uint8_t *luma, *u, *v;
};

BODY struct row row_of(const struct sm_yuv *picture, size_t y) {
    const size_t width = picture->width, half = width / 2;
    const uint8_t *luma = picture->planes + width * y, *u = picture->planes + width * picture->height + half * (y / 2);
    return (struct row){luma, u, u + half * (picture->height / 2)};
}

BODY int32_t product(int32_t value, int16_t factor) { return (value * factor) >> 16; }

BODY uint8_t clipped(int32_t value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

// Two pixels, which share their chroma.
BODY void colors_of(struct row row, size_t x, struct sm_yuv_factors by, uint8_t *rgb) {
    const int32_t u = 8 * row.u[x / 2] - 1024, v = 8 * row.v[x / 2] - 1024;
    const int32_t red = product(v, by.red_v), blue = product(u, by.blue_u);
    const int32_t green = product(u, by.green_u) + product(v, by.green_v);
    for (size_t i = 0; i < 2; i++) {
        const int32_t luma = product(8 * row.luma[x + i] - by.black, by.luma);
        rgb[3 * i] = clipped(luma + red);
        rgb[3 * i + 1] = clipped(luma + green);
        rgb[3 * i + 2] = clipped(luma + blue);
    }
}

// These two handle the pixels from x on, which is even.
BODY void rgb_from(size_t x, struct row row, size_t width, struct sm_yuv_factors by, uint8_t *rgb) {
    for (; x < width; x += 2) colors_of(row, x, by, rgb + 3 * x);
}

BODY void gray_from(size_t x, struct row row, size_t width, struct sm_yuv_factors by, int16_t *gray) {
    for (; x < width; x += 2) {
        uint8_t rgb[6];
        colors_of(row, x, by, rgb);
        gray[x] = (int16_t)sm_gray_of(rgb);
        gray[x + 1] = (int16_t)sm_gray_of(rgb + 3);
    }
}

#if defined(__x86_64__)
// 32 pixels before they are clipped, 16 bits each.
struct colors {
    __m256i red[2], green[2], blue[2];
};

// 16 bytes, times 8, in 16 bits each.
AVX2 BODY __m256i eightfold(__m128i bytes) { return _mm256_slli_epi16(_mm256_cvtepu8_epi16(bytes), 3); }

AVX2 BODY __m256i factor(int16_t factor) { return _mm256_set1_epi16(factor); }

// 16 values, less their middle. Doubling them works on each half of the register separately; this order makes up for
// it.
AVX2 BODY __m256i chroma(const uint8_t *plane) {
    const __m128i bytes = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)plane), 0xd8);
    return _mm256_sub_epi16(eightfold(bytes), _mm256_set1_epi16(1024));
}

AVX2 BODY void add_doubled(__m256i chroma, const __m256i luma[2], __m256i color[2]) {
    color[0] = _mm256_add_epi16(luma[0], _mm256_unpacklo_epi16(chroma, chroma));
    color[1] = _mm256_add_epi16(luma[1], _mm256_unpackhi_epi16(chroma, chroma));
}

AVX2 BODY struct colors colors_at(size_t x, struct row row, struct sm_yuv_factors by) {
    __m256i luma[2];
    for (size_t half = 0; half < 2; half++) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(row.luma + x + 16 * half));
        luma[half] = _mm256_mulhi_epi16(_mm256_sub_epi16(eightfold(bytes), factor(by.black)), factor(by.luma));
    }
    const __m256i u = chroma(row.u + x / 2), v = chroma(row.v + x / 2);
    struct colors colors;
    add_doubled(_mm256_mulhi_epi16(v, factor(by.red_v)), luma, colors.red);
    add_doubled(
        _mm256_add_epi16(_mm256_mulhi_epi16(u, factor(by.green_u)), _mm256_mulhi_epi16(v, factor(by.green_v))), luma,
        colors.green);
    add_doubled(_mm256_mulhi_epi16(u, factor(by.blue_u)), luma, colors.blue);
    return colors;
}

AVX2 BODY __m256i clipped_lanes(__m256i lanes) {
    return _mm256_min_epi16(_mm256_max_epi16(lanes, _mm256_setzero_si256()), _mm256_set1_epi16(255));
}

AVX2 static void gray_avx2(struct row row, size_t width, struct sm_yuv_factors by, int16_t *gray) {
    const __m256i one = _mm256_set1_epi16(1);
    size_t x = 0;
    for (; x + 32 <= width; x += 32) {
        const struct colors colors = colors_at(x, row, by);
        for (size_t half = 0; half < 2; half++) {
            const __m256i red = clipped_lanes(colors.red[half]), green = clipped_lanes(colors.green[half]);
            const __m256i blue = clipped_lanes(colors.blue[half]);
            const __m256i low = gray_of_lanes(_mm256_unpacklo_epi16(red, green), _mm256_unpacklo_epi16(blue, one));
            const __m256i high = gray_of_lanes(_mm256_unpackhi_epi16(red, green), _mm256_unpackhi_epi16(blue, one));
            _mm256_storeu_si256((__m256i *)(gray + x + 16 * half), _mm256_packs_epi32(low, high));
        }
    }
    gray_from(x, row, width, by, gray);
}

// 32 pixels of one colour, clipped. Interleaved, 16 pixels fill three times 16 bytes, and each position in those
// belongs to this colour once; so each pixel has a position of its own, given by `order`.
AVX2 BODY __m256i spread(const __m256i color[2], __m128i order) {
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(color[0], color[1]), 0xd8);
    return _mm256_shuffle_epi8(bytes, _mm256_broadcastsi128_si256(order));
}

// Stores a third of the 48 bytes of the first 16 pixels, and the same of the next: a byte of each colour in turn, from
// `a` on.
AVX2 BODY void store_third(__m256i a, __m256i b, __m256i c, uint8_t *to) {
    const __m256i firsts = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(-1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1));
    const __m256i seconds = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0));
    const __m256i bytes = _mm256_blendv_epi8(_mm256_blendv_epi8(c, b, seconds), a, firsts);
    _mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(bytes));
    _mm_storeu_si128((__m128i *)(to + 48), _mm256_extracti128_si256(bytes, 1));
}

AVX2 static void rgb_avx2(struct row row, size_t width, struct sm_yuv_factors by, uint8_t *rgb) {
    const __m128i reds = _mm_setr_epi8(0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15, 10, 5);
    const __m128i greens = _mm_setr_epi8(5, 0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15, 10);
    const __m128i blues = _mm_setr_epi8(10, 5, 0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15);
    size_t x = 0;
    for (; x + 32 <= width; x += 32) {
        const struct colors colors = colors_at(x, row, by);
        const __m256i red = spread(colors.red, reds), green = spread(colors.green, greens);
        const __m256i blue = spread(colors.blue, blues);
        store_third(red, green, blue, rgb + 3 * x);
        store_third(green, blue, red, rgb + 3 * x + 16);
        store_third(blue, red, green, rgb + 3 * x + 32);
    }
    rgb_from(x, row, width, by, rgb);
}
#endif

void sm_yuv_rgb(const struct sm_yuv *picture, uint8_t *rgb) {
#if defined(__x86_64__)
    if (has_avx2()) {
        for (size_t y = 0; y < picture->height; y++) {
            rgb_avx2(row_of(picture, y), picture->width, picture->factors, rgb + 3 * picture->width * y);
        }
        return;
    }
#endif
    for (size_t y = 0; y < picture->height; y++) {
        rgb_from(0, row_of(picture, y), picture->width, picture->factors, rgb + 3 * picture->width * y);
    }
}

void sm_yuv_gray(const struct sm_yuv *picture, size_t y, int16_t *gray) {
#if defined(__x86_64__)
    if (has_avx2()) {
        gray_avx2(row_of(picture, y), picture->width, picture->factors, gray);
        return;
    }
#endif
    gray_from(0, row_of(picture, y), picture->width, picture->factors, gray);
}
