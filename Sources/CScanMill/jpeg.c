#include "CScanMill.h"

// jpeglib.h needs these before it.
#include <stdio.h>

#include <jpeglib.h>
#include <setjmp.h>
#include <stdlib.h>

// After jpeglib.h, which says whose interface it is: libjpeg 8's, as on Ubuntu, numbers the warnings differently from
// libjpeg 6's, as on Debian.
#include <jerror.h>

// A progressive picture repeats the whole frame in every scan, so that a small file could take hours. Encoders make
// about ten scans.
enum { most_scans = 100 };

// Some encoders leave a few stray bytes before a marker. More of them mean that decoding has lost its place in the
// data.
enum { stray_bytes = 16 };

struct trap {
    struct jpeg_error_mgr base;
    jmp_buf exit;
    char *message;
    // The file that is being read.
    const uint8_t *bytes;
    // Whether what precedes the first scan is being read, and whether bytes that are no segment were skipped there.
    int is_in_header, has_gap;
};

static void fail(j_common_ptr info) {
    struct trap *trap = (struct trap *)info->err;
    char text[JMSG_LENGTH_MAX];
    info->err->format_message(info, text);
    snprintf(trap->message, SM_MESSAGE, "%s", text);
    longjmp(trap->exit, 1);
}

// Whether so many bytes that libjpeg skipped before the end marker are zeros that pad the file. Rows that are lost
// bring warnings of their own, unless zeros in place of the data were taken for pixels: then more zeros precede the
// marker than were skipped. A few more are there anyway, since libjpeg reads ahead. Bytes FF it skips silently.
static int is_padding(j_decompress_ptr info, size_t skipped) {
    const uint8_t *bytes = ((const struct trap *)info->err)->bytes;
    // Where the bytes that were skipped end.
    const size_t end = (size_t)(info->src->next_input_byte - bytes);
    size_t zeros = 0;
    while (zeros < end && bytes[end - 1 - zeros] == 0) zeros++;
    return zeros >= skipped && zeros <= skipped + stray_bytes;
}

// Whether bytes that libjpeg skipped before a marker leave the pixels as they are.
static int is_harmless(j_decompress_ptr info, size_t skipped, int marker) {
    struct trap *trap = (struct trap *)info->err;
    // Phones have written 00 E1 for FF E1, where notes begin.
    if (trap->is_in_header) return trap->has_gap = 1;
    return skipped <= stray_bytes || (marker == JPEG_EOI && is_padding(info, skipped));
}

// If data is missing or damaged, libjpeg only warns, and fills up with grey.
static void warn(j_common_ptr info, int level) {
    if (level >= 0) return;
    switch (info->err->msg_code) {
    case JWRN_JFIF_MAJOR:
    case JWRN_ADOBE_XFORM:
    case JWRN_BOGUS_ICC:
    // A sequential picture's scan header has numbers that only progressive ones need: phones have left them 0.
    case JWRN_NOT_SEQUENTIAL:
        return;
    case JWRN_EXTRANEOUS_DATA:
        if (is_harmless((j_decompress_ptr)info, (size_t)info->err->msg_parm.i[0], info->err->msg_parm.i[1])) return;
    }
    fail(info);
}

static void print_nothing(j_common_ptr info) { (void)info; }

static void count_scans(j_common_ptr info) {
    if (info->is_decompressor && ((j_decompress_ptr)info)->input_scan_number > most_scans) {
        struct trap *trap = (struct trap *)info->err;
        snprintf(trap->message, SM_MESSAGE, "more than %d scans", most_scans);
        longjmp(trap->exit, 1);
    }
}

static struct jpeg_error_mgr *set_trap(struct trap *trap, char *message) {
    *trap = (struct trap){.message = message};
    jpeg_std_error(&trap->base);
    trap->base.error_exit = fail;
    trap->base.emit_message = warn;
    trap->base.output_message = print_nothing;
    return &trap->base;
}

// Whether the first scan's Huffman tables have come: in place of those that have not, libjpeg takes the usual ones
// without a word. It misses other tables by itself.
static int has_huffman_tables(j_decompress_ptr info) {
    for (int place = 0; place < info->comps_in_scan && !info->arith_code; place++) {
        const jpeg_component_info *component = info->cur_comp_info[place];
        const int dc = component->dc_tbl_no, ac = component->ac_tbl_no;
        if (dc >= NUM_HUFF_TBLS || !info->dc_huff_tbl_ptrs[dc]) return 0;
        // A progressive picture's first scan has no others.
        if (!info->progressive_mode && (ac >= NUM_HUFF_TBLS || !info->ac_huff_tbl_ptrs[ac])) return 0;
    }
    return 1;
}

// Whether all scans have come: of a picture that lost some, libjpeg makes a blurred one without a word. Known once a
// picture of several scans is being decoded, since all are read before the first row.
static int has_all_scans(j_decompress_ptr info) {
    for (int component = 0; component < info->num_components; component++) {
        // Set by a component's first scan.
        if (!info->comp_info[component].quant_table) return 0;
        // Of a progressive picture: how many low bits of each coefficient are still to come, −1 for all.
        for (int place = 0; info->coef_bits && place < DCTSIZE2; place++) {
            if (info->coef_bits[component][place] != 0) return 0;
        }
    }
    return 1;
}

