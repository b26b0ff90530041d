#include "CScanMill.h"

#include <OpenEXR/openexr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Nobody keeps depth beside more channels; unpacked, a file of many would be far larger than its pictures.
enum { most_channels = 16 };

struct file {
    const uint8_t *bytes;
    size_t count;
    char *message;
};

static int64_t read_bytes(
    exr_const_context_t context, void *data, void *target, uint64_t count, uint64_t offset,
    exr_stream_error_func_ptr_t fail) {
    (void)context;
    (void)fail;
    const struct file *file = data;
    if (offset >= file->count) return 0;
    if (count > file->count - offset) count = file->count - offset;
    memcpy(target, file->bytes + offset, count);
    return (int64_t)count;
}

static int64_t size_of(exr_const_context_t context, void *data) {
    (void)context;
    return (int64_t)((const struct file *)data)->count;
}

// The first thing that the library complains about is the cause of the rest.
static void note(exr_const_context_t context, exr_result_t code, const char *text) {
    void *data = NULL;
    if (exr_get_user_data(context, &data) != EXR_ERR_SUCCESS || !data) return;
    struct file *file = data;
    if (!file->message[0]) snprintf(file->message, SM_MESSAGE, "%s", text ? text : exr_get_default_error_message(code));
}

static int fail(char *message, const char *text) {
    if (!message[0]) snprintf(message, SM_MESSAGE, "%s", text);
    return 1;
}

static int refuse(char *message, const char *text) {
    snprintf(message, SM_MESSAGE, "%s", text);
    return SM_EXR_OTHER;
}

static int is_same(exr_attr_box2i_t a, exr_attr_box2i_t b) {
    return a.min.x == b.min.x && a.min.y == b.min.y && a.max.x == b.max.x && a.max.y == b.max.y;
}

// Whether some channels have fewer pixels than the picture. OpenEXR 3.1.5's fast paths treat every channel as full-size,
// and leave pixels undecoded.
static int is_subsampled(const exr_attr_chlist_t *channels) {
    for (int i = 0; i < channels->num_channels; i++) {
        if (channels->entries[i].x_sampling != 1 || channels->entries[i].y_sampling != 1) return 1;
    }
    return 0;
}

// Opens a file that has one part in scan lines, and returns its data window. Cameras are for the whole view, so the
// pixels have to cover it.
static int open_rows(struct file *file, exr_context_t *context, exr_attr_box2i_t *window) {
    exr_context_initializer_t options = EXR_DEFAULT_CONTEXT_INITIALIZER;
    options.user_data = file;
    options.read_fn = read_bytes;
    options.size_fn = size_of;
    options.error_handler_fn = note;
    // No guessing where rows are if they are not where the file says.
    options.flags = EXR_CONTEXT_FLAG_DISABLE_CHUNK_RECONSTRUCTION;
    file->message[0] = 0;
    exr_result_t result = exr_start_read(context, "picture", &options);
    exr_storage_t storage = EXR_STORAGE_LAST_TYPE;
    const exr_attr_chlist_t *channels = NULL;
    exr_attr_box2i_t view;
    int parts = 0;
    if (result == EXR_ERR_SUCCESS) result = exr_get_count(*context, &parts);
    if (result == EXR_ERR_SUCCESS) result = exr_get_storage(*context, 0, &storage);
    if (result == EXR_ERR_SUCCESS) result = exr_get_channels(*context, 0, &channels);
    if (result == EXR_ERR_SUCCESS) result = exr_get_data_window(*context, 0, window);
    if (result == EXR_ERR_SUCCESS) result = exr_get_display_window(*context, 0, &view);
    if (result != EXR_ERR_SUCCESS) return fail(file->message, exr_get_default_error_message(result));
    if (parts != 1) return refuse(file->message, "it has several parts");
    if (storage != EXR_STORAGE_SCANLINE) return refuse(file->message, "its pixels are in tiles, or deep");
    if (channels->num_channels > most_channels) return refuse(file->message, "it has more than 16 channels");
    if (is_subsampled(channels)) return refuse(file->message, "some of its channels are subsampled");
    if (!is_same(*window, view)) {
        return refuse(file->message, "its pixels are not those of the whole view, as if it had been cropped");
    }
    return 0;
}

static uint32_t width_of(exr_attr_box2i_t window) { return (uint32_t)(window.max.x - (int64_t)window.min.x + 1); }
static uint32_t height_of(exr_attr_box2i_t window) { return (uint32_t)(window.max.y - (int64_t)window.min.y + 1); }

int sm_exr_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, char *message) {
    struct file file = {bytes, count, message};
    exr_context_t context = NULL;
    exr_attr_box2i_t window;
    const int failed = open_rows(&file, &context, &window);
    if (!failed) {
        *width = width_of(window);
        *height = height_of(window);
    }
    exr_finish(&context);
    return failed;
}

