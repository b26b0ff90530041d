#include "KernelTwins.h"

#if defined(__x86_64__)
#include <cpuid.h>

int twin_upper_halves_in_use(void) {
    unsigned a, d;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(1));
    return (a >> 2) & 1;
}

int twin_upper_halves_are_told(void) {
    unsigned a, b, c, d;
    // Extended states, sub-leaf 1, bit 2: whether the processor tells which of them are in use. It may say so of all.
    if (!__builtin_cpu_supports("avx") || !__get_cpuid_count(0xd, 1, &a, &b, &c, &d) || !(a & 4)) return 0;
    __asm__ volatile("vzeroupper");
    return !twin_upper_halves_in_use();
}
#else
int twin_upper_halves_in_use(void) { return 0; }
int twin_upper_halves_are_told(void) { return 0; }
#endif
