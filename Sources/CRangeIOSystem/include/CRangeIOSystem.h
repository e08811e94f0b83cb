// System calls that Swift does not import, or imports differently on each platform, behind one convention:
// a result of zero or more is a success, a negative result is -errno.
#ifndef CRANGEIOSYSTEM_H
#define CRANGEIOSYSTEM_H

// What Swift code uses as it is: memchr, memcmp, getcwd, getenv, getpwnam_r, off_t and their kind. It imports this header, and
// not the C library, whose module has another name on each platform.
#include <pwd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/// A time of a file: seconds since 1970, rounded down, and nanoseconds after them. A file system may keep any.
struct rio_time {
  int64_t seconds;
  uint32_t nanoseconds;
};

/// What identifies one version of an open file, and what kind of file it is.
struct rio_stat {
  uint64_t device;
  uint64_t inode;
  int64_t size;               ///< bytes; for a block device 0, see rio_device_size
  struct rio_time modified;   ///< mtime
  struct rio_time changed;    ///< ctime
  uint32_t mode;              ///< st_mode
  uint64_t links;             ///< st_nlink: the names that the file has
  uint32_t owner;             ///< st_uid
  uint32_t group;             ///< st_gid
};

/// Opens read-only with O_CLOEXEC, O_NOCTTY and O_NONBLOCK: a FIFO without a writer must not hang the caller.
int rio_open_readonly(const char *path);

/// The same for a regular file of which rio_open_readonly says -EWOULDBLOCK, since a process that writes to it has it
/// leased: waits until that one has let go of it, or is made to after /proc/sys/fs/lease-break-time seconds.
int rio_open_waiting(const char *path);

/// Why a descriptor that somebody else has opened is not for reading at any offset into any memory.
enum rio_unreadable { rio_readable, rio_path_only, rio_write_only, rio_direct };
enum rio_unreadable rio_why_unreadable(int fd);

/// A second, independent open file description of `fd` (own position, own kernel read-ahead) at position 0.
/// Where the platform cannot re-open, a duplicate whose shared position is set to 0. Its number is a high one, out of
/// the way of numbers that other code has used.
int rio_reopen_readonly(int fd);

/// The same, for reads that go past the page cache: O_DIRECT, or F_NOCACHE. -EINVAL, -EOPNOTSUPP and others where it cannot be.
int rio_reopen_direct(int fd);

/// To what such reads must be aligned: addresses, and offsets and counts; in bytes. `false`: they are not supported.
bool rio_direct_alignment(int fd, uint32_t *memory, uint32_t *offset);

/// What the file system of `fd` calls itself, or 0: often its UUID, so that images which are mounted in turn differ. May wait.
uint64_t rio_filesystem_id(int fd);
int rio_close(int fd);
/// Lets go of the file behind `fd` at once, and of its room on the disk if it has been removed, whoever may still use the
/// number: they read of an empty file from here on. The number stays taken until it is closed.
int rio_let_go(int fd);
int rio_fstat(int fd, struct rio_stat *out);
/// The same of what `path` leads to, without opening it: a close would drop all POSIX locks of the process on that file.
int rio_stat_path(const char *path, struct rio_stat *out);

/// The name by which the file behind `fd` goes now, without a NUL at its end: its bytes, which are fewer than `capacity`, or
/// -errno. Waits for no disk.
int rio_name_of(int fd, char *name, int capacity);

/// Opens what `path` leads to from the directory, as rio_open_readonly does, unless that lies outside of the directory: -EXDEV
/// then; or a link leads to a name with a dot at its beginning: -ENOENT. Where the system cannot tell, it follows no link, and
/// a path with one is -ELOOP or -ENOTDIR.
int rio_open_beneath(int directory, const char *path);
/// The same, in the way of systems that cannot tell.
int rio_open_beneath_by_names(int directory, const char *path);
/// The status of what rio_open_beneath would open, without opening it.
int rio_stat_beneath(int directory, const char *path, struct rio_stat *out);

/// Kind of the file that `path` names, without opening it: st_mode, or -errno.
int64_t rio_mode_of_path(const char *path);

