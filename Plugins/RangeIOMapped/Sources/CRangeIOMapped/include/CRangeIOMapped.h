// The system calls of a mapped file that Swift does not import on every platform, in one form for all.
//
// What can fail returns a number of zero or more, or -errno. Offsets and counts are bytes.

#ifndef C_RANGE_IO_MAPPED_H
#define C_RANGE_IO_MAPPED_H

// And what Swift code uses as it is, from the C library, whose module has another name on each platform: getcwd and free.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/// A time of a file: seconds since 1970, rounded down, and nanoseconds after them. A file system may keep any.
struct rim_time {
  int64_t seconds;
  uint32_t nanoseconds;
};

struct rim_status {
  uint64_t device;
  uint64_t inode;
  uint64_t links;
  int64_t size;
  struct rim_time modified;
  struct rim_time changed;
  uint32_t mode;
  uint32_t owner;
  uint32_t group;
  bool is_regular;
  bool is_directory;
  bool is_fifo;
};

/// A descriptor to read from, which no program that is started inherits. Does not wait for the writer of a FIFO, but for a
/// process that has the file leased to write to it.
int rim_open(const char *_Nonnull path);
/// Whether the file system of `fd` may have to ask a server, or another process, what a file is: then calls that else answer
/// at once may wait for long. True as well for file systems that are not known. May itself wait.
bool rim_may_be_remote(int fd);
/// What the file system of `fd` calls itself, or 0: often its UUID, so that images which are mounted in turn differ. May wait.
uint64_t rim_filesystem_id(int fd);
int rim_close(int fd);
int rim_fstat(int fd, struct rim_status *_Nonnull out);
/// The same of what `path` leads to, without opening it: a close would drop all POSIX locks of the process on that file.
int rim_stat_path(const char *_Nonnull path, struct rim_status *_Nonnull out);
/// The name by which the file behind `fd` goes now, without a NUL at its end: its bytes, which are fewer than `capacity`, or
/// -errno. Waits for no disk.
int rim_name_of(int fd, char *_Nonnull name, int capacity);
/// At most a gigabyte: Apple platforms refuse `INT_MAX` bytes and more.
int64_t rim_pread(int fd, void *_Nullable buffer, size_t count, int64_t offset);
/// What the page cache holds, without waiting for the disk; -EAGAIN for nothing, -EOPNOTSUPP where that is not known.
int64_t rim_pread_resident(int fd, void *_Nullable buffer, size_t count, int64_t offset);

/// Maps `count` bytes from the start of the file, to read only. NULL and `*error` if that fails.
void *_Nullable rim_map(int fd, size_t count, int *_Nonnull error);
void rim_unmap(void *_Nonnull base, size_t count);
/// Reads the pages in that are not there, and enters them into the page table. `pages` begins where a page does.
///
/// -EFAULT: touching one of them would raise SIGBUS. -EINVAL, -ENOTSUP: this kernel cannot do that.
int rim_populate(void *_Nullable pages, size_t count);
/// Whether all the pages are in memory, as far as the kernel tells this process. Waits for nothing.
bool rim_is_resident(void *_Nullable pages, size_t count);

enum rim_advice { rim_normal, rim_random, rim_sequential, rim_will_need };
/// A wish: without effect where the kernel does not know it.
void rim_advise(void *_Nonnull pages, size_t count, enum rim_advice advice);
size_t rim_page_size(void);

/// The clock that stamps files, and its tick.
int64_t rim_realtime_ns(void);
int64_t rim_realtime_tick_ns(void);

/// A lock that the thread sanitizer sees on every platform.
struct rim_lock;
struct rim_lock *_Nonnull rim_lock_create(void);
void rim_lock_destroy(struct rim_lock *_Nonnull lock);
void rim_lock_lock(struct rim_lock *_Nonnull lock);
void rim_lock_unlock(struct rim_lock *_Nonnull lock);

#endif
