#include "CScanMill.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trap {
    jmp_buf exit;
    char *message;
};

static void fail(png_structp png, png_const_charp text) {
    struct trap *trap = png_get_error_ptr(png);
    snprintf(trap->message, SM_MESSAGE, "%s", text);
    longjmp(trap->exit, 1);
}

static void warn(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

struct reader {
    const uint8_t *bytes;
    size_t left;
};

static void read_bytes(png_structp png, png_bytep target, size_t count) {
    struct reader *reader = png_get_io_ptr(png);
    if (count > reader->left) png_error(png, "the file ends too early");
    memcpy(target, reader->bytes, count);
    reader->bytes += count;
    reader->left -= count;
}

// Fills in `header` and, when there is room for pixels, reads them.
static int read_png(
    struct reader reader, struct sm_picture_header *header, int channels, int bits, uint8_t *pixels, size_t pixel_bytes,
    char *message) {
    struct trap trap = {.message = message};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &trap, fail, warn);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_read_struct(&png, NULL, NULL);
        snprintf(message, SM_MESSAGE, "no memory");
        return 1;
    }
    if (setjmp(trap.exit)) {
        png_destroy_read_struct(&png, &info, NULL);
        return 1;
    }
    png_set_read_fn(png, &reader, read_bytes);
    // The caller checks sizes.
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    // Profiles, gamma, texts and the like are neither used nor unpacked.
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_read_info(png, info);
    const int type = png_get_color_type(png, info);
    const int is_palette = type == PNG_COLOR_TYPE_PALETTE;
    const uint32_t height = png_get_image_height(png, info);
    *header = (struct sm_picture_header){
        png_get_image_width(png, info), height, is_palette ? 3 : png_get_channels(png, info),
        is_palette ? 8 : png_get_bit_depth(png, info)};

    if (pixels) {
        if (is_palette) png_set_palette_to_rgb(png);
        if (type == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(png);
        if (bits == 8) png_set_scale_16(png);
        // To little-endian, which all machines are that kernels.c supports.
        if (bits == 16) png_set_swap(png);
        png_set_strip_alpha(png);
        if (channels == 3 && !(type & PNG_COLOR_MASK_COLOR)) png_set_gray_to_rgb(png);
        const int passes = png_set_interlace_handling(png);
        png_read_update_info(png, info);
        const size_t stride = png_get_rowbytes(png, info);
        if (png_get_channels(png, info) != channels || png_get_bit_depth(png, info) != bits
            || stride * height != pixel_bytes) {
            png_error(png, "the picture is not of the kind that was asked for");
        }
        for (int pass = 0; pass < passes; pass++) {
            for (uint32_t y = 0; y < height; y++) png_read_row(png, pixels + stride * y, NULL);
        }
        // Checks the last checksums, and that the file is whole.
        png_read_end(png, NULL);
    }
    png_destroy_read_struct(&png, &info, NULL);
    return 0;
}

int sm_png_header(const uint8_t *bytes, size_t count, struct sm_picture_header *header, char *message) {
    return read_png((struct reader){bytes, count}, header, 0, 0, NULL, 0, message);
}

int sm_png_decode(
    const uint8_t *bytes, size_t count, int channels, int bits, void *pixels, size_t pixel_bytes, char *message) {
    struct sm_picture_header header;
    return read_png((struct reader){bytes, count}, &header, channels, bits, pixels, pixel_bytes, message);
}