/// What kind of file has this st_mode.
enum rio_file_kind {
  rio_regular_file,
  rio_block_device,
  rio_directory,
  rio_fifo,
  rio_socket,
  rio_character_device,
  rio_other_file,
};
enum rio_file_kind rio_file_kind_of(uint32_t mode);

int64_t rio_pread(int fd, void *buffer, size_t count, int64_t offset);

/// preadv2(RWF_NOWAIT): copies what the page cache holds and does not wait for the disk.
/// -EAGAIN: nothing of it is resident. -EOPNOTSUPP: the file system or the platform cannot tell.
int64_t rio_pread_resident(int fd, void *buffer, size_t count, int64_t offset);

/// preadv, or preadv2(RWF_NOWAIT) if `resident`. At most 256 pieces are used; the caller continues where a call ends.
int64_t rio_preadv(int fd, const struct iovec *pieces, int count, int64_t offset, bool resident);

/// Reads past the page cache that the kernel does by itself (io_submit(2)): a queue for `capacity` of them, or -errno.
int rio_reads_open(int capacity, uint64_t *queue);
/// Begins one, unless that would have to wait: -EAGAIN. The memory is the kernel's until the read has ended.
int rio_reads_begin(uint64_t queue, int fd, void *buffer, size_t count, int64_t offset, void *read);
/// What was given as `read` when it was begun, and the result, as of rio_pread.
struct rio_ended_read {
  void *read;
  int64_t result;
};
/// Waits until at least one has ended. Returns how many have, `capacity` at most, which is 64 or less.
int rio_reads_collect(uint64_t queue, struct rio_ended_read *ended, int capacity);

/// Opens the file behind `fd` again, to look for its holes: -ENOTSUP if it has none, by the blocks that it takes.
int rio_open_for_holes(int fd);

/// Where the next data of a file are, at `offset` or behind it, and the next hole, or the end of the file: -ENXIO if there are
/// none, another error where the file system cannot tell (SEEK_DATA, SEEK_HOLE). Both move the position of `fd`.
int64_t rio_next_data(int fd, int64_t offset);
int64_t rio_next_hole(int fd, int64_t offset);

/// Moves the position of `fd` on by `count` bytes, which become a hole with the next write: 0, or -errno. -ENOTSUP unless it is a
/// file that ends there, and what is written goes to that position (no O_APPEND).
int rio_leave_gap(int fd, int64_t count);

/// Size in bytes of the block device behind `fd`, or -errno.
int64_t rio_device_size(int fd);

/// Whether `fd` lies in a file system whose files are made as they are read (/proc, /sys and their kind),
/// so that their size is meaningless.
bool rio_is_synthetic_filesystem(int fd);

/// Whether the file system of `fd` may have to ask a server, or another process, what a file is: then calls that else answer
/// at once may wait for long. True as well for file systems that are not known. May itself wait.
bool rio_may_be_remote(int fd);

/// Tells the system that a range of a file will be read soon, or not again. What it makes of that is its own matter.
void rio_advise(int fd, int64_t offset, int64_t count, bool will_read);

/// Whether this process may open `count` more descriptors now, 64 at most.
bool rio_descriptors_are_left(int count);

/// inotify: a descriptor that tells of changes, -errno where there is none; a watch of the file behind `file`, the same
/// number for each descriptor of one file; its end; and the numbers of those with news, after which nothing is pending:
/// at most `capacity`, as many as come back. -1 among them stands for news that were lost.
int rio_watches_open(void);
int rio_watches_add(int watches, int file);
void rio_watches_remove(int watches, int watch);
int rio_watches_read(int watches, int *changed, int capacity);

/// Wall clock and its tick, nanoseconds: how coarse the times are that the kernel stamps on files.
int64_t rio_realtime_ns(void);
int64_t rio_realtime_tick_ns(void);

/// The processors that may run this process.
int rio_processor_count(void);

/// The number of this process.
int64_t rio_process_number(void);

/// The machine's memory in bytes, whatever part of it this process may use, or -errno.
int64_t rio_physical_memory(void);

/// A clock that only goes forward, in nanoseconds.
int64_t rio_monotonic_ns(void);

/// The clock of Swift's `ContinuousClock`, in nanoseconds: it also counts the time that the machine sleeps.
int64_t rio_continuous_ns(void);

