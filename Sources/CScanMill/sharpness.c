#include "CScanMill.h"

// Written once and compiled twice: with AVX2, loops over three-byte pixels are four times as fast.
#define BODY static inline __attribute__((always_inline))

BODY uint32_t gray_of(const uint8_t *pixel) {
    return (9798u * pixel[0] + 19235u * pixel[1] + 3735u * pixel[2] + 16384u) >> 15;
}

// Fills a row of grey and the one pixel beyond each end, where the row is mirrored about its outermost pixel.
BODY void gray_row(const uint8_t *pixels, size_t width, int channels, int16_t *gray) {
    if (channels == 3) {
        for (size_t x = 0; x < width; x++) gray[x] = (int16_t)gray_of(pixels + 3 * x);
    } else {
        for (size_t x = 0; x < width; x++) gray[x] = pixels[x];
    }
    gray[-1] = gray[1];
    gray[width] = gray[width - 2];
}

BODY void add_row(
    const int16_t *above, const int16_t *row, const int16_t *below, size_t width, struct sm_laplacian *sums) {
    // A Laplacian is at most 1020, so that 4096 of their squares fit into 32 bits.
    enum { run = 4096 };
    for (size_t start = 0; start < width; start += run) {
        const size_t end = width - start < run ? width : start + run;
        int32_t sum = 0;
        uint32_t squares = 0;
        for (size_t x = start; x < end; x++) {
            const int16_t value = (int16_t)(above[x] + below[x] + row[x - 1] + row[x + 1] - 4 * row[x]);
            sum += value;
            squares += (uint32_t)((int32_t)value * value);
        }
        sums->sum += sum;
        sums->squares += squares;
    }
}

BODY struct sm_laplacian laplacian_sums(
    const uint8_t *pixels, size_t width, size_t height, int channels, int16_t *rows) {
    const size_t stride = width * (size_t)channels;
    int16_t *above = rows + 1, *row = above + width + 2, *below = row + width + 2;
    struct sm_laplacian sums = {0};
    // The row above the first is the second, the row below the last is the last but one.
    gray_row(pixels + stride, width, channels, above);
    gray_row(pixels, width, channels, row);
    for (size_t y = 0; y < height; y++) {
        gray_row(pixels + stride * (y + 1 < height ? y + 1 : height - 2), width, channels, below);
        add_row(above, row, below, width, &sums);
        int16_t *const free_row = above;
        above = row;
        row = below;
        below = free_row;
    }
    return sums;
}

BODY void gray_pixels(const uint8_t *pixels, size_t count, uint8_t *gray) {
    for (size_t i = 0; i < count; i++) gray[i] = (uint8_t)gray_of(pixels + 3 * i);
}

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))

AVX2 static struct sm_laplacian laplacian_sums_avx2(
    const uint8_t *pixels, size_t width, size_t height, int channels, int16_t *rows) {
    return channels == 3 ? laplacian_sums(pixels, width, height, 3, rows)
                         : laplacian_sums(pixels, width, height, 1, rows);
}

AVX2 static void gray_pixels_avx2(const uint8_t *pixels, size_t count, uint8_t *gray) {
    gray_pixels(pixels, count, gray);
}

static int has_avx2(void) { return __builtin_cpu_supports("avx2"); }
#else
#define laplacian_sums_avx2 laplacian_sums
#define gray_pixels_avx2 gray_pixels
static int has_avx2(void) { return 0; }
#endif

struct sm_laplacian sm_laplacian_sums(
    const uint8_t *pixels, size_t width, size_t height, int channels, int16_t *rows) {
    if (has_avx2()) return laplacian_sums_avx2(pixels, width, height, channels, rows);
    return laplacian_sums(pixels, width, height, channels, rows);
}

void sm_gray(const uint8_t *pixels, size_t count, uint8_t *gray) {
    if (has_avx2()) gray_pixels_avx2(pixels, count, gray);
    else gray_pixels(pixels, count, gray);
}
