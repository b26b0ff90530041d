#include "KernelTwins.h"

#include <zlib.h>

size_t twin_inflate(
    const uint8_t *bytes, size_t count, int wrapped, uint8_t *output, size_t capacity, int *is_sound) {
    z_stream z = {0};
    *is_sound = 0;
    if (inflateInit2(&z, wrapped ? MAX_WBITS : -MAX_WBITS) != Z_OK) return 0;
    z.next_in = (Bytef *)bytes;
    z.avail_in = (uInt)count;
    z.next_out = output;
    z.avail_out = (uInt)capacity;
    *is_sound = inflate(&z, Z_NO_FLUSH) == Z_STREAM_END;
    inflateEnd(&z);
    return capacity - z.avail_out;
}