/// Tells the processor that this thread waits in a loop.
static inline void rio_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("isb" ::: "memory");
#endif
}

/// Asks the processor to have the memory at this address in its caches soon. Reads nothing: any address will do.
static inline void rio_prefetch(const void *address) { __builtin_prefetch(address); }

/// Whether the calling thread is the one that the process began with.
bool rio_is_main_thread(void);

/// Blocks the calling thread.
void rio_pause_ns(int64_t duration_ns);

/// Fresh zeroed pages, or NULL when the system has none; and their return.
void *rio_map_pages(size_t count);
void rio_unmap_pages(void *pages, size_t count);
/// Fresh zeroed pages at a multiple of `count`, a power of two; in huge pages if the system has them and `count` is 2 MiB
/// or more. NULL when the system has none. Returned with rio_unmap_pages.
void *rio_map_aligned_pages(size_t count);
/// The size of the system's pages in bytes.
size_t rio_page_size(void);
/// Gives the memory of mapped pages back, not their addresses: their contents are undefined when they are used again. A page of
/// which only a part lies there is kept.
void rio_drop_pages(void *pages, size_t count);
/// Asks the system not to put huge pages there any more.
void rio_forbid_huge_pages(void *pages, size_t count);

/// Gives memory that was freed back to the system, as far as whole pages of it are free. Takes milliseconds.
void rio_give_back_memory(void);

/// pipe(2) whose ends no other program inherits.
int rio_pipe(int *reading, int *writing);

/// malloc and free.
void *rio_malloc(size_t count);
void rio_free(void *memory);

// MARK: a directory of our own

/// What a spill directory wants to know about a file or directory.
struct rio_disk_stat {
  bool is_file;
  bool is_directory;
  uint32_t owner;
  uint32_t mode;            ///< the lowest twelve bits of st_mode
  int64_t size;             ///< bytes
  int64_t allocated_size;   ///< what it takes of the disk, bytes
  int64_t link_count;
};

/// The user whom new files belong to.
uint32_t rio_disk_user(void);

/// The descriptors that the process may have now: RLIMIT_NOFILE. INT32_MAX for more, or if it is not known.
uint64_t rio_disk_descriptor_limit(void);

/// Permits this process as many descriptors as it may have, up to 65,536. For a program that is a server; never for a library.
void rio_raise_descriptor_limit(void);

int rio_disk_stat(int fd, struct rio_disk_stat *out);
int rio_disk_stat_at(int directory, const char *name, struct rio_disk_stat *out);
int rio_disk_set_mode(int fd, uint32_t mode);

/// Makes a directory of mode 0700, whatever the umask. -EEXIST if anything has the name.
int rio_disk_make_directory_at(int directory, const char *name);
int rio_disk_make_directory(const char *path);
/// 0 if `path` is a directory, -ELOOP if it ends in a link, -ENOTDIR if in anything else.
int rio_disk_check_directory(const char *path);
int rio_disk_open_directory_at(int directory, const char *name);
int rio_disk_open_directory(const char *path);
int rio_disk_remove_directory_at(int directory, const char *name);
/// Calls `each` with every name in `directory` but "." and "..", until it returns false.
int rio_disk_names(int directory, bool (*each)(void *context, const char *name), void *context);
int rio_disk_sync_directory(int fd);
/// Bytes that this user may still write to the file system of `fd`.
int64_t rio_disk_free_bytes(int fd);

/// Makes a file of mode 0600, whatever the umask, and opens it for reading and writing. -EEXIST if anything has the name.
int rio_disk_create_at(int directory, const char *name);
/// Opens what exists, without waiting for whoever is at the other end of a FIFO or a line.
int rio_disk_open_at(int directory, const char *name, bool writing);
int rio_disk_remove_at(int directory, const char *name);
int rio_disk_rename_at(int directory, const char *name, const char *new_name);

