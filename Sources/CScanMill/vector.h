// For kernels that are written once and compiled twice: for every machine, and for those with AVX2, where loops over
// three-byte pixels are four times as fast. Both give the same results.
#pragma once

// A product that is fused with a sum rounds once instead of twice. arm64 has instructions for that and compilers use
// them unasked, x86-64 has them only on newer processors: results would differ in their last bits.
#pragma STDC FP_CONTRACT OFF

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

static inline int has_avx2(void) { return __builtin_cpu_supports("avx2"); }
#else
#define AVX2

static inline int has_avx2(void) { return 0; }
#endif

/// Inlined into whichever function calls it, and compiled for the same machines.
#define BODY static inline __attribute__((always_inline))

#if defined(__x86_64__)
/// OpenCV's grey (`sm_gray_of`) of eight pixels, 32 bits each.
/// - red_green: 16 bits of red, then 16 of green, of each pixel.
/// - blue_one: 16 bits of blue, then the number one, which stands for one half and rounds.
AVX2 BODY __m256i gray_of_lanes(__m256i red_green, __m256i blue_one) {
    const __m256i sum = _mm256_add_epi32(
        _mm256_madd_epi16(red_green, _mm256_set1_epi32(9798 | 19235 << 16)),
        _mm256_madd_epi16(blue_one, _mm256_set1_epi32(3735 | 16384 << 16)));
    return _mm256_srli_epi32(sum, 15);
}
#endif
