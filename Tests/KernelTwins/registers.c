#include "KernelTwins.h"

#if defined(__x86_64__)
#include <cpuid.h>

int twin_upper_halves_in_use(void) {
    unsigned a, b, c, d;
    // Extended states, sub-leaf 1, bit 2: the processor tells which of them are in use.
    if (!__builtin_cpu_supports("avx") || !__get_cpuid_count(0xd, 1, &a, &b, &c, &d) || !(a & 4)) return -1;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(1));
    return (a >> 2) & 1;
}
#else
int twin_upper_halves_in_use(void) { return -1; }
#endif
