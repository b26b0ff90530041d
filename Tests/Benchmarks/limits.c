// What the machine can do: each job's unavoidable work, in plain C around the same libraries, with nothing else about it.
// `make bench` compares ScanMill's CPU time with these. Usage: see main.

#include <isa-l/igzip_lib.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <jpeglib.h>

#define DIE(...) do { fprintf(stderr, __VA_ARGS__); fputc('\n', stderr); exit(1); } while (0)

static FILE *must_open(const char *path, const char *mode) {
    FILE *file = fopen(path, mode);
    if (!file) DIE("cannot open %s", path);
    return file;
}

static uint8_t *load(const char *path, size_t *size) {
    FILE *file = must_open(path, "rb");
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size ? *size : 1);
    if (fread(bytes, 1, *size, file) != *size) DIE("cannot read %s", path);
    fclose(file);
    return bytes;
}

// MARK: - Inflating

struct inflater {
    FILE *file;
    struct inflate_state state;
    uint8_t chunk[64 << 10];
};

static struct inflater *open_stream(const char *path) {
    struct inflater *stream = malloc(sizeof *stream);
    stream->file = must_open(path, "rb");
    isal_inflate_init(&stream->state);
    stream->state.crc_flag = ISAL_DEFLATE;
    return stream;
}

// Returns the bytes given, fewer than `size` only at the end.
static size_t inflate_next(struct inflater *stream, uint8_t *out, size_t size) {
    struct inflate_state *z = &stream->state;
    z->next_out = out;
    z->avail_out = (uint32_t)size;
    while (z->avail_out > 0 && z->block_state != ISAL_BLOCK_FINISH) {
        if (z->avail_in == 0) {
            z->avail_in = (uint32_t)fread(stream->chunk, 1, sizeof stream->chunk, stream->file);
            z->next_in = stream->chunk;
            if (z->avail_in == 0) break;
        }
        if (isal_inflate(z) != ISAL_DECOMP_OK) DIE("damaged stream");
    }
    return size - z->avail_out;
}

static void inflate_files(char **paths) {
    static uint8_t buffer[98304];
    for (; *paths; paths++) {
        struct inflater *stream = open_stream(*paths);
        size_t size;
        while ((size = inflate_next(stream, buffer, sizeof buffer)) > 0) fwrite(buffer, 1, size, stdout);
        fclose(stream->file);
        free(stream);
    }
}

// MARK: - Depth to voxels

// The voxel job's kernels. `views` holds 16 doubles a frame: the rotation by rows, the position, fx, fy, cx, cy of the
// depth map; `box` holds the rotation by columns, centre and half size.
struct voxels {
    uint64_t *keys;
    struct sum { double x, y, z; int64_t n; } *sums;
    int32_t *slots;
    size_t count, capacity, slot_count;
};

static void grow(struct voxels *grid) {
    grid->slot_count *= 4;
    free(grid->slots);
    grid->slots = calloc(grid->slot_count, sizeof *grid->slots);
    for (size_t i = 0; i < grid->count; i++) {
        size_t at = (grid->keys[i] * 0x9E3779B97F4A7C15u >> 32) & (grid->slot_count - 1);
        while (grid->slots[at]) at = (at + 1) & (grid->slot_count - 1);
        grid->slots[at] = (int32_t)i + 1;
    }
}

static struct sum *find(struct voxels *grid, uint64_t key) {
    if (grid->count * 2 >= grid->slot_count) grow(grid);
    size_t at = (key * 0x9E3779B97F4A7C15u >> 32) & (grid->slot_count - 1);
    while (grid->slots[at]) {
        if (grid->keys[grid->slots[at] - 1] == key) return &grid->sums[grid->slots[at] - 1];
        at = (at + 1) & (grid->slot_count - 1);
    }
    if (grid->count == grid->capacity) {
        grid->capacity = grid->capacity ? 2 * grid->capacity : 4096;
        grid->keys = realloc(grid->keys, grid->capacity * sizeof *grid->keys);
        grid->sums = realloc(grid->sums, grid->capacity * sizeof *grid->sums);
    }
    grid->keys[grid->count] = key;
    grid->sums[grid->count] = (struct sum){0};
    grid->slots[at] = (int32_t)++grid->count;
    return &grid->sums[grid->count - 1];
}

static void add_frame(
    struct voxels *grid, const double *view, const double *box, const float *metres, int width, int height, double size) {
    static float column[3][4096];
    for (int u = 0; u < width; u++) {
        const double x = (u - view[14]) / view[12];
        for (int axis = 0; axis < 3; axis++) column[axis][u] = (float)(view[3 * axis] * x - view[3 * axis + 2]);
    }
    for (int v = 0; v < height; v++) {
        const double y = -(v - view[15]) / view[13];
        const float rx = (float)(view[1] * y), ry = (float)(view[4] * y), rz = (float)(view[7] * y);
        for (int u = 0; u < width; u++) {
            const float z = metres[v * width + u];
            if (!(z > 0)) continue;
            const float px = (column[0][u] + rx) * z + (float)view[9];
            const float py = (column[1][u] + ry) * z + (float)view[10];
            const float pz = (column[2][u] + rz) * z + (float)view[11];
            const double d[3] = {px - box[9], py - box[10], pz - box[11]};
            int inside = 1;
            for (int axis = 0; axis < 3; axis++) {
                const double along = d[0] * box[3 * axis] + d[1] * box[3 * axis + 1] + d[2] * box[3 * axis + 2];
                inside &= fabs(along) <= box[12 + axis];
            }
            if (!inside) continue;
            const int64_t bias = 1 << 20;
            struct sum *sum = find(grid, (uint64_t)((int64_t)floor(px / size) + bias) << 42
                | (uint64_t)((int64_t)floor(py / size) + bias) << 21 | (uint64_t)((int64_t)floor(pz / size) + bias));
            sum->x += px; sum->y += py; sum->z += pz; sum->n++;
        }
    }
}

