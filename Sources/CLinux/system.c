#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

int sm_exchange(const char *a, const char *b) {
    return renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
}

int sm_lock(int descriptor) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int sm_die_with_parent(int parent_pid) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return -1;
    // The parent may have died before the request was made.
    if (getppid() != parent_pid) {
        errno = ESRCH;
        return -1;
    }
    return 0;
}

int sm_limit_memory(uint64_t bytes) {
    struct rlimit limit = {.rlim_cur = bytes, .rlim_max = bytes};
    return setrlimit(RLIMIT_DATA, &limit);
}

void sm_tune_allocator(void) {
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    // Two workers share frames; more arenas only spread the freed buffers.
    mallopt(M_ARENA_MAX, 2);
}
