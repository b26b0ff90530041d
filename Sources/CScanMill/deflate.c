#include "CScanMill.h"
#include "vector.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// ISA-L and zlib count what is left of a buffer in 32 bits.
static const size_t longest_run = (size_t)1 << 30;

// ISA-L's checksums use the upper halves of vector registers and do not clear them when they are done. Until somebody
// does, every SSE instruction of the thread waits for the halves that it leaves alone: loops over depth take three times
// as long, whoever runs them.
#if defined(__x86_64__)
__attribute__((target("avx"))) static void clear_upper_halves(void) { _mm256_zeroupper(); }

static void leave_isal(void) {
    if (__builtin_cpu_supports("avx")) clear_upper_halves();
}
#else
static void leave_isal(void) {}
#endif

struct sm_inflate {
    // Bytes of the wrapper's header that are kept from ISA-L, which loses a header that arrives in two pieces.
    int header_left;
    int ended;
    // Why the data cannot be inflated any further, once that is known.
    const char *damage;
    struct inflate_state isal;
};

struct sm_inflate *sm_inflate_new(int wrapped) {
    // Zeroed, because isal_inflate_init leaves some fields as they are (hist_bits bounds how far matches may reach).
    struct sm_inflate *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    isal_inflate_init(&stream->isal);
    stream->isal.crc_flag = wrapped ? ISAL_ZLIB_NO_HDR_VER : ISAL_DEFLATE;
    stream->header_left = wrapped ? 2 : 0;
    return stream;
}

void sm_inflate_free(struct sm_inflate *stream) { free(stream); }

ptrdiff_t sm_inflate_whole(const uint8_t *bytes, size_t count, int wrapped, uint8_t *output, size_t capacity) {
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    if (!decompressor) return -1;
    size_t taken = 0, given = 0;
    const enum libdeflate_result result =
        wrapped ? libdeflate_zlib_decompress_ex(decompressor, bytes, count, output, capacity, &taken, &given)
                : libdeflate_deflate_decompress_ex(decompressor, bytes, count, output, capacity, &taken, &given);
    libdeflate_free_decompressor(decompressor);
    return result == LIBDEFLATE_SUCCESS && taken == count ? (ptrdiff_t)given : -1;
}

static const char *isal_reason(int code) {
    switch (code) {
    case ISAL_INVALID_BLOCK: return "invalid block";
    case ISAL_INVALID_SYMBOL: return "invalid code";
    case ISAL_INVALID_LOOKBACK: return "a match reaches back before the start";
    case ISAL_INCORRECT_CHECKSUM: return "the checksum (Adler-32) does not match";
    default: return "invalid data";
    }
}

// A match that reaches back before the start can only occur in the first 32 KiB. ISA-L's fast loop counts the bytes of
// such a match as given before it sees that there are none; without input to run ahead in, it checks first.
static int isal_inflate_checked(struct inflate_state *state) {
    while (state->total_out < ISAL_DEF_HIST_SIZE && state->avail_in > 1) {
        const uint32_t held = state->avail_in - 1;
        state->avail_in = 1;
        const int code = isal_inflate(state);
        const int is_stuck = state->avail_in > 0;
        state->avail_in += held;
        const int is_over = code != ISAL_DECOMP_OK || state->block_state == ISAL_BLOCK_FINISH;
        if (is_over || is_stuck || state->avail_out == 0) return code;
    }
    return isal_inflate(state);
}

static void isal_step(struct sm_inflate *stream, struct sm_inflate_progress *step) {
    struct inflate_state *state = &stream->isal;
    const uint32_t input = state->avail_in, output = state->avail_out;
    const int code = isal_inflate_checked(state);
    leave_isal();
    step->given = output - state->avail_out;
    step->taken = (ptrdiff_t)input - state->avail_in;
    if (code < 0) stream->damage = isal_reason(code);
    step->ended = code >= 0 && state->block_state == ISAL_BLOCK_FINISH;
    // Up to seven bytes are read ahead of the end of raw data (intel/isa-l issue 211).
    if (step->ended) step->taken -= state->read_in_length / 8;
}

// ISA-L reports damage as soon as it sees it, which is up to 64 KiB ahead of what it has given out; what lies between
// is sound, and decoding on would be wrong.
static void isal_drain(struct sm_inflate *stream, struct sm_inflate_progress *step) {
    struct inflate_state *state = &stream->isal;
    const uint32_t left = (uint32_t)(state->tmp_out_valid - state->tmp_out_processed);
    const uint32_t count = left < state->avail_out ? left : state->avail_out;
    if (count > 0) memcpy(state->next_out, state->tmp_out_buffer + state->tmp_out_processed, count);
    state->tmp_out_processed += (int32_t)count;
    step->given = count;
}

int sm_inflate_step(
    struct sm_inflate *stream, const uint8_t *input, size_t input_count, uint8_t *output, size_t output_count,
    struct sm_inflate_progress *step, char *message) {
    *step = (struct sm_inflate_progress){.ended = stream->ended};
    if (stream->ended) return 0;
    if (input_count > longest_run) input_count = longest_run;
    if (output_count > longest_run) output_count = longest_run;

    ptrdiff_t skipped = 0;
    for (; stream->header_left > 0 && input_count > 0; skipped++, input++, input_count--) {
        // Bit 5 of the second byte announces a dictionary, which no recorder uses.
        if (--stream->header_left == 0 && (*input & 0x20)) stream->damage = "needs a preset dictionary";
    }
    stream->isal.next_in = (uint8_t *)input;
    stream->isal.avail_in = (uint32_t)input_count;
    stream->isal.next_out = output;
    stream->isal.avail_out = (uint32_t)output_count;
    if (stream->damage) isal_drain(stream, step);
    else isal_step(stream, step);
    step->taken += skipped;
    stream->ended = step->ended;
    // Damage is reported once everything before it has been given out.
    if (!stream->damage || step->given == output_count) return 0;
    snprintf(message, SM_MESSAGE, "%s", stream->damage);
    return 1;
}

size_t sm_deflate_bound(size_t count) {
    // zlib's bound for any stream, and room for the flush marker.
    return compressBound(count) + 64;
}

int sm_deflate_block(
    const uint8_t *bytes, size_t count, int level, uint8_t *output, size_t capacity, size_t *written, char *message) {
    *written = 0;
    if (count > longest_run || capacity > 2 * longest_run) {
        snprintf(message, SM_MESSAGE, "a block of %zu bytes is too long", count);
        return 1;
    }
    z_stream z = {0};
    int code = deflateInit2(&z, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    if (code == Z_OK) {
        z.next_in = (Bytef *)bytes;
        z.avail_in = (uInt)count;
        z.next_out = output;
        z.avail_out = (uInt)capacity;
        code = deflate(&z, Z_FULL_FLUSH);
        // If there is room left, the flush is complete.
        if (code == Z_OK && (z.avail_in > 0 || z.avail_out == 0)) code = Z_BUF_ERROR;
        *written = capacity - z.avail_out;
    }
    if (code != Z_OK) snprintf(message, SM_MESSAGE, "%s", z.msg ? z.msg : zError(code));
    deflateEnd(&z);
    return code != Z_OK;
}

uint32_t sm_adler32(const uint8_t *bytes, size_t count) { return (uint32_t)adler32_z(1, bytes, count); }

uint32_t sm_crc32(const uint8_t *bytes, size_t count) {
    const uint32_t checksum = count ? crc32_gzip_refl(0, bytes, count) : 0;
    leave_isal();
    return checksum;
}
