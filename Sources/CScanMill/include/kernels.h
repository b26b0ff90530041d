// Loops over the numbers of a frame. They are for little-endian machines. Untyped buffers may have any
// alignment.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Counts of values that cannot be depths and became 0. A negative zero is not counted.
struct sm_repaired {
    size_t nan, infinite, negative;
};

/// Half floats to floats. What is not finite, or negative, becomes 0 and is counted; −0 becomes 0.
struct sm_repaired sm_metres_from_halves(const void *halves, size_t count, float *metres);

/// The same without special instructions.
struct sm_repaired sm_metres_from_halves_portable(const void *halves, size_t count, float *metres);

/// Floats to floats, cleaned in the same way; beyond the largest half, 65,504 m, counts as infinite.
struct sm_repaired sm_metres_from_floats(const void *floats, size_t count, float *metres);

/// (value & mask) / units_per_metre, correctly rounded; `invalid` (unmasked; negative for none) becomes 0.
void sm_metres_from_units(
    const void *units, size_t count, double units_per_metre, uint16_t mask, int32_t invalid, float *metres);

/// Round to nearest, ties to even. Values above 65504 become 0; returns how many.
size_t sm_halves_from_metres(const float *metres, size_t count, uint16_t *halves);

/// metres × units_per_metre in double, rounded to nearest, ties to even. Values above `largest` or equal to `invalid`
/// (negative for none) become 0; returns how many.
size_t sm_units_from_metres(
    const float *metres, size_t count, double units_per_metre, uint16_t largest, int32_t invalid, uint16_t *units);

/// Millimetres as the MultiScan server writes them: half(half(metres) × 1000), truncated. Values above 65504 become 0;
/// returns how many.
size_t sm_multiscan_millimetres(const float *metres, size_t count, uint16_t *millimetres);

/// Luma of 16...235 to 0...255, rounded to nearest; values outside are clamped.
void sm_expand_range(uint8_t *luma, size_t count);
