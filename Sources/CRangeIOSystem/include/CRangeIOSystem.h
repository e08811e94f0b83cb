// System calls that Swift does not import, or imports differently on each platform, behind one convention:
// a result of zero or more is a success, a negative result is -errno.
#ifndef CRANGEIOSYSTEM_H
#define CRANGEIOSYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/// What identifies one version of an open file, and what kind of file it is.
struct rio_stat {
  uint64_t device;
  uint64_t inode;
  int64_t size;               ///< bytes; for a block device 0, see rio_device_size
  int64_t modified_ns;        ///< mtime, nanoseconds since the epoch
  int64_t changed_ns;         ///< ctime, nanoseconds since the epoch
  uint64_t special_device;    ///< st_rdev
  uint32_t mode;              ///< st_mode
};

/// Opens read-only with O_CLOEXEC, O_NOCTTY and O_NONBLOCK: a FIFO without a writer must not hang the caller.
int rio_open_readonly(const char *path);

/// A second, independent open file description of `fd` (own position, own kernel read-ahead) at position 0.
/// Where the platform cannot re-open, a duplicate whose shared position is set to 0. Its number is a high one, out of
/// the way of numbers that other code has used.
int rio_reopen_readonly(int fd);

int rio_close(int fd);
int rio_fstat(int fd, struct rio_stat *out);

/// Kind of the file that `path` names, without opening it: st_mode, or -errno.
int64_t rio_mode_of_path(const char *path);

int64_t rio_pread(int fd, void *buffer, size_t count, int64_t offset);

/// preadv2(RWF_NOWAIT): copies what the page cache holds and does not wait for the disk.
/// -EAGAIN: nothing of it is resident. -EOPNOTSUPP: the file system or the platform cannot tell.
int64_t rio_pread_resident(int fd, void *buffer, size_t count, int64_t offset);

/// preadv, or preadv2(RWF_NOWAIT) if `resident`. At most 256 pieces are used; the caller continues where a call ends.
int64_t rio_preadv(int fd, const struct iovec *pieces, int count, int64_t offset, bool resident);

/// Size in bytes of the block device behind `fd`, or -errno.
int64_t rio_device_size(int fd);

/// Whether `fd` lies in a file system whose files are made as they are read (/proc, /sys and their kind),
/// so that their size is meaningless.
bool rio_is_synthetic_filesystem(int fd);

/// Wall clock and its tick, nanoseconds: how coarse the times are that the kernel stamps on files.
int64_t rio_realtime_ns(void);
int64_t rio_realtime_tick_ns(void);

/// The processors that may run this process.
int rio_processor_count(void);

/// The machine's memory in bytes, whatever part of it this process may use, or -errno.
int64_t rio_physical_memory(void);

/// Blocks the calling thread.
void rio_pause_ns(int64_t duration_ns);

/// Fresh zeroed pages, or NULL when the system has none; and their return.
void *rio_map_pages(size_t count);
void rio_unmap_pages(void *pages, size_t count);
/// Fresh zeroed pages at a multiple of `count`, a power of two; in huge pages if the system has them and `count` is 2 MiB
/// or more. NULL when the system has none. Returned with rio_unmap_pages.
void *rio_map_aligned_pages(size_t count);
/// Gives the memory of mapped pages back, not their addresses: their contents are undefined when they are used again.
void rio_drop_pages(void *pages, size_t count);
/// Asks the system not to put huge pages there any more.
void rio_forbid_huge_pages(void *pages, size_t count);

/// malloc and free.
void *rio_malloc(size_t count);
void rio_free(void *memory);

// MARK: check sums

/// CRC-32C (RFC 3720, appendix B.4) of `count` bytes that follow those whose sum is `crc`; 0 for none.
uint32_t rio_crc32c(uint32_t crc, const void *bytes, size_t count);
/// The same, without the processor's instruction for it.
uint32_t rio_crc32c_software(uint32_t crc, const void *bytes, size_t count);

// MARK: threads

/// Whether the Swift task that runs on this thread is cancelled; false outside of tasks.
///
/// What `Task.isCancelled` does, by the same two entry points of the concurrency runtime, without counting a reference
/// to the task: every read asks.
bool rio_task_is_cancelled(void);

/// Tell the thread sanitizer that a lock which it does not see was taken, or is about to be given back. In other builds
/// a lock has no name (NULL), and nothing is told.
struct rio_sanitizer_lock;
struct rio_sanitizer_lock *rio_sanitizer_lock_create(void);
void rio_sanitizer_lock_destroy(struct rio_sanitizer_lock *);
void rio_sanitizer_tell_locked(struct rio_sanitizer_lock *);
void rio_sanitizer_tell_unlocking(struct rio_sanitizer_lock *);
static inline void rio_sanitizer_locked(struct rio_sanitizer_lock *lock) {
  if (lock != NULL) rio_sanitizer_tell_locked(lock);
}
static inline void rio_sanitizer_unlocking(struct rio_sanitizer_lock *lock) {
  if (lock != NULL) rio_sanitizer_tell_unlocking(lock);
}

/// A binary semaphore for one sleeping thread.
struct rio_parker;
struct rio_parker *rio_parker_create(void);
void rio_parker_destroy(struct rio_parker *);
void rio_parker_wake(struct rio_parker *);
/// Waits for a wake. False when `timeout_ns` passed without one.
bool rio_parker_wait(struct rio_parker *, int64_t timeout_ns);

/// A number of the calling thread: 1, 2, 3 … in the order in which they first ask. What picks a stripe of a counter that
/// many threads write to.
extern _Thread_local uint32_t rio_thread_number_kept;
uint32_t rio_thread_number_assign(void);
static inline uint32_t rio_thread_number(void) {
  uint32_t number = rio_thread_number_kept;
  return number != 0 ? number : rio_thread_number_assign();
}

/// Starts a detached thread with a small stack and every signal blocked, named for debuggers. 0 or -errno.
int rio_thread_start(void (*body)(void *), void *context, const char *name);

#endif
