#include "CScanMill.h"

#include <limits.h>
#include <lz4.h>
#include <lz4hc.h>

ptrdiff_t sm_lz4_decode(const uint8_t *block, size_t count, uint8_t *output, size_t capacity) {
    if (!count || count > INT_MAX || capacity > INT_MAX) return -1;
    int size = LZ4_decompress_safe((const char *)block, (char *)output, (int)count, (int)capacity);
    return size < 0 ? -1 : size;
}

size_t sm_lz4_bound(size_t count) { return count > LZ4_MAX_INPUT_SIZE ? 0 : (size_t)LZ4_compressBound((int)count); }

size_t sm_lz4_encode(const uint8_t *bytes, size_t count, uint8_t *output, size_t capacity) {
    if (count > LZ4_MAX_INPUT_SIZE || capacity > INT_MAX) return 0;
    int size = LZ4_compress_HC((const char *)bytes, (char *)output, (int)count, (int)capacity, LZ4HC_CLEVEL_DEFAULT);
    return size < 0 ? 0 : (size_t)size;
}
