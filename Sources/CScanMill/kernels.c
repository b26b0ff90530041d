#include "CScanMill.h"
#include "vector.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the numbers in the files are little-endian");

enum { half_infinity = 0x7c00, half_sign = 0x8000 };

static inline uint16_t load16(const uint8_t *bytes) {
    uint16_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static inline uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// A finite half that is not negative. Shifted into place its exponent is 112 too small; the product is exact, and right
// for subnormal halves too.
static inline float float_from_half(uint16_t half) { return float_of((uint32_t)half << 13) * 0x1p112f; }

// For a value in 0...65519. Ties go to even in both cases, and there is no branch.
static inline uint16_t half_from_float(float value) {
    // The last bit of 0.5 + value stands for 2^-24, the step of subnormal halves.
    const uint32_t subnormal = bits_of(value + 0.5f) - bits_of(0.5f);
    const uint32_t bits = bits_of(value);
    const uint32_t normal = (bits + 0xfff + ((bits >> 13) & 1) - (112u << 23)) >> 13;
    return (uint16_t)(value < 0x1p-14f ? subnormal : normal);
}

static struct sm_repaired count_bad_halves(const uint8_t *halves, size_t count) {
    struct sm_repaired repaired = {0};
    for (size_t i = 0; i < count; i++) {
        const uint16_t half = load16(halves + 2 * i);
        const uint16_t magnitude = half & (half_sign - 1);
        if (magnitude > half_infinity) repaired.nan++;
        else if (magnitude == half_infinity) repaired.infinite++;
        else if (half > half_sign) repaired.negative++;
    }
    return repaired;
}

struct sm_repaired sm_metres_from_halves_portable(const void *halves, size_t count, float *metres) {
    const uint8_t *bytes = halves;
    uint32_t bad = 0;
    for (size_t i = 0; i < count; i++) {
        const uint16_t half = load16(bytes + 2 * i);
        const uint16_t is_good = half < half_infinity;
        bad |= !is_good;
        metres[i] = float_from_half(half & (uint16_t)-is_good);
    }
    return bad ? count_bad_halves(bytes, count) : (struct sm_repaired){0};
}

#if defined(__x86_64__)
__attribute__((target("avx2,f16c"))) static struct sm_repaired metres_from_halves_f16c(
    const uint8_t *halves, size_t count, float *metres) {
    const __m128i largest = _mm_set1_epi16(half_infinity - 1);
    __m128i all_good = _mm_set1_epi16(-1);
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m128i half = _mm_loadu_si128((const __m128i *)(halves + 2 * i));
        const __m128i good = _mm_cmpeq_epi16(_mm_min_epu16(half, largest), half);
        all_good = _mm_and_si128(all_good, good);
        _mm256_storeu_ps(metres + i, _mm256_cvtph_ps(_mm_and_si128(half, good)));
    }
    const struct sm_repaired rest = sm_metres_from_halves_portable(halves + 2 * i, count - i, metres + i);
    if (_mm_movemask_epi8(all_good) == 0xffff) return rest;
    return count_bad_halves(halves, count);
}
#endif

struct sm_repaired sm_metres_from_halves(const void *halves, size_t count, float *metres) {
#if defined(__x86_64__)
    if (has_avx2() && __builtin_cpu_supports("f16c")) {
        return metres_from_halves_f16c(halves, count, metres);
    }
#endif
    return sm_metres_from_halves_portable(halves, count, metres);
}

struct sm_repaired sm_metres_from_floats(const void *floats, size_t count, float *metres) {
    const uint32_t infinity = 0x7f800000, sign = 0x80000000, largest = bits_of(65504);
    struct sm_repaired repaired = {0};
    memcpy(metres, floats, count * sizeof *metres);
    for (size_t i = 0; i < count; i++) {
        const uint32_t bits = bits_of(metres[i]);
        if (bits <= largest) continue;
        const uint32_t magnitude = bits & (sign - 1);
        repaired.nan += magnitude > infinity;
        repaired.infinite += magnitude > largest && magnitude <= infinity;
        repaired.negative += magnitude <= largest && magnitude != 0;
        metres[i] = 0;
    }
    return repaired;
}

