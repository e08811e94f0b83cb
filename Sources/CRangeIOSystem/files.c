#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CRangeIOSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/fs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#else
#include <sys/disk.h>
#include <sys/mount.h>
#include <sys/param.h>
#endif

int rio_open_readonly(const char *path) {
  int fd;
  do {
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  } while (fd < 0 && errno == EINTR);
  return fd < 0 ? -errno : fd;
}

int rio_open_waiting(const char *path) {
#if defined(__linux__)
  // In two steps, so that what is waited for is the file that was looked at, and never the writer of a FIFO.
  int named = open(path, O_PATH | O_CLOEXEC);
  if (named < 0) return -errno;
  struct stat s;
  char again[32];
  snprintf(again, sizeof again, "/proc/self/fd/%d", named);
  int fd = -1, error = EWOULDBLOCK;
  if (fstat(named, &s) == 0 && S_ISREG(s.st_mode)) {
    do {
      fd = open(again, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0 && errno != ENOENT) error = errno;  // ENOENT: there is no /proc
  }
  close(named);
  return fd < 0 ? -error : fd;
#else
  return rio_open_readonly(path);
#endif
}

enum rio_unreadable rio_why_unreadable(int fd) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return rio_readable;  // what is wrong with it is told by the first look
#if defined(O_PATH)
  if (flags & O_PATH) return rio_path_only;
#endif
  if ((flags & O_ACCMODE) == O_WRONLY) return rio_write_only;
#if defined(O_DIRECT)
  if (flags & O_DIRECT) return rio_direct;
#endif
  return rio_readable;
}

// libdispatch keys its state by descriptor number. If other code of the process closes a descriptor under its own
// channel, the next file that gets that number inherits the stale state, and a channel on it may never end. Numbers are
// given lowest first, so one that is moved up is unlikely to have been anybody's before.
static int moved_up(int fd) {
  enum { out_of_the_way = 256 };
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, out_of_the_way);
  if (moved < 0) return fd;  // over the limit of this process
  close(fd);
  return moved;
}

int rio_reopen_readonly(int fd) {
#if defined(__linux__)
  // The magic link opens the same inode again, even one that has been unlinked.
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  int again = rio_open_readonly(path);
  if (again >= 0) return moved_up(again);
#endif
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return -errno;
  if (lseek(copy, 0, SEEK_SET) < 0) {
    int error = errno;
    close(copy);
    return -error;
  }
  return moved_up(copy);
}

// Not retried on EINTR: Linux has released the descriptor by then, and a second close could hit another file.
int rio_let_go(int fd) {
  int nothing = rio_open_readonly("/dev/null");
  if (nothing < 0) return nothing;
  int result;
  do {
#if defined(__linux__)
    result = dup3(nothing, fd, O_CLOEXEC);
#else
    result = dup2(nothing, fd);
#endif
  } while (result < 0 && errno == EINTR);
  int error = result < 0 ? errno : 0;
#if !defined(__linux__)
  if (result >= 0) fcntl(fd, F_SETFD, FD_CLOEXEC);
#endif
  close(nothing);
  return -error;
}

uint64_t rio_filesystem_id(int fd) {
  struct statfs s;
  uint32_t words[2] = {0, 0};
  if (fstatfs(fd, &s) < 0) return 0;
  // Its fields have other names on each platform.
  memcpy(words, &s.f_fsid, sizeof words < sizeof s.f_fsid ? sizeof words : sizeof s.f_fsid);
  return (uint64_t)words[1] << 32 | words[0];
}

// Not retried on EINTR: Linux has released the descriptor by then, and a second close could hit another file.
int rio_close(int fd) { return close(fd) < 0 ? -errno : 0; }

// Of clocks. A file may have times that so many nanoseconds cannot tell.
static int64_t nanoseconds(struct timespec t) {
  int64_t whole, sum;
  bool is_too_much = __builtin_mul_overflow((int64_t)t.tv_sec, (int64_t)1000000000, &whole) ||
                     __builtin_add_overflow(whole, (int64_t)t.tv_nsec, &sum);
  return !is_too_much ? sum : t.tv_sec < 0 ? INT64_MIN : INT64_MAX;
}

