#define _GNU_SOURCE
#include "Sabotage.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// The functions here go to the kernel themselves instead of to those that they hide: that also works in a process
// between vfork and execve. posix_spawn is none of the kernel's.
//
// strace counts the calls of a name in each thread, and a program makes hundreds of openat and write calls that change
// no file. So files are made with openat2 and written with writev here: then the n-th call is always the same one.

static int straight, without_fsync, without_syncfs, without_locks, without_exchange;
static const char *wrapper, *below;
static size_t below_length;
static int log_descriptor = -1;
static long cut_at;
static uint32_t cut_flags = 2;  // Nothing more reaches the disk; 1 would write the journal first.
static atomic_long counted;
static int most_threads = -1;
static atomic_int threads;
static const char *unreadable;
static size_t unreadable_length;
static off_t unreadable_from;

static int is_capture_process(void) {
    char line[4096];
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0);
    if (descriptor < 0) return 0;
    long count = syscall(SYS_read, descriptor, line, sizeof line - 1);
    close(descriptor);
    return count > 0 && memmem(line, (size_t)count, "run-one-capture", 15) != NULL;
}

__attribute__((constructor)) static void read_environment(void) {
    const char *words = getenv("SABOTAGE");
    if (words) {
        straight = strstr(words, "straight") != NULL;
        without_fsync = strstr(words, "no-fsync") != NULL;
        without_syncfs = without_fsync || strstr(words, "no-syncfs") != NULL;
        without_locks = strstr(words, "no-locks") != NULL;
        without_exchange = strstr(words, "no-exchange") != NULL;
        if (strstr(words, "few-threads")) most_threads = 5;
        if (strstr(words, "no-threads")) most_threads = 0;
        // Those that watch over it.
        if (strstr(words, "capture-threads") && is_capture_process()) most_threads = 2;
    }
    wrapper = getenv("SABOTAGE_WRAPPER");
    const char *spot = getenv("SABOTAGE_UNREADABLE"), *colon = spot ? strrchr(spot, ':') : NULL;
    if (colon) {
        unreadable = spot;
        unreadable_length = (size_t)(colon - spot);
        unreadable_from = strtol(colon + 1, NULL, 10);
    }
    const char *folder = getenv("SABOTAGE_BELOW");
    if (!folder || !is_capture_process()) return;
    below_length = strlen(folder);
    const char *path = getenv("SABOTAGE_LOG");
    if (path) {
        int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
        log_descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0666);
    }
    const char *cut = getenv("SABOTAGE_CUT");
    if (cut) {
        cut_at = strtol(cut, NULL, 10);
        if (strstr(cut, ",flush")) cut_flags = 1;
    }
    below = folder;
}

__attribute__((destructor)) static void say_peak(void) {
    const char *path = getenv("SABOTAGE_PEAKS");
    char status[4096];
    int from = path ? (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC, 0) : -1;
    if (from < 0) return;
    long count = syscall(SYS_read, from, status, sizeof status - 1);
    close(from);
    status[count > 0 ? count : 0] = 0;
    const char *line = strstr(status, "VmHWM:");
    int to = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (line && to >= 0) dprintf(to, "%s %ld\n", is_capture_process() ? "capture" : "batch", strtol(line + 6, NULL, 10));
    close(to);
}