// Fills in `header` and, if there is room for pixels, reads them, downscaled to so many eighths. With `laplacian`,
// there is room for one row, and each row is added to it.
static int read_jpeg(
    const uint8_t *bytes, size_t count, struct sm_picture_header *header, int channels, int eighths, uint8_t *pixels,
    size_t pixel_bytes, struct sm_laplacian_rows *laplacian, char *message) {
    struct trap trap;
    struct jpeg_decompress_struct info = {.err = set_trap(&trap, message)};
    struct jpeg_progress_mgr progress = {.progress_monitor = count_scans};
    if (setjmp(trap.exit)) {
        jpeg_destroy_decompress(&info);
        return 1;
    }
    jpeg_create_decompress(&info);
    info.progress = &progress;
    jpeg_mem_src(&info, bytes, count);
    trap.bytes = bytes;
    trap.is_in_header = 1;
    jpeg_read_header(&info, TRUE);
    trap.is_in_header = 0;
    if (trap.has_gap && !has_huffman_tables(&info)) {
        snprintf(message, SM_MESSAGE, "a Huffman table is missing, and some bytes of the header are no segment");
        longjmp(trap.exit, 1);
    }
    *header = (struct sm_picture_header){info.image_width, info.image_height, info.num_components, info.data_precision};

    if (pixels) {
        info.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
        info.scale_num = (unsigned)eighths;
        info.scale_denom = 8;
        jpeg_start_decompress(&info);
        if (!has_all_scans(&info)) {
            snprintf(message, SM_MESSAGE, "some of the picture's scans are missing");
            longjmp(trap.exit, 1);
        }
        const size_t stride = (size_t)info.output_width * (size_t)channels;
        if (info.output_components != channels || stride * (laplacian ? 1 : info.output_height) != pixel_bytes) {
            snprintf(message, SM_MESSAGE, "the picture is not of the kind that was asked for");
            longjmp(trap.exit, 1);
        }
        while (info.output_scanline < info.output_height) {
            JSAMPROW row = pixels + (laplacian ? 0 : stride * info.output_scanline);
            jpeg_read_scanlines(&info, &row, 1);
            if (laplacian) sm_laplacian_add(laplacian, row);
        }
        // Reads up to the end marker, and so notices when it is missing.
        jpeg_finish_decompress(&info);
    }
    jpeg_destroy_decompress(&info);
    return 0;
}

int sm_jpeg_header(const uint8_t *bytes, size_t count, struct sm_picture_header *header, char *message) {
    return read_jpeg(bytes, count, header, 0, 8, NULL, 0, NULL, message);
}

int sm_jpeg_decode(
    const uint8_t *bytes, size_t count, int channels, int eighths, uint8_t *pixels, size_t pixel_bytes,
    char *message) {
    struct sm_picture_header header;
    return read_jpeg(bytes, count, &header, channels, eighths, pixels, pixel_bytes, NULL, message);
}

int sm_jpeg_laplacian(
    const uint8_t *bytes, size_t count, int channels, uint8_t *row, size_t row_bytes,
    struct sm_laplacian_rows *laplacian, char *message) {
    struct sm_picture_header header;
    return read_jpeg(bytes, count, &header, channels, 8, row, row_bytes, laplacian, message);
}

// libjpeg's own memory destination loses its buffer when an encoder fails halfway.
struct destination {
    struct jpeg_destination_mgr base;
    uint8_t *bytes;
    size_t count, capacity;
};

static boolean make_room(j_compress_ptr info) {
    struct destination *to = (struct destination *)info->dest;
    // Called when the buffer is full, whatever the pointers say.
    to->count = to->capacity;
    const size_t capacity = 2 * (to->capacity + (1 << 16));
    uint8_t *bytes = realloc(to->bytes, capacity);
    if (!bytes) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
    to->bytes = bytes;
    to->capacity = capacity;
    to->base.next_output_byte = to->bytes + to->count;
    to->base.free_in_buffer = to->capacity - to->count;
    return TRUE;
}

static void begin_file(j_compress_ptr info) { make_room(info); }

static void end_file(j_compress_ptr info) {
    struct destination *to = (struct destination *)info->dest;
    to->count = to->capacity - to->base.free_in_buffer;
}

int sm_jpeg_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, int quality, int halved, uint8_t **output, size_t *written,
    char *message) {
    struct trap trap;
    struct jpeg_compress_struct info = {.err = set_trap(&trap, message)};
    struct destination to = {
        .base = {.init_destination = begin_file, .empty_output_buffer = make_room, .term_destination = end_file}};
    if (setjmp(trap.exit)) {
        jpeg_destroy_compress(&info);
        free(to.bytes);
        return 1;
    }
    jpeg_create_compress(&info);
    info.dest = &to.base;
    info.image_width = width;
    info.image_height = height;
    info.input_components = 3;
    info.in_color_space = JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, quality, TRUE);
    info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = halved ? 2 : 1;
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < height) {
        JSAMPROW row = (JSAMPROW)pixels + (size_t)width * 3 * info.next_scanline;
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    *output = to.bytes;
    *written = to.count;
    return 0;
}