static void voxels(char **arguments) {
    const char *depth_path = arguments[0], *confidence_path = arguments[1];
    const int width = atoi(arguments[3]), height = atoi(arguments[4]);
    const double size = atof(arguments[5]);
    const size_t pixels = (size_t)width * (size_t)height;
    size_t facts_size;
    const double *box = (const double *)load(arguments[2], &facts_size), *view = box + 15;
    struct inflater *depth = open_stream(depth_path), *confidence = open_stream(confidence_path);
    uint8_t *half = malloc(2 * pixels), *level = malloc(pixels);
    float *metres = malloc(4 * pixels);
    struct voxels grid = {.slot_count = 1024, .slots = calloc(1024, sizeof(int32_t))};
    size_t frames = 0;
    while (inflate_next(depth, half, 2 * pixels) == 2 * pixels && inflate_next(confidence, level, pixels) == pixels) {
        if ((frames + 1) * 16 + 15 > facts_size / sizeof(double)) DIE("more depth frames than camera lines");
        for (size_t i = 0; i < pixels; i++) {
            uint16_t bits;
            memcpy(&bits, half + 2 * i, 2);
            uint32_t wide = (uint32_t)bits << 13;
            memcpy(&metres[i], &wide, 4);
            const float z = metres[i] * 0x1p112f;
            metres[i] = (level[i] >= 2) & (z >= 0.1f) & (z <= 5) ? z : 0;
        }
        add_frame(&grid, view + 16 * frames++, box, metres, width, height, size);
    }
    printf("%zu frames, %zu voxels\n", frames, grid.count);
}

// MARK: - Pictures

static void decode_pictures(char **paths) {
    uint8_t *pixels = NULL;
    for (; *paths; paths++) {
        size_t size;
        uint8_t *bytes = load(*paths, &size);
        struct jpeg_decompress_struct jpeg;
        struct jpeg_error_mgr errors;
        jpeg.err = jpeg_std_error(&errors);
        jpeg_create_decompress(&jpeg);
        jpeg_mem_src(&jpeg, bytes, size);
        jpeg_read_header(&jpeg, TRUE);
        jpeg.out_color_space = JCS_RGB;
        jpeg_start_decompress(&jpeg);
        if (!pixels) pixels = malloc((size_t)jpeg.output_width * jpeg.output_height * 3);
        while (jpeg.output_scanline < jpeg.output_height) {
            uint8_t *row = pixels + (size_t)jpeg.output_scanline * jpeg.output_width * 3;
            jpeg_read_scanlines(&jpeg, &row, 1);
        }
        jpeg_finish_decompress(&jpeg);
        jpeg_destroy_decompress(&jpeg);
        free(bytes);
    }
}

// MARK: - Deflating

static void deflate_file(const char *source, const char *target, int level) {
    static uint8_t in[98304], out[98304];
    FILE *input = must_open(source, "rb"), *output = must_open(target, "wb");
    z_stream z = {0};
    if (deflateInit2(&z, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) DIE("zlib has no memory");
    int end = 0;
    while (!end) {
        z.avail_in = (uInt)fread(in, 1, sizeof in, input);
        z.next_in = in;
        const int flush = z.avail_in < sizeof in ? Z_FINISH : Z_NO_FLUSH;
        do {
            z.next_out = out;
            z.avail_out = sizeof out;
            end = deflate(&z, flush) == Z_STREAM_END;
            fwrite(out, 1, sizeof out - z.avail_out, output);
        } while (z.avail_out == 0);
    }
    deflateEnd(&z);
    fclose(input);
    fclose(output);
}

int main(int count, char **arguments) {
    const char *mode = count > 1 ? arguments[1] : "";
    if (strcmp(mode, "inflate") == 0 && count > 2) inflate_files(arguments + 2);
    else if (strcmp(mode, "voxels") == 0 && count == 8) voxels(arguments + 2);
    else if (strcmp(mode, "jpeg") == 0 && count > 2) decode_pictures(arguments + 2);
    else if (strcmp(mode, "deflate") == 0 && count == 5) deflate_file(arguments[2], arguments[3], atoi(arguments[4]));
    else DIE("limits inflate STREAM… > RAW | voxels DEPTH CONFIDENCE FACTS WIDTH HEIGHT SIZE | jpeg PICTURE… | deflate IN OUT LEVEL");
    return 0;
}
