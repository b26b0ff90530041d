// A file in memory whose size is not known beforehand.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct growing {
    uint8_t *bytes;
    size_t count, capacity;
};

/// Makes room for `more` bytes behind the first `count`. Returns 0, or 1 when there is no memory.
static inline int grow(struct growing *file, size_t more) {
    if (more <= file->capacity - file->count) return 0;
    const size_t capacity = 2 * (file->count + more);
    uint8_t *bytes = realloc(file->bytes, capacity);
    if (!bytes) return 1;
    file->bytes = bytes;
    file->capacity = capacity;
    return 0;
}
