#include "KernelTwins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__x86_64__)
// Swift never fuses a product with a sum; C does where every processor can, and would give other results with fewer
// instructions.
#pragma STDC FP_CONTRACT OFF
#endif

struct twin_count twin_mask_range(float *metres, size_t count, float near, float far) {
    struct twin_count counted = {0, 0};
    for (size_t i = 0; i < count; i++) {
        const float z = metres[i], kept = z >= near && z <= far ? z : 0;
        counted.before += z > 0;
        counted.after += kept > 0;
        metres[i] = kept;
    }
    return counted;
}

struct twin_count twin_mask_confidence(float *metres, const uint8_t *values, size_t count, int32_t threshold) {
    struct twin_count counted = {0, 0};
    for (size_t i = 0; i < count; i++) {
        const float z = metres[i], kept = values[i] >= threshold ? z : 0;
        counted.before += z > 0;
        counted.after += kept > 0;
        metres[i] = kept;
    }
    return counted;
}

struct twin_count twin_mask_jumps(float *metres, const float *earlier, size_t count, float limit) {
    struct twin_count counted = {0, 0};
    for (size_t i = 0; i < count; i++) {
        const float z = metres[i], old = earlier[i];
        const float kept = fabsf(z - old) <= limit && old > 0 ? z : 0;
        counted.before += z > 0;
        counted.after += kept > 0;
        metres[i] = kept;
    }
    return counted;
}

int32_t twin_valid_count(const float *metres, size_t count) {
    int32_t valid = 0;
    for (size_t i = 0; i < count; i++) valid += metres[i] > 0;
    return valid;
}

size_t twin_unproject(
    const float *metres, size_t width, size_t height, const float *tables, const float *rows, const float *axis,
    const float *position, float *out) {
    const float *xs = tables, *ys = tables + width, *zs = tables + 2 * width;
    float *target = out;
    for (size_t v = 0; v < height; v++) {
        const float rx = rows[v] * axis[0], ry = rows[v] * axis[1], rz = rows[v] * axis[2];
        for (size_t u = 0; u < width; u++) {
            const float z = metres[v * width + u];
            target[0] = (xs[u] + rx) * z + position[0];
            target[1] = (ys[u] + ry) * z + position[1];
            target[2] = (zs[u] + rz) * z + position[2];
            target += z > 0 ? 3 : 0;
        }
    }
    return (size_t)(target - out);
}

size_t twin_unproject_colored(
    const float *metres, size_t width, size_t height, const uint8_t *picture, size_t picture_width,
    size_t picture_height, const int64_t *columns, uint8_t *out) {
    uint8_t *target = out;
    for (size_t v = 0; v < height; v++) {
        const uint8_t *row = picture + (2 * v + 1) * picture_height / (2 * height) * picture_width * 3;
        for (size_t u = 0; u < width; u++) {
            const uint8_t *pixel = row + columns[u];
            target[0] = pixel[0];
            target[1] = pixel[1];
            target[2] = pixel[2];
            target += metres[v * width + u] > 0 ? 3 : 0;
        }
    }
    return (size_t)(target - out);
}

size_t twin_cull_by_box(const float *points, size_t count, const float *box, int32_t *kept) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        kept[found] = (int32_t)i;
        const float dx = points[3 * i] - box[9], y = points[3 * i + 1], dy = y - box[10], dz = points[3 * i + 2] - box[11];
        if (fabsf(dx * box[0] + dy * box[1] + dz * box[2]) <= box[12]
            && fabsf(dx * box[3] + dy * box[4] + dz * box[5]) <= box[13]
            && fabsf(dx * box[6] + dy * box[7] + dz * box[8]) <= box[14] && y >= box[15]) found++;
    }
    return found;
}

struct sum { double x, y, z; int64_t red, green, blue, points; };