// Which channel holds the depth; NULL where none can.
static exr_coding_channel_info_t *depth_channel(exr_decode_pipeline_t *decoder) {
    for (int16_t i = 0; i < decoder->channel_count; i++) {
        exr_coding_channel_info_t *channel = &decoder->channels[i];
        if (decoder->channel_count == 1 || strcmp(channel->channel_name, "R") == 0) {
            return channel->data_type == EXR_PIXEL_UINT ? NULL : channel;
        }
    }
    return NULL;
}

// B44 and DWA are made for looks; the library's B44 mixes up several channels (3.1.5), and it has no DWA.
static int keeps_depth(exr_compression_t compression) { return compression <= EXR_COMPRESSION_PXR24; }

// Where rows are decoded to. The library's fast paths for several channels write to all of them, wanted or not (3.1.5).
struct target {
    float *pixels;
    void *others;
    int64_t width;
};

static int aim(exr_decode_pipeline_t *decoder, struct target target, int64_t row, char *message) {
    exr_coding_channel_info_t *depth = depth_channel(decoder);
    if (!depth) return refuse(message, "it has no channel of floats that is the only one, or is called R");
    for (int16_t i = 0; i < decoder->channel_count; i++) {
        exr_coding_channel_info_t *channel = &decoder->channels[i];
        channel->decode_to_ptr = channel == depth ? (uint8_t *)(target.pixels + row * target.width) : target.others;
        channel->user_pixel_stride = sizeof(float);
        channel->user_line_stride = (int32_t)(target.width * (int64_t)sizeof(float));
        channel->user_bytes_per_element = sizeof(float);
        channel->user_data_type = channel->data_type == EXR_PIXEL_UINT ? EXR_PIXEL_UINT : EXR_PIXEL_FLOAT;
    }
    return 0;
}

// Decodes all rows. `decoder` is to be destroyed by the caller.
static int decode_rows(
    exr_context_t context, exr_decode_pipeline_t *decoder, exr_attr_box2i_t window, struct target target, int32_t step,
    char *message) {
    exr_result_t result = EXR_ERR_SUCCESS;
    for (int64_t y = window.min.y; result == EXR_ERR_SUCCESS && y <= window.max.y; y += step) {
        const int is_first = y == window.min.y;
        exr_chunk_info_t rows;
        result = exr_read_scanline_chunk_info(context, 0, (int)y, &rows);
        if (result != EXR_ERR_SUCCESS) break;
        result = is_first ? exr_decoding_initialize(context, 0, &rows, decoder)
                          : exr_decoding_update(context, 0, &rows, decoder);
        if (result != EXR_ERR_SUCCESS) break;
        const int refused = aim(decoder, target, y - window.min.y, message);
        if (refused) return refused;
        if (is_first) result = exr_decoding_choose_default_routines(context, 0, decoder);
        if (result == EXR_ERR_SUCCESS) result = exr_decoding_run(context, 0, decoder);
    }
    return result == EXR_ERR_SUCCESS ? 0 : fail(message, exr_get_default_error_message(result));
}

static int decode(exr_context_t context, exr_attr_box2i_t window, float *pixels, char *message) {
    exr_compression_t compression = EXR_COMPRESSION_LAST_TYPE;
    int32_t step = 0;
    exr_result_t result = exr_get_compression(context, 0, &compression);
    if (result == EXR_ERR_SUCCESS) result = exr_get_scanlines_per_chunk(context, 0, &step);
    if (result == EXR_ERR_SUCCESS && step < 1) result = EXR_ERR_FILE_BAD_HEADER;
    if (result != EXR_ERR_SUCCESS) return fail(message, exr_get_default_error_message(result));
    if (!keeps_depth(compression)) {
        return refuse(message, "its pixels are packed with B44 or DWA, which do not keep depth as it was");
    }
    struct target target = {.pixels = pixels, .width = width_of(window)};
    target.others = malloc((size_t)target.width * (size_t)step * sizeof(float));
    if (!target.others) return fail(message, "no memory");
    exr_decode_pipeline_t decoder = EXR_DECODE_PIPELINE_INITIALIZER;
    const int failed = decode_rows(context, &decoder, window, target, step, message);
    exr_decoding_destroy(context, &decoder);
    free(target.others);
    return failed;
}

int sm_exr_decode(const uint8_t *bytes, size_t count, float *pixels, size_t pixel_count, char *message) {
    struct file file = {bytes, count, message};
    exr_context_t context = NULL;
    exr_attr_box2i_t window;
    int failed = open_rows(&file, &context, &window);
    if (!failed && (uint64_t)width_of(window) * height_of(window) != pixel_count) {
        failed = fail(message, "the picture is not of the size that was asked for");
    }
    if (!failed) failed = decode(context, window, pixels, message);
    exr_finish(&context);
    return failed;
}