static struct rio_time file_time(struct timespec t) {
  return (struct rio_time){.seconds = (int64_t)t.tv_sec, .nanoseconds = (uint32_t)t.tv_nsec};
}

static void fill(struct rio_stat *out, const struct stat *s) {
  out->device = (uint64_t)s->st_dev;
  out->inode = (uint64_t)s->st_ino;
  out->size = (int64_t)s->st_size;
  out->special_device = (uint64_t)s->st_rdev;
  out->mode = (uint32_t)s->st_mode;
  out->links = (uint64_t)s->st_nlink;
  out->owner = (uint32_t)s->st_uid;
  out->group = (uint32_t)s->st_gid;
#if defined(__APPLE__)
  out->modified = file_time(s->st_mtimespec);
  out->changed = file_time(s->st_ctimespec);
#else
  out->modified = file_time(s->st_mtim);
  out->changed = file_time(s->st_ctim);
#endif
}

int rio_fstat(int fd, struct rio_stat *out) {
  struct stat s;
#if defined(__linux__) && defined(SYS_fstat) && defined(__x86_64__)
  // glibc 2.33 and later route fstat through newfstatat, which costs a sixth more.
  if (syscall(SYS_fstat, fd, &s) < 0) return -errno;
#else
  if (fstat(fd, &s) < 0) return -errno;
#endif
  fill(out, &s);
  return 0;
}

int rio_stat_path(const char *path, struct rio_stat *out) {
  struct stat s;
  if (stat(path, &s) < 0) return -errno;
  fill(out, &s);
  return 0;
}

int rio_name_of(int fd, char *name, int capacity) {
#if defined(__APPLE__)
  char all[MAXPATHLEN];
  if (fcntl(fd, F_GETPATH, all) < 0) return -errno;
  int count = (int)strlen(all);
  if (count >= capacity) return -ENAMETOOLONG;
  memcpy(name, all, (size_t)count);
  return count;
#else
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  ssize_t count = readlink(path, name, (size_t)capacity);
  if (count < 0) return -errno;
  return count < capacity ? (int)count : -ENAMETOOLONG;
#endif
}

int64_t rio_mode_of_path(const char *path) {
  struct stat s;
  return stat(path, &s) < 0 ? -(int64_t)errno : (int64_t)s.st_mode;
}

int64_t rio_pread(int fd, void *buffer, size_t count, int64_t offset) {
  ssize_t n = pread(fd, buffer, count, (off_t)offset);
  return n < 0 ? -(int64_t)errno : (int64_t)n;
}

int64_t rio_pread_resident(int fd, void *buffer, size_t count, int64_t offset) {
#if defined(__linux__) && defined(RWF_NOWAIT)
  struct iovec piece = {buffer, count};
#if defined(__LP64__) && defined(SYS_preadv2)
  // Without the wrapper, which prepares for pthread_cancel each time. The offset fits the first of its two words.
  ssize_t n = syscall(SYS_preadv2, fd, &piece, 1, offset, 0, RWF_NOWAIT);
#else
  ssize_t n = preadv2(fd, &piece, 1, (off_t)offset, RWF_NOWAIT);
#endif
  return n < 0 ? -(int64_t)errno : (int64_t)n;
#else
  (void)fd, (void)buffer, (void)count, (void)offset;
  return -EOPNOTSUPP;
#endif
}

int64_t rio_preadv(int fd, const struct iovec *pieces, int count, int64_t offset, bool resident) {
  if (count > 256) count = 256;  // IOV_MAX is 1024 or more everywhere
  ssize_t n;
  if (resident) {
#if defined(__linux__) && defined(RWF_NOWAIT)
    n = preadv2(fd, pieces, count, (off_t)offset, RWF_NOWAIT);
#else
    return -EOPNOTSUPP;
#endif
  } else {
    // Not preadv2 without flags: there are sandboxes that forbid it.
    n = preadv(fd, pieces, count, (off_t)offset);
  }
  return n < 0 ? -(int64_t)errno : (int64_t)n;
}

