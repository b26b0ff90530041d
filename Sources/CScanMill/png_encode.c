#include "CScanMill.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// PNG (W3C Recommendation, third edition): chapter 5 for the chunks, chapter 9 for the filters.

static uint8_t *put32(uint8_t *to, uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) *to++ = (uint8_t)(value >> shift);
    return to;
}

// Writes length and name of a chunk whose data follows.
static uint8_t *begin_chunk(uint8_t *to, const char *name, size_t size) {
    memcpy(put32(to, (uint32_t)size), name, 4);
    return to + 8;
}

// Writes the checksum, over name and data, after `data`.
static uint8_t *end_chunk(uint8_t *data, size_t size) {
    return put32(data + size, libdeflate_crc32(0, data - 4, size + 4));
}

// A row of pixels as PNG stores it: most significant byte first.
static void put_row(const uint8_t *pixels, size_t size, int bits, uint8_t *row) {
    if (bits == 8) {
        memcpy(row, pixels, size);
        return;
    }
    for (size_t i = 0; i < size; i += 2) {
        uint16_t sample;
        memcpy(&sample, pixels + i, 2);
        row[i] = (uint8_t)(sample >> 8);
        row[i + 1] = (uint8_t)sample;
    }
}

// Turns the rows, each after its filter byte, into differences, from the last one up, since each needs the original row
// above it.
static void filter_rows(uint8_t *rows, size_t size, uint32_t height, enum sm_png_filter filter) {
    for (uint32_t y = height; y-- > 0;) {
        uint8_t *row = rows + (size + 1) * y;
        *row++ = (uint8_t)filter;
        if (filter == SM_PNG_UP && y > 0) {
            const uint8_t *above = row - (size + 1);
            for (size_t i = 0; i < size; i++) row[i] = (uint8_t)(row[i] - above[i]);
        }
    }
}

int sm_png_encode(
    const void *pixels, uint32_t width, uint32_t height, int channels, int bits, int level, enum sm_png_filter filter,
    uint8_t **output, size_t *written, char *message) {
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    enum { header_size = 13, around_chunk = 12 };
    // Colour types by the number of channels.
    static const uint8_t types[] = {[1] = 0, [3] = 2, [4] = 6};
    const size_t size = (size_t)channels * (size_t)bits / 8 * width, raw = (size + 1) * height;
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
    const size_t bound = compressor ? libdeflate_zlib_compress_bound(compressor, raw) : 0;
    uint8_t *rows = malloc(raw);
    uint8_t *file = malloc(sizeof signature + header_size + bound + 3 * around_chunk);
    size_t packed = 0;
    if (compressor && rows && file) {
        for (uint32_t y = 0; y < height; y++) {
            put_row((const uint8_t *)pixels + size * y, size, bits, rows + (size + 1) * y + 1);
        }
        filter_rows(rows, size, height, filter);

        memcpy(file, signature, sizeof signature);
        uint8_t *header = begin_chunk(file + sizeof signature, "IHDR", header_size);
        put32(put32(header, width), height);
        const uint8_t rest[] = {(uint8_t)bits, types[channels], 0, 0, 0};
        memcpy(header + 8, rest, sizeof rest);
        uint8_t *data = end_chunk(header, header_size) + 8;
        packed = libdeflate_zlib_compress(compressor, rows, raw, data, bound);
        // A chunk's length has 31 bits.
        if (packed > 0 && packed <= INT32_MAX) {
            begin_chunk(data - 8, "IDAT", packed);
            uint8_t *end = end_chunk(begin_chunk(end_chunk(data, packed), "IEND", 0), 0);
            *written = (size_t)(end - file);
            *output = file;
        }
    }
    libdeflate_free_compressor(compressor);
    free(rows);
    if (packed > 0 && packed <= INT32_MAX) return 0;
    snprintf(message, SM_MESSAGE, packed == 0 ? "no memory" : "the picture is too large");
    free(file);
    return 1;
}
