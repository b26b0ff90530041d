// Linux system calls that Swift's Glibc module does not show. Those that return a status return 0, or -1 with errno set.
//
// This target also takes the place of the C library's setpriority: see system.c.
#ifndef CLINUX_H
#define CLINUX_H

#include <stdint.h>

/// Swaps two names in one step. Fails with EINVAL or ENOSYS where the filesystem or the kernel cannot.
int sm_exchange(const char *a, const char *b);

/// Takes the whole-file lock of an open file description, which also excludes threads of this process and which the
/// kernel drops when the last descriptor is closed, kill -9 included. Fails with EAGAIN when it is held elsewhere.
int sm_lock(int descriptor);

/// The same, together with others that share it: fails with EAGAIN when somebody holds it alone. To read the file is
/// enough.
int sm_share_lock(int descriptor);

/// Returns 1 if somebody holds that lock, alone or with others, 0 if nobody does, or -1 if that cannot be determined:
/// there are no locks.
int sm_is_locked(int descriptor);

/// Copies up to `count` bytes between two files, each from its current offset, inside the kernel; filesystems that can
/// share blocks do. Returns the number of bytes, 0 at the end, or -1: with EXDEV, EINVAL, ENOSYS or EOPNOTSUPP if these
/// two files cannot be copied this way.
int64_t sm_copy(int from, int to, int64_t count);

/// Writes everything that is not yet on disk in the filesystem of an open file.
int sm_sync_filesystem(int descriptor);

/// The kind of filesystem that an open file lies on, as one of the numbers in linux/magic.h, or -1.
int64_t sm_filesystem_type(int descriptor);

/// Raises the number of files that this process may have open as far as the system lets it. Returns the new number, or
/// -1 if it cannot be determined.
int64_t sm_raise_open_files(void);

/// On how many processors this process may run, which `taskset`, Slurm and containers can make fewer than there are; or
/// -1 if that cannot be determined.
int sm_usable_processors(void);

/// Copies the running program's build id (a note that the linker leaves in it, the same on every machine that has this
/// build) to `id`, up to `capacity` bytes. Returns its length, or 0 if the program has none.
int sm_build_id(uint8_t *id, int capacity);

/// Keeps freed memory for the next frame instead of giving it back and faulting it in again (2.4 times faster on
/// frame buffers).
void sm_tune_allocator(void);

/// Gives freed buffers of 256 KiB and more back at once. By default, the allocator keeps ever larger buffers, and small
/// values that live on between them pin them.
void sm_return_large_buffers(void);

#endif