int64_t rio_device_size(int fd) {
#if defined(__linux__)
  uint64_t size = 0;
  return ioctl(fd, BLKGETSIZE64, &size) < 0 ? -(int64_t)errno : (int64_t)size;
#else
  uint64_t blocks = 0;
  uint32_t block_size = 0;
  if (ioctl(fd, DKIOCGETBLOCKCOUNT, &blocks) < 0) return -(int64_t)errno;
  if (ioctl(fd, DKIOCGETBLOCKSIZE, &block_size) < 0) return -(int64_t)errno;
  return (int64_t)(blocks * block_size);
#endif
}

bool rio_is_synthetic_filesystem(int fd) {
#if defined(__linux__)
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
#else
  (void)fd;
  return false;
#endif
}

bool rio_may_be_remote(int fd) {
  struct statfs s;
  if (fstatfs(fd, &s) < 0) return true;
#if defined(__linux__)
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
#else
  return !(s.f_flags & MNT_LOCAL);
#endif
}

int64_t rio_realtime_ns(void) {
  struct timespec t;
#if defined(__linux__)
  clock_gettime(CLOCK_REALTIME_COARSE, &t);
#else
  clock_gettime(CLOCK_REALTIME, &t);
#endif
  return nanoseconds(t);
}

int64_t rio_realtime_tick_ns(void) {
#if defined(__linux__)
  struct timespec t;
  if (clock_getres(CLOCK_REALTIME_COARSE, &t) == 0) return nanoseconds(t);
#endif
  return 10000000;
}

int rio_processor_count(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : count > 4096 ? 4096 : (int)count;
}

int64_t rio_physical_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
  int64_t count;
  if (pages < 0 || page_size < 0) return -EOPNOTSUPP;
  return __builtin_mul_overflow((int64_t)pages, (int64_t)page_size, &count) ? -EOVERFLOW : count;
}

void rio_pause_ns(int64_t duration_ns) {
  struct timespec pause = {.tv_sec = duration_ns / 1000000000, .tv_nsec = duration_ns % 1000000000};
  nanosleep(&pause, NULL);
}

void *rio_map_pages(size_t count) {
  void *pages = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

void rio_unmap_pages(void *pages, size_t count) {
  // A hole in the middle of a mapping makes two of it, of which a process may have 65,530 (vm.max_map_count). Beyond that
  // the addresses stay, and the memory goes back all the same.
  if (munmap(pages, count) < 0) rio_drop_pages(pages, count);
}

void *rio_map_aligned_pages(size_t count) {
  // Where the last one was aligned the next one is, and lies beside it: the system makes one mapping of them. With what is
  // cut off below, each would be one of its own.
  char *pages = rio_map_pages(count), *aligned = pages;
  if (pages == NULL) return NULL;
  if ((uintptr_t)pages & (count - 1)) {
    rio_unmap_pages(pages, count);
    if ((pages = rio_map_pages(2 * count)) == NULL) return NULL;
    // The highest place that is aligned: the system maps downwards, so the slab that was mapped before lies right above.
    aligned = (char *)(((uintptr_t)pages + count) & ~(uintptr_t)(count - 1));
    if (aligned > pages) munmap(pages, aligned - pages);
    if (aligned < pages + count) munmap(aligned + count, pages + count - aligned);
  }
#if defined(MADV_HUGEPAGE)
  if (count >= 2 << 20) madvise(aligned, count, MADV_HUGEPAGE);  // a wish: without huge pages it is slower, not wrong
#endif
  return aligned;
}

void rio_drop_pages(void *pages, size_t count) {
#if defined(__APPLE__)
  madvise(pages, count, MADV_FREE_REUSABLE);
#else
  madvise(pages, count, MADV_DONTNEED);
#endif
}

void rio_forbid_huge_pages(void *pages, size_t count) {
#if defined(MADV_NOHUGEPAGE)
  madvise(pages, count, MADV_NOHUGEPAGE);
#else
  (void)pages;
  (void)count;
#endif
}

void *rio_malloc(size_t count) { return malloc(count); }
void rio_free(void *memory) { free(memory); }

int64_t rio_process_number(void) { return (int64_t)getpid(); }