static void add_row(
    const float *restrict depth, const float *restrict inverse, const float *restrict other_depth,
    const float *restrict other_inverse, float j, ptrdiff_t step, float *restrict sums) {
    enum { width = 64 };
    for (size_t u = 0; u < width; u++) {
        const float z = depth[u], w = inverse[u], limit = 0.03f * z;
        float count[5], more[5];
        for (int i = 0; i < 5; i++) {
            const ptrdiff_t at = (ptrdiff_t)u + (i - 2) * step;
            const float is_near = fabsf(other_depth[at] - z) <= limit ? 1 : 0, difference = other_inverse[at] - w;
            count[i] = is_near;
            more[i] = is_near > 0 ? difference : 0;
        }
        const float n = count[0] + count[1] + count[2] + count[3] + count[4];
        const float along = 2 * (count[4] - count[0]) + count[3] - count[1];
        const float sum = more[0] + more[1] + more[2] + more[3] + more[4];
        sums[u] += n;
        sums[u + width] += along;
        sums[u + 2 * width] += j * n;
        sums[u + 3 * width] += 4 * (count[0] + count[4]) + count[1] + count[3];
        sums[u + 4 * width] += j * along;
        sums[u + 5 * width] += j * j * n;
        sums[u + 6 * width] += sum;
        sums[u + 7 * width] += 2 * (more[4] - more[0]) + more[3] - more[1];
        sums[u + 8 * width] += j * sum;
    }
}

size_t twin_normals(
    const float *depth, const float *inverse, size_t width, size_t height, size_t step, const float *camera,
    float *sums, float *out) {
    const size_t border = 2 * step, length = width + 2 * border;
    size_t unknown = 0;
    for (size_t block = 0; block < height * (width / 64); block++) {
        const size_t v = block / (width / 64), start = block % (width / 64) * 64;
        const size_t middle = (v + border) * length + border + start;
        for (size_t i = 0; i < 9 * 64; i++) sums[i] = 0;
        for (int j = -2; j <= 2; j++) {
            const size_t row = middle + (ptrdiff_t)(j * (ptrdiff_t)(step * length));
            add_row(depth + middle, inverse + middle, depth + row, inverse + row, j, step, sums);
        }
        for (size_t at = 0; at < 64; at++) {
            if (!(depth[middle + at] > 0)) continue;
            const size_t u = start + at;
            const float *s = sums + at;
            const float n = s[0], i = s[64], j = s[2 * 64], w = s[6 * 64];
            const float ii = n * s[3 * 64] - i * i, ij = n * s[4 * 64] - i * j, jj = n * s[5 * 64] - j * j;
            const float determinant = ii * jj - ij * ij;
            out[0] = out[1] = out[2] = 0;
            if (n >= 6 && determinant > 0) {
                const float iw = n * s[7 * 64] - i * w, jw = n * s[8 * 64] - j * w;
                const float right = (jj * iw - ij * jw) / (determinant * step);
                const float down = (ii * jw - ij * iw) / (determinant * step);
                const float x = -right * camera[0], y = down * camera[1];
                const float z = inverse[middle + at] - right * (u - camera[2]) - down * (v - camera[3]);
                const float norm = sqrtf(x * x + y * y + z * z);
                out[0] = x / norm;
                out[1] = y / norm;
                out[2] = z / norm;
            } else {
                unknown++;
            }
            out += 3;
        }
    }
    return unknown;
}

size_t twin_voxels(const float *points, size_t count, double size) {
    size_t slot_count = 1024, used = 0, capacity = 1024;
    int32_t *slots = calloc(slot_count, sizeof *slots);
    uint64_t *keys = malloc(capacity * sizeof *keys);
    struct sum *sums = malloc(capacity * sizeof *sums);
    for (size_t i = 0; i < count; i++) {
        const double x = points[3 * i], y = points[3 * i + 1], z = points[3 * i + 2];
        const double gx = floor(x / size), gy = floor(y / size), gz = floor(z / size);
        if (!(fabs(gx) < 1048576 && fabs(gy) < 1048576 && fabs(gz) < 1048576)) continue;
        const uint64_t key = (uint64_t)((int64_t)gx + 1048576) << 42 | (uint64_t)((int64_t)gy + 1048576) << 21
            | (uint64_t)((int64_t)gz + 1048576);
        if (used * 2 >= slot_count) {
            slot_count *= 4;
            free(slots);
            slots = calloc(slot_count, sizeof *slots);
            for (size_t n = 0; n < used; n++) {
                size_t at = (keys[n] * 0x9E3779B97F4A7C15u >> 32) & (slot_count - 1);
                while (slots[at]) at = (at + 1) & (slot_count - 1);
                slots[at] = (int32_t)n + 1;
            }
        }
        size_t at = (key * 0x9E3779B97F4A7C15u >> 32) & (slot_count - 1);
        while (slots[at] && keys[slots[at] - 1] != key) at = (at + 1) & (slot_count - 1);
        if (!slots[at]) {
            if (used == capacity) {
                capacity *= 2;
                keys = realloc(keys, capacity * sizeof *keys);
                sums = realloc(sums, capacity * sizeof *sums);
            }
            keys[used] = key;
            sums[used] = (struct sum){0};
            slots[at] = (int32_t)++used;
        }
        struct sum *sum = &sums[slots[at] - 1];
        sum->x += x;
        sum->y += y;
        sum->z += z;
        sum->points++;
    }
    free(slots);
    free(keys);
    free(sums);
    return used;
}

