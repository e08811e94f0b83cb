// What the system does in its own way on Linux: apple.c has the same functions.
#if defined(__linux__)
#include "platform.h"

#include <dirent.h>
#include <limits.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <linux/futex.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

// MARK: descriptors

/// The path by which the system leads to the file behind a descriptor.
struct fd_path {
  char text[32];
};

static struct fd_path path_of(int fd) {
  struct fd_path path;
  snprintf(path.text, sizeof path.text, "/proc/self/fd/%d", fd);
  return path;
}

int rio_open_waiting(const char *path) {
  // In two steps, so that what is waited for is the file that was looked at, and never the writer of a FIFO.
  int named = open(path, O_PATH | O_CLOEXEC);
  if (named < 0) return -errno;
  struct stat s;
  struct fd_path again = path_of(named);
  int fd = -1, error = EWOULDBLOCK;
  if (fstat(named, &s) == 0 && S_ISREG(s.st_mode)) {
    UNINTERRUPTED(fd, open(again.text, O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (fd < 0 && errno != ENOENT) error = errno;  // ENOENT: there is no /proc
  }
  close(named);
  return fd < 0 ? -error : fd;
}

enum rio_unreadable rio_platform_why_unreadable(int flags) {
  return flags & O_PATH ? rio_path_only : flags & O_DIRECT ? rio_direct : rio_readable;
}

int rio_platform_open_again(int fd) { return rio_open_readonly(path_of(fd).text); }

int rio_reopen_direct(int fd) {
  int again;
  UNINTERRUPTED(again, open(path_of(fd).text, O_RDONLY | O_DIRECT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  return outcome(again);
}

bool rio_direct_alignment(int fd, uint32_t *memory, uint32_t *offset) {
  // What no disk refuses: a page. Linux before 6.1, and some file systems, do not tell.
  *memory = *offset = 4096;
#if defined(SYS_statx)
  // By number: the headers of some systems are older than their kernel. See statx(2).
  enum { wanted = 0x2000 /* STATX_DIOALIGN */, at_mask = 0, at_memory = 0x98, at_offset = 0x9c };
  unsigned char status[256] = {0};
  if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, wanted, status) < 0) return true;
  uint32_t mask;
  memcpy(&mask, status + at_mask, sizeof mask);
  if (!(mask & wanted)) return true;
  memcpy(memory, status + at_memory, sizeof *memory);
  memcpy(offset, status + at_offset, sizeof *offset);
#endif
  return *memory != 0 && *offset != 0;
}

void rio_give_back_memory(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

int rio_pipe(int *reading, int *writing) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
  *reading = ends[0], *writing = ends[1];
  return 0;
}

int rio_platform_open_beneath(int directory, const char *path, int flags, bool through_links) {
#if defined(SYS_openat2) && defined(RESOLVE_BENEATH)
  struct open_how how = {.flags = (uint64_t)flags, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
  if (!through_links) how.resolve |= RESOLVE_NO_SYMLINKS;
  long fd;
  // EAGAIN: something was renamed on the way, so the kernel cannot tell.
  int tries = 0;
  do {
    fd = syscall(SYS_openat2, directory, path, &how, sizeof how);
  } while (fd < 0 && (errno == EINTR || (errno == EAGAIN && ++tries < 16)));
  return fd < 0 ? -errno : (int)fd;
#else
  (void)directory, (void)path, (void)flags, (void)through_links;
  return -ENOSYS;
#endif
}

// With other flags than these the kernel refuses O_PATH.
int rio_platform_flags_to_look(void) { return O_PATH | O_CLOEXEC; }

int rio_platform_replace(int with, int fd) { return dup3(with, fd, O_CLOEXEC); }

int rio_name_of(int fd, char *name, int capacity) {
  ssize_t count = readlink(path_of(fd).text, name, (size_t)capacity);
  if (count < 0) return -errno;
  return count < capacity ? (int)count : -ENAMETOOLONG;
}

int rio_platform_fstat(int fd, struct stat *out) {
#if defined(SYS_fstat) && defined(__x86_64__)
  // glibc 2.33 and later route fstat through newfstatat, which costs a sixth more.
  return (int)syscall(SYS_fstat, fd, out);
#else
  return fstat(fd, out);
#endif
}

bool rio_descriptors_are_left(int count) {
  int taken[64], n = 0;
  if (count > 64) count = 64;
  while (n < count && (taken[n] = eventfd(0, EFD_CLOEXEC)) >= 0) n++;
  for (int i = 0; i < n; i++) close(taken[i]);
  return n == count;
}

// MARK: reading

int64_t rio_platform_preadv_resident(int fd, const struct iovec *pieces, int count, int64_t offset) {
#if defined(RWF_NOWAIT)
#if defined(__LP64__) && defined(SYS_preadv2)
  // Without the wrapper, which prepares for pthread_cancel each time. The offset fits the first of its two words.
  ssize_t n = syscall(SYS_preadv2, fd, pieces, (long)count, offset, 0, RWF_NOWAIT);
#else
  ssize_t n = preadv2(fd, pieces, count, (off_t)offset, RWF_NOWAIT);
#endif
  return n < 0 ? -(int64_t)errno : (int64_t)n;
#else
  (void)fd, (void)pieces, (void)count, (void)offset;
  return -EOPNOTSUPP;
#endif
}

int64_t rio_pread_resident(int fd, void *buffer, size_t count, int64_t offset) {
  struct iovec piece = {buffer, count};
  return rio_platform_preadv_resident(fd, &piece, 1, offset);
}

// By number: the C library has no names for these. On 32 bits the time may be of another size.
#if defined(__LP64__) && defined(SYS_io_submit) && defined(RWF_NOWAIT)
int rio_reads_open(int capacity, uint64_t *queue) {
  aio_context_t new = 0;
  if (syscall(SYS_io_setup, capacity, &new) < 0) return -errno;
  // A sandbox may permit some of these calls alone.
  struct io_event event;
  struct timespec none = {0, 0};
  if (syscall(SYS_io_getevents, new, 0L, 1L, &event, &none) < 0) {
    int error = errno;
    syscall(SYS_io_destroy, new);
    return -error;
  }
  *queue = new;
  return 0;
}

int rio_reads_begin(uint64_t queue, int fd, void *buffer, size_t count, int64_t offset, void *read) {
  struct iocb one = {
      .aio_data = (uintptr_t)read,
      .aio_lio_opcode = IOCB_CMD_PREAD,
      .aio_fildes = (uint32_t)fd,
      .aio_buf = (uintptr_t)buffer,
      .aio_nbytes = count,
      .aio_offset = offset,
      .aio_rw_flags = RWF_NOWAIT,
  };
  struct iocb *all[] = {&one};
  long begun = syscall(SYS_io_submit, queue, 1L, all);
  return begun == 1 ? 0 : begun < 0 ? -errno : -EAGAIN;
}

int rio_reads_collect(uint64_t queue, struct rio_ended_read *ended, int capacity) {
  struct io_event events[64];
  long count = syscall(SYS_io_getevents, queue, 1L, (long)capacity, events, NULL);
  for (long i = 0; i < count; i++) ended[i] = (struct rio_ended_read){(void *)(uintptr_t)events[i].data, events[i].res};
  return outcome((int)count);
}
#else
#include "no_kernel_reads.h"
#endif

void rio_advise(int fd, int64_t offset, int64_t count, bool will_read) {
  (void)posix_fadvise(fd, offset, count, will_read ? POSIX_FADV_WILLNEED : POSIX_FADV_DONTNEED);
}

int64_t rio_device_size(int fd) {
  uint64_t size = 0;
  return ioctl(fd, BLKGETSIZE64, &size) < 0 ? -(int64_t)errno : (int64_t)size;
}

// MARK: file systems

bool rio_is_synthetic_filesystem(int fd) {
  struct statfs s;
  if (fstatfs(fd, &s) < 0) return false;
  switch ((uint32_t)s.f_type) {
    case 0x00009fa0:  // proc
    case 0x62656572:  // sysfs
    case 0x64626720:  // debugfs
    case 0x74726163:  // tracefs
    case 0x73636673:  // securityfs
    case 0x0027e0eb:  // cgroup
    case 0x63677270:  // cgroup2
    case 0xcafe4a11:  // bpf
    case 0x62656570:  // configfs
      return true;
    default:
      return false;
  }
}

bool rio_may_be_remote(int fd) {
  struct statfs s;
  if (fstatfs(fd, &s) < 0) return true;
  // Those that answer from this machine. Of those that lie over another (overlay, ecryptfs) that one is taken to be local,
  // too. All others may ask a server: NFS, CIFS, 9P, Ceph, FUSE, and what is not known here.
  switch ((uint32_t)s.f_type) {
    case 0x0000ef53:  // ext2, ext3, ext4
    case 0x58465342:  // xfs
    case 0x9123683e:  // btrfs
    case 0x01021994:  // tmpfs
    case 0x858458f6:  // ramfs
    case 0x958458f6:  // hugetlbfs
    case 0x794c7630:  // overlay
    case 0x0000f15f:  // ecryptfs
    case 0x2fc12fc1:  // zfs
    case 0xca451a4e:  // bcachefs
    case 0xf2f52010:  // f2fs
    case 0x3153464a:  // jfs
    case 0x52654973:  // reiserfs
    case 0x00003434:  // nilfs
    case 0x00004d44:  // msdos, vfat
    case 0x2011bab0:  // exfat
    case 0x5346544e:  // ntfs
    case 0x7366746e:  // ntfs3
    case 0x00004244:  // hfs
    case 0x0000482b:  // hfsplus
    case 0x00009660:  // iso9660
    case 0x15013346:  // udf
    case 0x73717368:  // squashfs
    case 0xe0f5e1e2:  // erofs
    case 0x28cd3d45:  // cramfs
    case 0x000072b6:  // jffs2
    case 0x24051905:  // ubifs
    case 0x62646576:  // block devices
      return false;
    default:
      return true;
  }
}

int64_t rio_disk_free_bytes(int fd) {
  struct statvfs s;
  int result;
  UNINTERRUPTED(result, fstatvfs(fd, &s));
  if (result < 0) return -errno;
  if (s.f_blocks == 0) return INT64_MAX;  // it tells no sizes at all, as many do that are not on a disk
  int64_t bytes;
  return __builtin_mul_overflow(s.f_bavail, s.f_frsize, &bytes) ? INT64_MAX : bytes;
}

int rio_platform_set_blocks_aside(int fd, int64_t count) {
  int result;
  UNINTERRUPTED(result, fallocate(fd, 0, 0, (off_t)count));
  return outcome(result);
}

int rio_disk_sync_file(int fd) {
  int result;
  UNINTERRUPTED(result, fdatasync(fd));
  return outcome(result);
}

void rio_disk_begin_writing(int fd, int64_t count, int64_t offset) {
  sync_file_range(fd, offset, count, SYNC_FILE_RANGE_WRITE);
}

// Locks of the open file: those that fcntl(2) had before belong to the process, and go when it closes the file anywhere.
static int set_record_lock(int fd, short type) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
  int result;
  UNINTERRUPTED(result, fcntl(fd, F_OFD_SETLK, &lock));
  if (result < 0 && (errno == EAGAIN || errno == EACCES)) return 0;
  return result < 0 ? -errno : 1;
}

int rio_disk_lock_record(int fd, bool exclusively) { return set_record_lock(fd, exclusively ? F_WRLCK : F_RDLCK); }

int rio_disk_unlock_record(int fd) {
  int result = set_record_lock(fd, F_UNLCK);
  return result < 0 ? result : 0;
}

// By name, since stat(2) of what another process has open may wait for its server.
static bool has_open(long process, const char *name, int length) {
  char path[32], found[PATH_MAX];
  snprintf(path, sizeof path, "/proc/%ld/fd", process);
  DIR *files = opendir(path);
  if (files == NULL) return false;
  bool is_found = false;
  for (struct dirent *entry; !is_found && (entry = readdir(files)) != NULL;) {
    ssize_t count = readlinkat(dirfd(files), entry->d_name, found, sizeof found);
    is_found = count == length && memcmp(found, name, (size_t)count) == 0;
  }
  closedir(files);
  return is_found;
}

int rio_disk_holders(int fd, int64_t *processes, int capacity) {
  char name[PATH_MAX];
  int count = 0, length = rio_name_of(fd, name, sizeof name);
  DIR *all = length > 0 ? opendir("/proc") : NULL;
  if (all == NULL) return 0;
  for (struct dirent *entry; count < capacity && (entry = readdir(all)) != NULL;) {
    long process = strtol(entry->d_name, NULL, 10);  // 0 for what is not the folder of a process
    if (process > 0 && has_open(process, name, length)) processes[count++] = process;
  }
  closedir(all);
  return count;
}

// MARK: watches

int rio_watches_open(void) { return outcome(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)); }

int rio_watches_add(int watches, int file) {
  // By descriptor: the name may lead elsewhere by now.
  return outcome(
      inotify_add_watch(watches, path_of(file).text, IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF));
}

void rio_watches_remove(int watches, int watch) { (void)inotify_rm_watch(watches, watch); }

int rio_watches_read(int watches, int *changed, int capacity) {
  char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
  int count = 0;
  // An event without a name, as those of files are, takes 16 bytes.
  while (count + (int)(sizeof buffer / sizeof(struct inotify_event)) <= capacity) {
    ssize_t length = read(watches, buffer, sizeof buffer);
    if (length <= 0) break;
    for (char *next = buffer; next < buffer + length;) {
      const struct inotify_event *event = (const struct inotify_event *)next;
      changed[count++] = event->mask & IN_Q_OVERFLOW ? -1 : event->wd;
      next += sizeof(struct inotify_event) + event->len;
    }
  }
  return count;
}

// MARK: clock and memory

int64_t rio_realtime_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME_COARSE, &t);
  return nanoseconds(t);
}

