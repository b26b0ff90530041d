#ifndef KERNEL_TWINS_H
#define KERNEL_TWINS_H

#include <stddef.h>
#include <stdint.h>

/// zlib's own decoder: what ISA-L's and libdeflate's results are compared with. `bytes` are raw DEFLATE, or `wrapped` as
/// zlib's. Returns the number of bytes before the end, the damage, or the end of the output; `is_sound` says whether the
/// stream ended properly.
size_t twin_inflate(
    const uint8_t *bytes, size_t count, int wrapped, uint8_t *output, size_t capacity, int *is_sound);

/// Whether this thread's vector registers hold anything above their first 128 bits. Only to be asked where the second says
/// that the processor tells it; that clears them.
int twin_upper_halves_in_use(void);
int twin_upper_halves_are_told(void);

// ScanModel's kernels once more, in plain C: how many instructions each of them should need. See KernelCountTests.swift.

struct twin_count { int32_t before, after; };

struct twin_count twin_mask_range(float *metres, size_t count, float near, float far);
struct twin_count twin_mask_confidence(float *metres, const uint8_t *values, size_t count, int32_t threshold);
struct twin_count twin_mask_jumps(float *metres, const float *earlier, size_t count, float limit);
int32_t twin_valid_count(const float *metres, size_t count);

/// `tables` holds x, y, z of each column, `rows` a factor a row, `axis` what it is for, `position` the camera's.
/// Returns the number of floats written; there must be room for one point more than pixels.
size_t twin_unproject(
    const float *metres, size_t width, size_t height, const float *tables, const float *rows, const float *axis,
    const float *position, float *out);

/// `columns` holds, for each depth column, where its colour begins in a row of the picture.
size_t twin_unproject_colored(
    const float *metres, size_t width, size_t height, const uint8_t *picture, size_t picture_width,
    size_t picture_height, const int64_t *columns, uint8_t *out);

/// `box`: three axes, centre, half size, the lowest y; 16 floats. Returns how many points are inside.
size_t twin_cull_by_box(const float *points, size_t count, const float *box, int32_t *kept);

/// Fits planes to the inverse of depth. `depth` and `inverse` have a border of 2 * `step` pixels on each side, `camera` is
/// fx, fy, cx, cy, `sums` has room for 9 × 64, and `width` is a multiple of 64. Returns how many pixels with depth have no normal.
size_t twin_normals(
    const float *depth, const float *inverse, size_t width, size_t height, size_t step, const float *camera,
    float *sums, float *out);

/// Sums up points in cubes; returns how many cubes there are.
size_t twin_voxels(const float *points, size_t count, double size);

/// Adds a frame without colours to blocks of 8 × 8 × 8 samples, `blocks` being x, y, z of each, that hold sums of distances,
/// in 1 / 32,767 of the truncation, and counts. A point p is seen at (axes[0…2] · p, axes[3…5] · p) / (axes[6…8] · p) from
/// `center`. Returns how many distances were added.
size_t twin_fuse(
    const float *metres, uint32_t width, uint32_t height, const double *axes, const float *center,
    const int32_t *blocks, size_t count, double voxel, float truncation, int32_t *distances, uint16_t *counts);

/// Halves a picture's width and height.
void twin_halve(const uint8_t *pixels, size_t width, size_t height, uint16_t *sums, uint8_t *out);

/// Averages squares of 2, 4 and 8 pixels, one size after the other.
/// - out: room for the first; holds the last.
/// - place: of which value to return those of all three, a byte each.
size_t twin_halve_thrice(
    const uint8_t *pixels, size_t width, size_t height, uint16_t *sums, uint8_t *out, size_t place);

#endif