static uint32_t rounded(float value) {
    const float shift = 0x1.8p23f, sum = value + shift;
    uint32_t a, b;
    memcpy(&a, &sum, 4);
    memcpy(&b, &shift, 4);
    return a - b;
}

size_t twin_fuse(
    const float *metres, uint32_t width, uint32_t height, const double *axes, const float *center,
    const int32_t *blocks, size_t count, double voxel, float truncation, int32_t *distances, uint16_t *counts) {
    const float units = 32767 / truncation;
    float steps[9];
    for (int i = 0; i < 9; i++) steps[i] = (float)(axes[i] * voxel);
    size_t added = 0;
    for (size_t block = 0; block < count; block++, distances += 512, counts += 512) {
        float start[3];
        for (int i = 0; i < 3; i++) {
            const double *axis = axes + 3 * i;
            const double edge = voxel * 8;
            const int32_t *at = blocks + 3 * block;
            start[i] = (float)(axis[0] * (at[0] * edge) + axis[1] * (at[1] * edge) + axis[2] * (at[2] * edge));
        }
        int32_t pixels[512];
        float depths[512];
        for (int row = 0; row < 64; row++) {
            const float y = (float)(row & 7), z = (float)(row >> 3);
            const float row_u = start[0] + y * steps[1] + z * steps[2], row_v = start[1] + y * steps[4] + z * steps[5];
            const float row_depth = start[2] + y * steps[7] + z * steps[8];
            for (int x = 0; x < 8; x++) {
                const float depth = row_depth + (float)x * steps[6], inverse = 1 / depth;
                const uint32_t u = rounded((row_u + (float)x * steps[0]) * inverse + center[0]);
                const uint32_t v = rounded((row_v + (float)x * steps[3]) * inverse + center[1]);
                const int is_seen = (u < width) & (v < height) & (depth > 0);
                pixels[8 * row + x] = is_seen ? (int32_t)(v * width + u) : -1;
                depths[8 * row + x] = depth;
            }
        }
        for (int i = 0; i < 512; i++) {
            if (pixels[i] < 0) continue;
            const float depth = metres[pixels[i]], distance = depth - depths[i];
            if (!(depth > 0 && distance >= -truncation) || counts[i] == UINT16_MAX) continue;
            counts[i]++;
            added++;
            distances[i] += distance > truncation ? 32767 : (int32_t)rounded(distance * units);
        }
    }
    return added;
}

void twin_halve(const uint8_t *pixels, size_t width, size_t height, uint16_t *sums, uint8_t *out) {
    for (size_t v = 0; v + 1 < height; v += 2) {
        const uint8_t *row = pixels + v * width * 3;
        for (size_t i = 0; i < width * 3; i++) sums[i] = row[i] + row[width * 3 + i];
        for (size_t u = 0; u + 1 < width; u += 2) {
            for (size_t c = 0; c < 3; c++) *out++ = (uint8_t)((sums[3 * u + c] + sums[3 * u + 3 + c] + 2) >> 2);
        }
    }
}

static void average(
    const uint8_t *pixels, size_t width, size_t height, size_t side, uint16_t *sums, uint8_t *out) {
    const unsigned area = (unsigned)(side * side);
    for (size_t v = 0; v + side <= height; v += side) {
        const uint8_t *row = pixels + v * width * 3;
        for (size_t i = 0; i < width * 3; i++) sums[i] = row[i];
        for (size_t k = 1; k < side; k++) {
            for (size_t i = 0; i < width * 3; i++) sums[i] += row[k * width * 3 + i];
        }
        for (size_t u = 0; u + side <= width; u += side) {
            for (size_t c = 0; c < 3; c++) {
                unsigned sum = area / 2;
                for (size_t k = 0; k < side; k++) sum += sums[3 * (u + k) + c];
                *out++ = (uint8_t)(sum / area);
            }
        }
    }
}

size_t twin_halve_thrice(
    const uint8_t *pixels, size_t width, size_t height, uint16_t *sums, uint8_t *out, size_t place) {
    size_t digest = 0;
    for (size_t side = 2; side <= 8; side *= 2) {
        average(pixels, width, height, side, sums, out);
        digest = 256 * digest + out[place];
    }
    return digest;
}