// A call is about to change something.
static void count(const char *name, const char *path) {
    if (!below || !path || strncmp(path, below, below_length) != 0) return;
    if (atomic_fetch_add(&counted, 1) + 1 == cut_at) {
        int folder = (int)syscall(SYS_openat, AT_FDCWD, below, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
        if (folder < 0 || syscall(SYS_ioctl, folder, _IOR('X', 125, uint32_t), &cut_flags) != 0) abort();
        close(folder);
        dprintf(log_descriptor, "CUT BEFORE ");
    }
    dprintf(log_descriptor, "%s %s\n", name, path);
}

// Into a buffer of PATH_MAX bytes.
static int path_of(int descriptor, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = 0;
    return length > 0;
}

static void count_descriptor(const char *name, int descriptor) {
    char path[PATH_MAX];
    if (below && descriptor != log_descriptor && path_of(descriptor, path)) count(name, path);
}

// How many bytes can be read before the disk fails; negative where it does at once.
static ssize_t readable(int descriptor, off_t offset, size_t size) {
    char path[PATH_MAX];
    if (!unreadable || offset < 0 || !path_of(descriptor, path)) return (ssize_t)size;
    if (strlen(path) != unreadable_length || strncmp(path, unreadable, unreadable_length) != 0) return (ssize_t)size;
    if (offset < unreadable_from) {
        off_t rest = unreadable_from - offset;
        return rest < (off_t)size ? rest : (ssize_t)size;
    }
    errno = EIO;
    return -1;
}

// `OUT/.scanmill/work/<id>.<host>.<pid>.<random>/rest` → `OUT/<id>/rest`, for the broken protocol `straight`.
static const char *mapped(const char *path, char *buffer) {
    static const char work[] = "/.scanmill/work/";
    char *found = straight && path ? strstr(path, work) : NULL;
    if (!found) return path;
    const char *name = found + strlen(work), *end = strchrnul(name, '/'), *id_end = end;
    for (int dots = 0; dots < 3; dots++) {
        do id_end--;
        while (id_end > name && *id_end != '.');
        if (id_end <= name) return path;
    }
    snprintf(buffer, PATH_MAX, "%.*s/%.*s%s", (int)(found - path), path, (int)(id_end - name), name, end);
    return buffer;
}

static int open_file(int folder, const char *given, int flags, mode_t mode) {
    char buffer[PATH_MAX];
    const char *path = mapped(given, buffer);
    if (path != given && flags & O_CREAT) flags = (flags & ~O_EXCL) | O_TRUNC;
    if (!(flags & (O_CREAT | O_TRUNC))) return (int)syscall(SYS_openat, folder, path, flags, mode);
    count("openat2", path);
    struct open_how how = {.flags = (unsigned)flags, .mode = flags & O_CREAT ? mode & 07777 : 0};
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

#define MODE(flags)                                            \
    mode_t mode = 0;                                           \
    if (flags & O_CREAT) {                                     \
        va_list list;                                          \
        va_start(list, flags);                                 \
        mode = va_arg(list, mode_t);                           \
        va_end(list);                                          \
    }

int open(const char *path, int flags, ...) {
    MODE(flags)
    return open_file(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE(flags)
    return open_file(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    MODE(flags)
    return open_file(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    MODE(flags)
    return open_file(folder, path, flags, mode);
}

DIR *opendir(const char *path) {
    int descriptor = open_file(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    return descriptor < 0 ? NULL : fdopendir(descriptor);
}

int stat(const char *path, struct stat *status) {
    char buffer[PATH_MAX];
    return (int)syscall(SYS_newfstatat, AT_FDCWD, mapped(path, buffer), status, 0);
}

int lstat(const char *path, struct stat *status) {
    char buffer[PATH_MAX];
    return (int)syscall(SYS_newfstatat, AT_FDCWD, mapped(path, buffer), status, AT_SYMLINK_NOFOLLOW);
}

ssize_t read(int descriptor, void *bytes, size_t size) {
    off_t offset = unreadable ? (off_t)syscall(SYS_lseek, descriptor, 0, SEEK_CUR) : 0;
    ssize_t most = readable(descriptor, offset, size);
    return most < 0 ? most : syscall(SYS_read, descriptor, bytes, (size_t)most);
}

ssize_t pread(int descriptor, void *bytes, size_t size, off_t offset) {
    ssize_t most = readable(descriptor, offset, size);
    return most < 0 ? most : syscall(SYS_pread64, descriptor, bytes, (size_t)most, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t size, off64_t offset) {
    return pread(descriptor, bytes, size, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
    struct stat status;
    if (syscall(SYS_fstat, descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        return syscall(SYS_write, descriptor, bytes, size);
    }
    count_descriptor("writev", descriptor);
    struct iovec part = {(void *)bytes, size};
    return syscall(SYS_writev, descriptor, &part, 1);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
    count_descriptor("pwrite64", descriptor);
    return syscall(SYS_pwrite64, descriptor, bytes, size, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset) {
    return pwrite(descriptor, bytes, size, offset);
}

ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t size, unsigned flags) {
    count_descriptor("copy_file_range", to);
    return syscall(SYS_copy_file_range, from, from_at, to, to_at, size, flags);
}

int fsync(int descriptor) {
    count_descriptor("fsync", descriptor);
    return without_fsync ? 0 : (int)syscall(SYS_fsync, descriptor);
}

int syncfs(int descriptor) {
    count_descriptor("syncfs", descriptor);
    return without_syncfs ? 0 : (int)syscall(SYS_syncfs, descriptor);
}

int fdatasync(int descriptor) {
    count_descriptor("fdatasync", descriptor);
    return without_fsync ? 0 : (int)syscall(SYS_fdatasync, descriptor);
}

int ftruncate(int descriptor, off_t size) {
    count_descriptor("ftruncate", descriptor);
    return (int)syscall(SYS_ftruncate, descriptor, size);
}

int mkdir(const char *given, mode_t mode) {
    char buffer[PATH_MAX];
    const char *path = mapped(given, buffer);
    count("mkdir", path);
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

static int exchange_or_rename(const char *name, const char *given, const char *given_target, unsigned flags) {
    char buffer[PATH_MAX], target_buffer[PATH_MAX];
    const char *path = mapped(given, buffer), *target = mapped(given_target, target_buffer);
    count(name, path);
    if (flags && without_exchange) {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, target, flags);
}

int rename(const char *path, const char *target) { return exchange_or_rename("rename", path, target, 0); }

// The tool names no folders by descriptor.
int renameat2(int folder, const char *path, int target_folder, const char *target, unsigned flags) {
    (void)folder, (void)target_folder;
    return exchange_or_rename("renameat2", path, target, flags);
}

int unlink(const char *given) {
    char buffer[PATH_MAX];
    const char *path = mapped(given, buffer);
    count("unlink", path);
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int rmdir(const char *given) {
    char buffer[PATH_MAX];
    const char *path = mapped(given, buffer);
    count("rmdir", path);
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

int fcntl(int descriptor, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (without_locks && (command == F_OFD_SETLK || command == F_OFD_GETLK)) {
        errno = ENOLCK;
        return -1;
    }
    return (int)syscall(SYS_fcntl, descriptor, command, argument);
}

int fcntl64(int descriptor, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    return fcntl(descriptor, command, argument);
}

static int is_capture_command(char *const arguments[]) {
    return wrapper && arguments[0] && arguments[1] && strcmp(arguments[1], "run-one-capture") == 0;
}

int execve(const char *path, char *const arguments[], char *const environment[]) {
    if (!is_capture_command(arguments)) return (int)syscall(SYS_execve, path, arguments, environment);
    char *const wrapped[] = {(char *)wrapper, (char *)path, arguments[1], NULL};
    return (int)syscall(SYS_execve, wrapper, wrapped, environment);
}

int posix_spawn(
    pid_t *process, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
    char *const arguments[], char *const environment[]
) {
    int (*spawn)(
        pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
        char *const[]) = dlsym(RTLD_NEXT, "posix_spawn");
    if (!is_capture_command(arguments)) return spawn(process, path, actions, attributes, arguments, environment);
    char *const wrapped[] = {(char *)wrapper, (char *)path, arguments[1], NULL};
    return spawn(process, wrapper, actions, attributes, wrapped, environment);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    if (most_threads >= 0 && atomic_fetch_add(&threads, 1) >= most_threads) return EAGAIN;
    return create(thread, attributes, body, argument);
}
