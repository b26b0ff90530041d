// ZIP archives through libzip. One thread at a time may use an archive and the entries opened in it.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct sm_zip;
struct sm_zip_file;

/// What functions return when they fail: the archive is damaged, or the machine could not read it.
enum { SM_ZIP_ARCHIVE = 1, SM_ZIP_MACHINE = 2 };

/// What the archive's directory says of an entry.
struct sm_zip_entry {
    /// UTF-8; valid as long as the archive is open.
    const char *name;
    uint64_t size;
    uint64_t packed_size;
    /// CRC-32 of the unpacked bytes.
    uint32_t crc;
    int is_stored;
    int is_encrypted;
    /// Packed as raw DEFLATE, and not encrypted.
    int is_deflated;
    /// The number of the compression method, and whether libzip can unpack it.
    uint16_t method;
    int is_readable;
    /// `st_mode` if the archive was made on a system that has one, otherwise 0.
    uint32_t mode;
};

/// Opens an archive for reading. `*archive` is to be released with sm_zip_close.
int sm_zip_open(const char *path, struct sm_zip **archive, char *message);
void sm_zip_close(struct sm_zip *archive);

/// The number of entries.
uint64_t sm_zip_count(struct sm_zip *archive);
int sm_zip_entry(struct sm_zip *archive, uint64_t index, struct sm_zip_entry *entry, char *message);

/// Opens an entry, to read what was packed or, `as_packed`, the bytes that the archive holds of it. `*file` is to be
/// released with sm_zip_file_close, before the archive.
int sm_zip_file_open(
    struct sm_zip *archive, uint64_t index, int as_packed, struct sm_zip_file **file, char *message);
/// Reads up to `count` bytes; `*got` is 0 only at the end, where the checksum and the size have been compared, unless the
/// bytes are read as packed.
int sm_zip_file_read(struct sm_zip_file *file, void *bytes, size_t count, size_t *got, char *message);
void sm_zip_file_close(struct sm_zip_file *file);