/// pwritev: the bytes written, which may be fewer than all.
int64_t rio_disk_pwritev(int fd, const struct iovec *parts, int count, int64_t offset);
int rio_disk_truncate(int fd, int64_t count);
/// Sets blocks aside for the first `count` bytes where the file system can, and makes the file at least that long.
int rio_disk_allocate(int fd, int64_t count);
/// Makes bytes and length durable.
int rio_disk_sync_file(int fd);
/// 1 if the open file is locked now, 0 if another one has the lock. By flock(2), or the next two where that is missing.
int rio_disk_lock(int fd, bool exclusively);
int rio_disk_unlock(int fd);
/// The same after flock(2) failed with `error`, by the next one if flock(2) is missing.
int rio_disk_lock_without(int fd, bool exclusively, int error);
/// The same by fcntl(2), for the open file and not for the process. An exclusive one is for a file that is open for writing.
int rio_disk_lock_record(int fd, bool exclusively);
int rio_disk_unlock_record(int fd);
/// The processes that have the file behind `fd` open, this one too, as far as the system tells: as many as come back, `capacity`
/// at most. Waits for no disk.
int rio_disk_holders(int fd, int64_t *processes, int capacity);
/// Has the system begin to write a part of the file to the disk. Its failure shows at the next sync.
void rio_disk_begin_writing(int fd, int64_t count, int64_t offset);

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

/// Linux alone: sleeps until rio_wake_one is called for `word`, or for no reason; not at all if the word has another value.
void rio_sleep_while(const void *word, uint32_t value);
void rio_wake_one(const void *word);
/// Apple platforms alone: take and give back the lock in a word that is 0 at first.
void rio_unfair_lock(const void *word);
bool rio_unfair_try_lock(const void *word);
void rio_unfair_unlock(const void *word);

/// What a lock costs that is made in this line of the sources; in builds that count it, see locks.c.
struct rio_lock_site;
struct rio_lock_hold {
  int64_t begun;
  uint64_t sleeps;
};
struct rio_lock_site *rio_lock_site(const char *file, uint32_t line);
struct rio_lock_hold rio_lock_taken(struct rio_lock_site *, bool contended);
void rio_lock_released(struct rio_lock_site *, struct rio_lock_hold);

/// A binary semaphore for one sleeping thread.
struct rio_parker;
struct rio_parker *rio_parker_create(void);
void rio_parker_destroy(struct rio_parker *);
void rio_parker_wake(struct rio_parker *);
/// Waits for a wake. False when `timeout_ns` passed without one.
bool rio_parker_wait(struct rio_parker *, int64_t timeout_ns);

/// A number of the calling thread: the smallest from 1 on that no other thread has, which has it until it ends. Beyond
/// RIO_MOST_NUMBERED threads, numbers above that are not used again. What picks a stripe of a counter that many threads write to.
enum { RIO_MOST_NUMBERED = 256 };
extern _Thread_local uint32_t rio_thread_number_kept;
uint32_t rio_thread_number_assign(void);
static inline uint32_t rio_thread_number(void) {
  uint32_t number = rio_thread_number_kept;
  return number != 0 ? number : rio_thread_number_assign();
}
/// The highest number up to RIO_MOST_NUMBERED that a thread had so far.
uint32_t rio_highest_thread_number(void);

/// Two lines of the processor's caches for each of the first threads, zero at first: where a thread says what it looks at.
struct rio_thread_line {
  _Alignas(128) unsigned char bytes[128];
};
extern struct rio_thread_line rio_thread_lines[RIO_MOST_NUMBERED];
static inline void *rio_line_of_thread(uint32_t number) { return rio_thread_lines[number - 1].bytes; }

/// Counts a reference to a Swift object: as the compiler does, but in the order of the program.
void rio_retain(void *object);

/// Tasks that begin on the calling thread, within the call that starts them: from the first to the second they have not
/// suspended yet.
extern _Thread_local uint32_t rio_beginnings;
static inline void rio_begins_here(void) { rio_beginnings += 1; }
static inline void rio_has_begun_here(void) { rio_beginnings -= 1; }
static inline bool rio_is_beginning_here(void) { return rio_beginnings != 0; }

/// Where `pattern`, of at least one byte, begins for the first or the last time in the `count` bytes of `memory`; null if nowhere.
const void *rio_find(const void *memory, size_t count, const void *pattern, size_t length);
const void *rio_find_last(const void *memory, size_t count, const void *pattern, size_t length);

/// Starts a detached thread with a small stack and every signal blocked, named for debuggers. 0 or -errno.
int rio_thread_start(void (*body)(void *), void *context, const char *name);

#endif
