#include "CScanMill.h"

// Bits are taken from the most significant end of each byte. `last` is 0 at the start of a frame.
//   00            last again            010 nnnnn            last again, n + 5 times
//   11, 10        last + 1, last - 1    0111 vvvvvvvvvvv     v
//   01101, 01100  last + 2, last - 2
enum { shortest_run = 5, longest_run = shortest_run + 31, largest_shift = 2047 };

size_t sm_shifts_decode(const uint8_t *bytes, size_t byte_count, uint16_t *shifts, size_t count, size_t *left) {
    // The next bits, from the top; zeros follow the last one.
    uint64_t window = 0;
    unsigned filled = 0;
    uint16_t last = 0;
    size_t done = 0;
    while (done < count) {
        for (; filled <= 56 && byte_count > 0; filled += 8, byte_count--) {
            window |= (uint64_t)*bytes++ << (56 - filled);
        }
        const unsigned next = (unsigned)(window >> 49);
        unsigned length = 2;
        size_t run = 1;
        switch (next >> 13) {
        case 0: break;
        case 2: last = (uint16_t)(last - 1); break;
        case 3: last = (uint16_t)(last + 1); break;
        default:
            if (!(next & 0x1000)) {
                length = 8;
                run = (next >> 7 & 31) + shortest_run;
            } else if (next & 0x0800) {
                length = 15;
                last = (uint16_t)(next & largest_shift);
            } else {
                length = 5;
                last = (uint16_t)(next & 0x0400 ? last + 2 : last - 2);
            }
        }
        if (length > filled) break;
        window <<= length;
        filled -= length;
        if (run > count - done) run = count - done;
        for (; run > 0; run--) shifts[done++] = last;
    }
    *left = byte_count + filled / 8;
    return done;
}

struct bit_writer {
    uint8_t *output;
    size_t count;
    uint32_t window;
    unsigned filled;
};

static void put(struct bit_writer *writer, uint32_t bits, unsigned length) {
    writer->window = writer->window << length | bits;
    writer->filled += length;
    for (; writer->filled >= 8; writer->filled -= 8) {
        writer->output[writer->count++] = (uint8_t)(writer->window >> (writer->filled - 8));
    }
}

size_t sm_shifts_encode(const uint16_t *shifts, size_t count, uint8_t *output) {
    struct bit_writer writer = {.output = output};
    uint16_t last = 0;
    for (size_t i = 0; i < count;) {
        size_t run = 0;
        while (run < longest_run && i + run < count && shifts[i + run] == last) run++;
        if (run >= shortest_run) {
            put(&writer, 0x40 | (uint32_t)(run - shortest_run), 8);
            i += run;
            continue;
        }
        const uint16_t shift = shifts[i++] & largest_shift;
        switch (shift - last) {
        case 0: put(&writer, 0, 2); break;
        case 1: put(&writer, 3, 2); break;
        case -1: put(&writer, 2, 2); break;
        case 2: put(&writer, 13, 5); break;
        case -2: put(&writer, 12, 5); break;
        default: put(&writer, 7u << 11 | shift, 15);
        }
        last = shift;
    }
    if (writer.filled > 0) put(&writer, 0, 8 - writer.filled);
    return writer.count;
}
