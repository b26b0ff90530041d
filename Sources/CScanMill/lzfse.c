#include "CScanMill.h"

#include <string.h>

// LZFSE, after Apple's description of its bitstream (lzfse, README and lzfse_internal.h): blocks that are stored,
// packed with LZVN (small ones), or made of literals and matches, both coded with finite state entropy (FSE).
//
// Everything that a stream says is checked before it is used: a damaged stream ends with a reason, and never makes the
// decoder read or write outside its buffers.

enum {
    magic_end = 0x24787662,     // bvx$
    magic_stored = 0x2d787662,  // bvx-
    magic_lzvn = 0x6e787662,    // bvxn
    magic_plain = 0x31787662,   // bvx1, which no encoder writes
    magic_packed = 0x32787662,  // bvx2
};

enum { length_symbols = 20, match_symbols = 20, distance_symbols = 64, literal_symbols = 256 };
enum { length_states = 64, match_states = 64, distance_states = 256, literal_states = 1024 };
enum { most_literals = 40000, most_matches = 10000 };

// The bytes not yet read, and the output so far: matches reach back into all of it.
struct decoder {
    const uint8_t *input, *input_end;
    uint8_t *output, *output_start, *output_end;
    const char *reason;
};

static int fail(struct decoder *decoder, const char *reason) {
    decoder->reason = reason;
    return 0;
}

static const char ends_early[] = "it ends early", not_lzfse[] = "its bytes are not LZFSE",
                  is_larger[] = "it unpacks to more than it should";

static size_t left(const struct decoder *decoder) { return (size_t)(decoder->input_end - decoder->input); }
static size_t room(const struct decoder *decoder) { return (size_t)(decoder->output_end - decoder->output); }