int64_t rio_continuous_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t rio_realtime_tick_ns(void) {
  struct timespec t;
  return clock_getres(CLOCK_REALTIME_COARSE, &t) == 0 ? nanoseconds(t) : 10000000;
}

void rio_platform_drop_pages(void *pages, size_t count) { madvise(pages, count, MADV_DONTNEED); }

void rio_platform_wish_huge_pages(void *pages, size_t count, bool wished) {
  madvise(pages, count, wished ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

// MARK: threads

void rio_sleep_while(const void *word, uint32_t value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

void rio_wake_one(const void *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }

// A futex-backed semaphore: waking the thread that slept last through its own semaphore beat a shared condition
// variable by a sixth with 32 readers.
struct rio_parker {
  sem_t semaphore;
};

struct rio_parker *rio_parker_create(void) {
  struct rio_parker *parker = malloc(sizeof *parker);
  if (parker != NULL) sem_init(&parker->semaphore, 0, 0);
  return parker;
}

void rio_parker_destroy(struct rio_parker *parker) {
  sem_destroy(&parker->semaphore);
  free(parker);
}

void rio_parker_wake(struct rio_parker *parker) { sem_post(&parker->semaphore); }

bool rio_parker_wait(struct rio_parker *parker, int64_t timeout_ns) {
  struct timespec until = rio_deadline(timeout_ns);
  int result;
  UNINTERRUPTED(result, sem_timedwait(&parker->semaphore, &until));
  return result == 0;
}

bool rio_is_main_thread(void) { return syscall(SYS_gettid) == getpid(); }

void rio_platform_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

#if defined(__aarch64__)
void rio_platform_detect(bool *sums, bool *products) {
  const unsigned long has_products = 1 << 4, has_sums = 1 << 7;  // HWCAP_PMULL, HWCAP_CRC32
  unsigned long capabilities = getauxval(AT_HWCAP);
  *sums = (capabilities & has_sums) != 0;
  *products = *sums && (capabilities & has_products);
}
#endif

#endif
