#include "CScanMill.h"
#include "vector.h"

// Computes the grey of the first pixels of a row, as many as it can do in whole vectors; returns how many.
typedef size_t gray_start(const uint8_t *pixels, size_t width, int16_t *gray);

BODY size_t gray_none(const uint8_t *pixels, size_t width, int16_t *gray) {
    (void)pixels, (void)width, (void)gray;
    return 0;
}

// Fills a row of grey.
BODY void gray_row(const uint8_t *pixels, size_t width, int channels, gray_start *start, int16_t *gray) {
    if (channels == 3) {
        for (size_t x = start(pixels, width, gray); x < width; x++) gray[x] = (int16_t)sm_gray_of(pixels + 3 * x);
    } else {
        for (size_t x = 0; x < width; x++) gray[x] = pixels[x];
    }
}

BODY void add_row(
    const int16_t *above, const int16_t *row, const int16_t *below, size_t width, struct sm_laplacian *sums) {
    // A Laplacian is at most 1020, so that 4096 of their squares fit into 32 bits.
    enum { run = 4096 };
    // The first pixel's neighbour lies before the row: an index of −1 does not exist in a size_t.
    const int16_t *const before = row - 1;
    for (size_t start = 0; start < width; start += run) {
        const size_t end = width - start < run ? width : start + run;
        int32_t sum = 0;
        uint32_t squares = 0;
        for (size_t x = start; x < end; x++) {
            const int16_t value = (int16_t)(above[x] + below[x] + before[x] + row[x + 1] - 4 * row[x]);
            sum += value;
            squares += (uint32_t)((int32_t)value * value);
        }
        sums->sum += sum;
        sums->squares += squares;
    }
}

// Adds the next row, whose grey is the last one kept; its Laplacian follows once the row below it is known.
BODY void take_gray(struct sm_laplacian_rows *rows) {
    int16_t *const above = rows->kept[0], *const row = rows->kept[1], *const below = rows->kept[2];
    // Beyond its ends the row is mirrored about its outermost pixels.
    below[-1] = below[1];
    below[rows->width] = below[rows->width - 2];
    // The row above the first is the second.
    if (rows->count > 0) add_row(rows->count == 1 ? below : above, row, below, rows->width, &rows->sums);
    rows->kept[0] = row;
    rows->kept[1] = below;
    rows->kept[2] = above;
    rows->count++;
}

BODY void take_row(struct sm_laplacian_rows *rows, const uint8_t *pixels, gray_start *start) {
    gray_row(pixels, rows->width, rows->channels, start, rows->kept[2]);
    take_gray(rows);
}

// The row below the last is the last but one.
BODY void take_end(struct sm_laplacian_rows *rows) {
    add_row(rows->kept[0], rows->kept[1], rows->kept[0], rows->width, &rows->sums);
}

BODY void gray_pixels(const uint8_t *pixels, size_t count, uint8_t *gray) {
    for (size_t i = 0; i < count; i++) gray[i] = (uint8_t)sm_gray_of(pixels + 3 * i);
}

#if defined(__x86_64__)
// Twice as fast as what compilers make of three-byte pixels. Each 32-bit lane gets a pixel: the products of red and
// green come from one instruction, those of blue and of one half, which rounds, from another.
AVX2 BODY size_t gray_avx2(const uint8_t *pixels, size_t width, int16_t *gray) {
    const __m256i red_green = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, -1, 1, -1, 3, -1, 4, -1, 6, -1, 7, -1, 9, -1, 10, -1));
    const __m256i blue = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(2, -1, -1, -1, 5, -1, -1, -1, 8, -1, -1, -1, 11, -1, -1, -1));
    const __m256i one = _mm256_set1_epi32(1 << 16);
    size_t x = 0;
    // The last load of a round reads four bytes beyond its sixteen pixels.
    for (; x + 18 <= width; x += 16) {
        __m256i grays[2];
        for (size_t half = 0; half < 2; half++) {
            const uint8_t *from = pixels + 3 * (x + 8 * half);
            const __m256i bytes = _mm256_inserti128_si256(
                _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)from)),
                _mm_loadu_si128((const __m128i *)(from + 12)), 1);
            grays[half] = gray_of_lanes(
                _mm256_shuffle_epi8(bytes, red_green), _mm256_or_si256(_mm256_shuffle_epi8(bytes, blue), one));
        }
        // Packing works on each half of the register separately, so the quarters come out in the order 0 2 1 3.
        const __m256i packed = _mm256_permute4x64_epi64(_mm256_packs_epi32(grays[0], grays[1]), 0xd8);
        _mm256_storeu_si256((__m256i *)(gray + x), packed);
    }
    return x;
}

AVX2 static void take_row_avx2(struct sm_laplacian_rows *rows, const uint8_t *pixels) {
    take_row(rows, pixels, gray_avx2);
}
#endif

AVX2 static void take_gray_avx2(struct sm_laplacian_rows *rows) { take_gray(rows); }

AVX2 static void take_end_avx2(struct sm_laplacian_rows *rows) { take_end(rows); }

AVX2 static void gray_pixels_avx2(const uint8_t *pixels, size_t count, uint8_t *gray) {
    gray_pixels(pixels, count, gray);
}

struct sm_laplacian_rows sm_laplacian_begin(size_t width, int channels, int16_t *room) {
    struct sm_laplacian_rows rows = {.width = width, .channels = channels};
    for (size_t i = 0; i < 3; i++) rows.kept[i] = room + i * (width + 2) + 1;
    return rows;
}

void sm_laplacian_add(struct sm_laplacian_rows *rows, const uint8_t *pixels) {
#if defined(__x86_64__)
    if (has_avx2()) {
        take_row_avx2(rows, pixels);
        return;
    }
#endif
    take_row(rows, pixels, gray_none);
}

// Like sm_laplacian_add, for a row whose grey is already there.
static void add_gray(struct sm_laplacian_rows *rows) {
    if (has_avx2()) take_gray_avx2(rows);
    else take_gray(rows);
}

struct sm_laplacian sm_laplacian_end(struct sm_laplacian_rows *rows) {
    if (has_avx2()) take_end_avx2(rows);
    else take_end(rows);
    return rows->sums;
}

struct sm_laplacian sm_laplacian_sums(
    const uint8_t *pixels, size_t width, size_t height, int channels, int16_t *room) {
    struct sm_laplacian_rows rows = sm_laplacian_begin(width, channels, room);
    for (size_t y = 0; y < height; y++) sm_laplacian_add(&rows, pixels + width * (size_t)channels * y);
    return sm_laplacian_end(&rows);
}

struct sm_laplacian sm_laplacian_sums_yuv(const struct sm_yuv *picture, int16_t *room) {
    struct sm_laplacian_rows rows = sm_laplacian_begin(picture->width, 1, room);
    for (size_t y = 0; y < picture->height; y++) {
        sm_yuv_gray(picture, y, rows.kept[2]);
        add_gray(&rows);
    }
    return sm_laplacian_end(&rows);
}

void sm_gray(const uint8_t *pixels, size_t count, uint8_t *gray) {
    if (has_avx2()) gray_pixels_avx2(pixels, count, gray);
    else gray_pixels(pixels, count, gray);
}