void sm_metres_from_units(
    const void *units, size_t count, double units_per_metre, uint16_t mask, int32_t invalid, float *metres) {
    const uint8_t *bytes = units;
    for (size_t i = 0; i < count; i++) {
        const int32_t unit = load16(bytes + 2 * i);
        const int32_t value = unit == invalid ? 0 : unit & mask;
        metres[i] = (float)(value / units_per_metre);
    }
}

size_t sm_halves_from_metres(const float *metres, size_t count, uint16_t *halves) {
    uint32_t overflow = 0;
    for (size_t i = 0; i < count; i++) {
        const float value = metres[i];
        overflow += value > 65504;
        halves[i] = half_from_float(value > 0 && value <= 65504 ? value : 0);
    }
    return overflow;
}

BODY size_t units_from_metres(
    const float *metres, size_t count, double units_per_metre, uint16_t largest, int32_t invalid, uint16_t *units) {
    // Adding and subtracting 1.5 × 2^52 rounds to a whole number, ties to even.
    const double whole = 0x1.8p52;
    uint32_t overflow = 0;
    for (size_t i = 0; i < count; i++) {
        const double value = metres[i] * units_per_metre;
        const int is_large = value > largest + 0.5;
        const int32_t unit = (int32_t)((value > 0 && !is_large ? value : 0) + whole - whole);
        const int is_bad = is_large || unit > largest || (unit == invalid && unit > 0);
        overflow += (uint32_t)is_bad;
        units[i] = (uint16_t)(is_bad ? 0 : unit);
    }
    return overflow;
}

// Without fused products, so that the numbers are the same on all machines.
AVX2 static size_t units_from_metres_avx2(
    const float *metres, size_t count, double units_per_metre, uint16_t largest, int32_t invalid, uint16_t *units) {
    return units_from_metres(metres, count, units_per_metre, largest, invalid, units);
}

size_t sm_units_from_metres(
    const float *metres, size_t count, double units_per_metre, uint16_t largest, int32_t invalid, uint16_t *units) {
    if (has_avx2()) return units_from_metres_avx2(metres, count, units_per_metre, largest, invalid, units);
    return units_from_metres(metres, count, units_per_metre, largest, invalid, units);
}

size_t sm_multiscan_millimetres(const float *metres, size_t count, uint16_t *millimetres) {
    uint32_t overflow = 0;
    for (size_t i = 0; i < count; i++) {
        const float value = metres[i];
        const int is_large = value > 66;
        const float half = float_from_half(half_from_float(value > 0 && !is_large ? value : 0));
        // A product of two halves is exact in a float. From 65520 on, half's rounding gives infinity.
        const float product = half * 1000;
        const int is_bad = is_large || product >= 65520;
        overflow += (uint32_t)is_bad;
        millimetres[i] = (uint16_t)float_from_half(half_from_float(is_bad ? 0 : product));
    }
    return overflow;
}

BODY void expand_range(uint8_t *luma, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const uint8_t value = luma[i] < 16 ? 16 : luma[i] > 235 ? 235 : luma[i];
        const uint16_t scaled = (uint16_t)((value - 16) * 255 + 109);
        // Division by 219, exact for these 220 numbers, in 16 bits so that more lanes fit.
        luma[i] = (uint8_t)((uint16_t)((uint32_t)scaled * 38305 >> 16) >> 7);
    }
}

AVX2 static void expand_range_avx2(uint8_t *luma, size_t count) { expand_range(luma, count); }

void sm_expand_range(uint8_t *luma, size_t count) {
    if (has_avx2()) expand_range_avx2(luma, count);
    else expand_range(luma, count);
}
