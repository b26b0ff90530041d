// DEFLATE (RFC 1951), raw or in its zlib wrapper (RFC 1950).
#pragma once
#include <stddef.h>
#include <stdint.h>

/// A stream on its way through ISA-L. One thread at a time may use it; it may move between threads.
struct sm_inflate;

/// - wrapped: the stream starts with the two bytes of RFC 1950 and ends with an Adler-32, which is checked.
/// Returns NULL when there is no memory. Release with sm_inflate_free.
struct sm_inflate *sm_inflate_new(int wrapped);
void sm_inflate_free(struct sm_inflate *stream);

/// What one step did.
struct sm_inflate_progress {
    /// Bytes taken from the input. At the end, bytes that ISA-L had read ahead are given back by counting less, so
    /// this can be negative if they came with an earlier step.
    ptrdiff_t taken;
    /// Bytes written to the output.
    size_t given;
    /// Whether the stream has ended and all of its output was given.
    int ended;
};

/// Inflates until the input is used up, the output is full, or the stream ends. Returns 0, or 1 with `message` when the
/// bytes are damaged and everything before the damage has been given; `step` is right in both cases.
int sm_inflate_step(
    struct sm_inflate *stream, const uint8_t *input, size_t input_count, uint8_t *output, size_t output_count,
    struct sm_inflate_progress *step, char *message);

/// Inflates the whole of `bytes`, raw DEFLATE or `wrapped` as zlib's, if all of it is one sound stream of at most
/// `capacity` bytes. Returns the number of bytes, or -1 for anything else; the output is then meaningless, and
/// sm_inflate_step tells what is wrong.
ptrdiff_t sm_inflate_whole(const uint8_t *bytes, size_t count, int wrapped, uint8_t *output, size_t capacity);

/// The Adler-32 of zlib's wrapper.
uint32_t sm_adler32(const uint8_t *bytes, size_t count);

/// The CRC-32 of ZIP, gzip and PNG (reflected polynomial 0xEDB88320).
uint32_t sm_crc32(const uint8_t *bytes, size_t count);

/// The largest size that sm_deflate_block can need.
size_t sm_deflate_bound(size_t count);

/// Compresses into one run of raw DEFLATE blocks that refer to nothing before them and end on a byte boundary
/// (zlib's Z_FULL_FLUSH), so that runs can be concatenated. `level` is zlib's, 0 to 9.
/// Returns 0 and the number of bytes written.
int sm_deflate_block(
    const uint8_t *bytes, size_t count, int level, uint8_t *output, size_t capacity, size_t *written, char *message);