static uint32_t get32(const uint8_t *from) {
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static uint64_t get64(const uint8_t *from) { return get32(from) | (uint64_t)get32(from + 4) << 32; }

// MARK: - Copying

// Copies from `from`, whose `size` bytes the caller has checked.
static int put(struct decoder *decoder, const uint8_t *from, size_t size) {
    if (size > room(decoder)) return fail(decoder, is_larger);
    memcpy(decoder->output, from, size);
    decoder->output += size;
    return 1;
}

// Copies what was written `distance` bytes ago once more; the copy may run into what it writes itself.
static int repeat(struct decoder *decoder, size_t distance, size_t size) {
    if (size == 0) return 1;
    if (distance == 0 || distance > (size_t)(decoder->output - decoder->output_start)) return fail(decoder, not_lzfse);
    if (size > room(decoder)) return fail(decoder, is_larger);
    const uint8_t *from = decoder->output - distance;
    if (distance >= size) {
        memcpy(decoder->output, from, size);
    } else {
        for (size_t i = 0; i < size; i++) decoder->output[i] = from[i];
    }
    decoder->output += size;
    return 1;
}

// MARK: - LZVN

// One operation: literals and a match.
struct operation {
    size_t size, literals, match, distance;
};

// Reads the operation at `from`, where `count` bytes are left. `distance` is the last one. Returns 0 if it is none.
static int read_operation(const uint8_t *from, size_t count, size_t distance, struct operation *operation) {
    const uint8_t code = from[0];
    const size_t next = count > 1 ? from[1] : 0, after = count > 2 ? from[2] : 0;
    *operation = (struct operation){.size = 1, .distance = distance};
    if (code >= 0xf0) {
        operation->match = code > 0xf0 ? code & 15u : next + 16;
        operation->size = code > 0xf0 ? 1 : 2;
    } else if (code >= 0xe0) {
        operation->literals = code > 0xe0 ? code & 15u : next + 16;
        operation->size = code > 0xe0 ? 1 : 2;
    } else if (code >= 0xa0 && code < 0xc0) {
        operation->literals = code >> 3 & 3;
        operation->match = ((code & 7u) << 2 | (next & 3)) + 3;
        operation->distance = next >> 2 | after << 6;
        operation->size = 3;
    } else if ((code >= 0x70 && code < 0x80) || code >= 0xd0) {
        return 0;
    } else {
        operation->literals = code >> 6;
        operation->match = (code >> 3 & 7u) + 3;
        switch (code & 7) {
        case 6:
            // Without literals, these are other codes: 0x06 ends, 0x0e and 0x16 do nothing, the rest are unused.
            if (operation->literals == 0) return 0;
            break;
        case 7:
            operation->distance = next | after << 8;
            operation->size = 3;
            break;
        default:
            operation->distance = (code & 7u) << 8 | next;
            operation->size = 2;
        }
    }
    return operation->size <= count;
}

static int decode_lzvn(struct decoder *decoder) {
    enum { header_size = 12, end_code = 0x06, end_size = 8 };
    if (left(decoder) < header_size) return fail(decoder, ends_early);
    const size_t raw = get32(decoder->input + 4), payload = get32(decoder->input + 8);
    decoder->input += header_size;
    if (payload > left(decoder)) return fail(decoder, ends_early);
    if (raw > room(decoder)) return fail(decoder, is_larger);
    const uint8_t *at = decoder->input, *const end = at + payload, *const expected = decoder->output + raw;
    size_t distance = 0;
    while (at < end && *at != end_code) {
        if (*at == 0x0e || *at == 0x16) {
            at++;
            continue;
        }
        struct operation operation;
        if (!read_operation(at, (size_t)(end - at), distance, &operation)) return fail(decoder, not_lzfse);
        at += operation.size;
        distance = operation.distance;
        if (operation.literals > (size_t)(end - at)) return fail(decoder, not_lzfse);
        if (!put(decoder, at, operation.literals)) return 0;
        at += operation.literals;
        if (!repeat(decoder, distance, operation.match)) return 0;
    }
    if (end - at < end_size || decoder->output != expected) return fail(decoder, not_lzfse);
    decoder->input = end;
    return 1;
}

// MARK: - FSE

// Bits that are read from the end of a payload to its start.
struct bits {
    const uint8_t *start, *at;
    uint64_t held;
    int count;
};

// The first (last) byte has `unused` bits, all 0, above those that count.
static int open_bits(struct bits *bits, const uint8_t *start, const uint8_t *end, int unused) {
    *bits = (struct bits){.start = start, .at = end};
    if (start == end) return unused == 0;
    bits->held = *--bits->at;
    bits->count = 8 - unused;
    return bits->held >> bits->count == 0;
}

// Takes up to 32 bits at once; 0 when there are no more.
static int take_bits(struct bits *bits, int count, uint32_t *value) {
    while (bits->count < count) {
        if (bits->at == bits->start) return 0;
        bits->held = bits->held << 8 | *--bits->at;
        bits->count += 8;
    }
    bits->count -= count;
    *value = (uint32_t)(bits->held >> bits->count);
    bits->held &= ((uint64_t)1 << bits->count) - 1;
    return 1;
}

// The symbol of a state, and how the next state follows: `base` plus so many bits.
struct state {
    uint8_t symbol, bits;
    int16_t base;
};

// The zero bits above the highest one.
static int zero_bits(uint32_t value) { return __builtin_clz(value); }

// Fills the states by how often each symbol occurs.
static int fill_states(struct state *states, int state_count, const uint16_t *frequencies, int symbol_count) {
    int filled = 0;
    memset(states, 0, (size_t)state_count * sizeof *states);
    for (int symbol = 0; symbol < symbol_count; symbol++) {
        const int frequency = frequencies[symbol];
        if (frequency == 0) continue;
        if (frequency > state_count - filled) return 0;
        const int bits = zero_bits((uint32_t)frequency) - zero_bits((uint32_t)state_count);
        // The first states of a symbol take one bit more than the others.
        const int longer = (2 * state_count >> bits) - frequency;
        for (int i = 0; i < frequency; i++) {
            const int is_longer = i < longer;
            states[filled++] = (struct state){
                .symbol = (uint8_t)symbol, .bits = (uint8_t)(is_longer ? bits : bits - 1),
                .base = (int16_t)(is_longer ? ((frequency + i) << bits) - state_count : (i - longer) << (bits - 1))};
        }
    }
    return 1;
}

// The next symbol.
static int take_symbol(struct bits *bits, const struct state *states, uint32_t *state, uint8_t *symbol) {
    const struct state *now = &states[*state];
    uint32_t more;
    if (!take_bits(bits, now->bits, &more)) return 0;
    *symbol = now->symbol;
    *state = (uint32_t)now->base + more;
    return 1;
}

// What a symbol of lengths or distances stands for: `base` plus so many bits.
struct value {
    uint8_t bits;
    uint32_t base;
};

// Lengths of literals and of matches: 0...15 as they are, then four ranges.
static const struct value length_ranges[] = {{2, 16}, {3, 20}, {5, 28}, {8, 60}};
static const struct value match_ranges[] = {{3, 16}, {5, 24}, {8, 56}, {11, 312}};

static struct value length_value(uint8_t symbol, const struct value *ranges) {
    return symbol < 16 ? (struct value){0, symbol} : ranges[symbol - 16];
}

// Distances: four symbols in turn for each number of bits.
static struct value distance_value(uint8_t symbol) {
    const uint8_t bits = symbol / 4;
    return (struct value){bits, (((uint32_t)4 + symbol % 4) << bits) - 4};
}

static int take_value(struct bits *bits, struct value value, uint32_t *number) {
    if (!take_bits(bits, value.bits, number)) return 0;
    *number += value.base;
    return 1;
}

// MARK: - A block of literals and matches

struct block {
    size_t raw, literals, literal_bytes, matches, match_bytes, header;
    int unused_literal_bits, unused_match_bits;
    uint32_t literal_state[4], length_state, match_state, distance_state;
    uint16_t lengths[length_symbols], matches_of[match_symbols], distances[distance_symbols], bytes[literal_symbols];
};

// How often symbols occur, in a code of 2 to 14 bits each, lowest bits first.
static int read_frequencies(const uint8_t *from, const uint8_t *end, uint16_t *frequencies, int count) {
    uint32_t held = 0;
    int there = 0;
    for (int i = 0; i < count; i++) {
        for (; there <= 24 && from < end; there += 8) held |= (uint32_t)*from++ << there;
        int bits;
        switch (held & 7) {
        case 0: case 4: bits = 2; frequencies[i] = 0; break;
        case 2: case 6: bits = 2; frequencies[i] = 1; break;
        case 1: bits = 3; frequencies[i] = 2; break;
        case 5: bits = 3; frequencies[i] = 3; break;
        case 3: bits = 5; frequencies[i] = (uint16_t)(4 + (held >> 3 & 3)); break;
        default:
            bits = held & 8 ? 14 : 8;
            frequencies[i] = (uint16_t)(held & 8 ? 24 + (held >> 4 & 0x3ff) : 8 + (held >> 4 & 15));
        }
        if (bits > there) return 0;
        held >>= bits;
        there -= bits;
    }
    return from == end && there < 8;
}

static int read_header(struct decoder *decoder, struct block *block) {
    enum { fixed_size = 32 };
    if (left(decoder) < fixed_size) return fail(decoder, ends_early);
    const uint8_t *from = decoder->input;
    const uint64_t first = get64(from + 8), second = get64(from + 16), third = get64(from + 24);
    const uint64_t ten = 0x3ff, twenty = 0xfffff;
    *block = (struct block){
        .raw = get32(from + 4),
        .literals = first & twenty,
        .literal_bytes = first >> 20 & twenty,
        .matches = first >> 40 & twenty,
        .unused_literal_bits = 7 - (int)(first >> 60 & 7),
        .literal_state = {second & ten, second >> 10 & ten, second >> 20 & ten, second >> 30 & ten},
        .match_bytes = second >> 40 & twenty,
        .unused_match_bits = 7 - (int)(second >> 60 & 7),
        .header = third & UINT32_MAX,
        .length_state = third >> 32 & ten,
        .match_state = third >> 42 & ten,
        .distance_state = third >> 52 & ten,
    };
    // Encoders pad literals to a multiple of four. Those that give no output would only cost time.
    if (block->header < fixed_size || block->literals > most_literals || block->literals % 4 != 0
        || block->matches > most_matches || block->literals > block->raw + 3 || block->matches > block->raw
        || block->length_state >= length_states
        || block->match_state >= match_states || block->distance_state >= distance_states) {
        return fail(decoder, not_lzfse);
    }
    if (block->header > left(decoder)) return fail(decoder, ends_early);
    if (block->header == fixed_size) return 1;

    enum { all = length_symbols + match_symbols + distance_symbols + literal_symbols };
    uint16_t frequencies[all];
    if (!read_frequencies(from + fixed_size, from + block->header, frequencies, all)) return fail(decoder, not_lzfse);
    const uint16_t *part = frequencies;
    memcpy(block->lengths, part, sizeof block->lengths);
    memcpy(block->matches_of, part += length_symbols, sizeof block->matches_of);
    memcpy(block->distances, part += match_symbols, sizeof block->distances);
    memcpy(block->bytes, part += distance_symbols, sizeof block->bytes);
    return 1;
}

// Four streams take turns.
static int read_literals(struct decoder *decoder, struct block *block, uint8_t *literals) {
    struct state states[literal_states];
    struct bits bits;
    const uint8_t *const end = decoder->input + block->literal_bytes;
    if (!fill_states(states, literal_states, block->bytes, literal_symbols)
        || !open_bits(&bits, decoder->input, end, block->unused_literal_bits)) {
        return fail(decoder, not_lzfse);
    }
    for (size_t i = 0; i < block->literals; i++) {
        if (!take_symbol(&bits, states, &block->literal_state[i % 4], &literals[i])) return fail(decoder, not_lzfse);
    }
    decoder->input = end;
    return 1;
}

static int run_matches(struct decoder *decoder, struct block *block, const uint8_t *literals) {
    struct state lengths[length_states], matches[match_states], distances[distance_states];
    struct bits bits;
    const uint8_t *const end = decoder->input + block->match_bytes;
    if (!fill_states(lengths, length_states, block->lengths, length_symbols)
        || !fill_states(matches, match_states, block->matches_of, match_symbols)
        || !fill_states(distances, distance_states, block->distances, distance_symbols)
        || !open_bits(&bits, decoder->input, end, block->unused_match_bits)) {
        return fail(decoder, not_lzfse);
    }
    const uint8_t *const expected = decoder->output + block->raw;
    size_t used = 0, distance = 0;
    for (size_t i = 0; i < block->matches; i++) {
        uint8_t symbol;
        uint32_t length, match, far;
        if (!take_symbol(&bits, lengths, &block->length_state, &symbol)
            || !take_value(&bits, length_value(symbol, length_ranges), &length)
            || !take_symbol(&bits, matches, &block->match_state, &symbol)
            || !take_value(&bits, length_value(symbol, match_ranges), &match)
            || !take_symbol(&bits, distances, &block->distance_state, &symbol)
            || !take_value(&bits, distance_value(symbol), &far) || length > block->literals - used) {
            return fail(decoder, not_lzfse);
        }
        // 0 means the distance of the previous match.
        if (far != 0) distance = far;
        if (!put(decoder, literals + used, length) || !repeat(decoder, distance, match)) return 0;
        used += length;
    }
    if (decoder->output != expected) return fail(decoder, not_lzfse);
    decoder->input = end;
    return 1;
}

static int decode_packed(struct decoder *decoder) {
    struct block block;
    uint8_t literals[most_literals];
    if (!read_header(decoder, &block)) return 0;
    decoder->input += block.header;
    if (block.literal_bytes + block.match_bytes > left(decoder)) return fail(decoder, ends_early);
    if (block.raw > room(decoder)) return fail(decoder, is_larger);
    return read_literals(decoder, &block, literals) && run_matches(decoder, &block, literals);
}

static int decode_stored(struct decoder *decoder) {
    enum { header_size = 8 };
    if (left(decoder) < header_size) return fail(decoder, ends_early);
    const size_t raw = get32(decoder->input + 4);
    decoder->input += header_size;
    if (raw > left(decoder)) return fail(decoder, ends_early);
    const uint8_t *from = decoder->input;
    decoder->input += raw;
    return put(decoder, from, raw);
}

ptrdiff_t sm_lzfse_decode(
    const uint8_t *stream, size_t count, uint8_t *output, size_t capacity, const char **reason) {
    struct decoder decoder = {
        .input = stream, .input_end = stream + count, .output = output, .output_start = output,
        .output_end = output + capacity};
    for (int goes_on = 1; goes_on;) {
        if (left(&decoder) < 4) {
            fail(&decoder, ends_early);
            break;
        }
        switch (get32(decoder.input)) {
        case magic_end: return decoder.output - output;
        case magic_stored: goes_on = decode_stored(&decoder); break;
        case magic_lzvn: goes_on = decode_lzvn(&decoder); break;
        case magic_packed: goes_on = decode_packed(&decoder); break;
        case magic_plain: goes_on = fail(&decoder, "it has a block of a kind that no encoder writes (bvx1)"); break;
        default:
            goes_on = fail(&decoder, decoder.input == stream ? "it does not begin as LZFSE does" : not_lzfse);
        }
    }
    *reason = decoder.reason;
    return -1;
}
