#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

// In the C library's place: libdispatch sets the nice value of its threads to 0 or less. That undoes `nice` for root, and
// for others it is refused, and logged for each thread.
int setpriority(__priority_which_t which, id_t who, int priority) {
    (void)which;
    (void)who;
    (void)priority;
    return 0;
}

int sm_exchange(const char *a, const char *b) {
    return renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
}

int sm_lock(int descriptor) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int sm_share_lock(int descriptor) {
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int sm_is_locked(int descriptor) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, F_OFD_GETLK, &lock) == 0 ? lock.l_type != F_UNLCK : -1;
}

int64_t sm_copy(int from, int to, int64_t count) {
    return copy_file_range(from, NULL, to, NULL, (size_t)count, 0);
}

int sm_sync_filesystem(int descriptor) { return syncfs(descriptor); }

int64_t sm_filesystem_type(int descriptor) {
    struct statfs facts;
    return fstatfs(descriptor, &facts) == 0 ? (int64_t)facts.f_type : -1;
}

int64_t sm_raise_open_files(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    struct rlimit raised = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    if (limit.rlim_cur < limit.rlim_max && setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
    return limit.rlim_cur > INT64_MAX ? INT64_MAX : (int64_t)limit.rlim_cur;
}

int sm_usable_processors(void) {
    // Fails with EINVAL as long as the set is smaller than the kernel's.
    for (int most = 1024; most <= 1 << 20; most *= 4) {
        cpu_set_t *set = CPU_ALLOC(most);
        if (set == NULL) return -1;
        size_t size = CPU_ALLOC_SIZE(most);
        int count = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : -1;
        CPU_FREE(set);
        if (count > 0) return count;
    }
    return -1;
}

void sm_tune_allocator(void) {
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    // Workers hand frames on to each other; more arenas only spread the freed buffers. Measured on two cores.
    mallopt(M_ARENA_MAX, 2);
}

void sm_return_large_buffers(void) { mallopt(M_MMAP_THRESHOLD, 256 << 10); }

struct build_id {
    uint8_t *bytes;
    int capacity, length;
};

// Notes: three words (the lengths of the name and of what it holds, the kind), then both, each padded to four bytes.
static int copy_build_id(struct dl_phdr_info *program, size_t size, void *data) {
    (void)size;
    struct build_id *id = data;
    for (int i = 0; i < program->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &program->dlpi_phdr[i];
        if (part->p_type != PT_NOTE) continue;
        const uint8_t *note = (const uint8_t *)(program->dlpi_addr + part->p_vaddr);
        const uint8_t *end = note + part->p_memsz;
        while ((size_t)(end - note) >= sizeof(ElfW(Nhdr))) {
            const ElfW(Nhdr) *head = (const ElfW(Nhdr) *)note;
            const uint8_t *name = note + sizeof *head;
            size_t room = (size_t)(end - name), named = ((size_t)head->n_namesz + 3) & ~(size_t)3;
            if (named > room || head->n_descsz > room - named) break;
            const uint8_t *held = name + named;
            int is_ours = head->n_type == NT_GNU_BUILD_ID && head->n_namesz == 4 && memcmp(name, "GNU", 4) == 0;
            if (is_ours && head->n_descsz <= (size_t)id->capacity) {
                memcpy(id->bytes, held, head->n_descsz);
                id->length = (int)head->n_descsz;
                return 1;
            }
            size_t padded = ((size_t)head->n_descsz + 3) & ~(size_t)3;
            if (padded > room - named) break;
            note = held + padded;
        }
    }
    // The program comes first, and its libraries do not matter.
    return 1;
}

int sm_build_id(uint8_t *bytes, int capacity) {
    struct build_id id = {.bytes = bytes, .capacity = capacity};
    dl_iterate_phdr(copy_build_id, &id);
    return id.length;
}
