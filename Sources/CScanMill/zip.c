#include <errno.h>
#include <stdio.h>
#include <zip.h>

#include "CScanMill.h"

// libzip's own types under our names, so that Swift need not see its header.
static zip_t *archive_of(struct sm_zip *archive) { return (zip_t *)archive; }
static zip_file_t *file_of(struct sm_zip_file *file) { return (zip_file_t *)file; }

static int leave(zip_error_t *error, char *message) {
    snprintf(message, SM_MESSAGE, "%s", zip_error_strerror(error));
    if (zip_error_code_zip(error) == ZIP_ER_MEMORY) return SM_ZIP_MACHINE;
    // A damaged directory leads to offsets that do not exist, to which the system then refuses to seek.
    const int code = zip_error_system_type(error) == ZIP_ET_SYS ? zip_error_code_system(error) : 0;
    const int is_of_the_archive = code == 0 || code == EINVAL || code == EOVERFLOW || code == EFBIG || code == ENOENT;
    return is_of_the_archive ? SM_ZIP_ARCHIVE : SM_ZIP_MACHINE;
}

int sm_zip_open(const char *path, struct sm_zip **archive, char *message) {
    zip_error_t error;
    zip_error_init(&error);
    // zip_open would forget the system's own error.
    zip_source_t *source = zip_source_file_create(path, 0, -1, &error);
    *archive = source ? (struct sm_zip *)zip_open_from_source(source, ZIP_RDONLY, &error) : NULL;
    // An open archive has taken over the source.
    if (source && !*archive) zip_source_free(source);
    const int fault = *archive ? 0 : leave(&error, message);
    zip_error_fini(&error);
    return fault;
}

void sm_zip_close(struct sm_zip *archive) {
    // Opened for reading: closing has nothing to write.
    if (archive) zip_discard(archive_of(archive));
}

uint64_t sm_zip_count(struct sm_zip *archive) {
    zip_int64_t count = zip_get_num_entries(archive_of(archive), 0);
    return count < 0 ? 0 : (uint64_t)count;
}

int sm_zip_entry(struct sm_zip *archive, uint64_t index, struct sm_zip_entry *entry, char *message) {
    zip_stat_t facts;
    if (zip_stat_index(archive_of(archive), index, 0, &facts) != 0) {
        return leave(zip_get_error(archive_of(archive)), message);
    }
    if (!(facts.valid & ZIP_STAT_NAME) || !(facts.valid & ZIP_STAT_SIZE) || !(facts.valid & ZIP_STAT_COMP_SIZE)) {
        snprintf(message, SM_MESSAGE, "an entry has no name or no size");
        return SM_ZIP_ARCHIVE;
    }
    entry->name = facts.name;
    entry->size = facts.size;
    entry->packed_size = facts.comp_size;
    entry->is_stored = (facts.valid & ZIP_STAT_COMP_METHOD) && facts.comp_method == ZIP_CM_STORE;
    entry->crc = (facts.valid & ZIP_STAT_CRC) ? facts.crc : 0;
    entry->is_encrypted = (facts.valid & ZIP_STAT_ENCRYPTION_METHOD) && facts.encryption_method != ZIP_EM_NONE;
    entry->method = (facts.valid & ZIP_STAT_COMP_METHOD) ? facts.comp_method : ZIP_CM_STORE;
    entry->is_deflated = entry->method == ZIP_CM_DEFLATE && !entry->is_encrypted;
    entry->is_readable = zip_compression_method_supported(entry->method, 0);
    zip_uint8_t system = 0;
    zip_uint32_t attributes = 0;
    entry->mode = 0;
    if (zip_file_get_external_attributes(archive_of(archive), index, 0, &system, &attributes) == 0
        && (system == ZIP_OPSYS_UNIX || system == ZIP_OPSYS_OS_X)) {
        entry->mode = attributes >> 16;
    }
    return 0;
}

int sm_zip_file_open(
    struct sm_zip *archive, uint64_t index, int as_packed, struct sm_zip_file **file, char *message) {
    const zip_flags_t flags = as_packed ? ZIP_FL_COMPRESSED : 0;
    *file = (struct sm_zip_file *)zip_fopen_index(archive_of(archive), index, flags);
    return *file ? 0 : leave(zip_get_error(archive_of(archive)), message);
}

int sm_zip_file_read(struct sm_zip_file *file, void *bytes, size_t count, size_t *got, char *message) {
    zip_int64_t read = zip_fread(file_of(file), bytes, count);
    *got = read < 0 ? 0 : (size_t)read;
    return read < 0 ? leave(zip_file_get_error(file_of(file)), message) : 0;
}

void sm_zip_file_close(struct sm_zip_file *file) { zip_fclose(file_of(file)); }
