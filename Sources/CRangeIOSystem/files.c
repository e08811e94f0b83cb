#include "platform.h"

#include <stdio.h>
#include <sys/mman.h>

int rio_open_readonly(const char *path) {
  int fd;
  UNINTERRUPTED(fd, open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  return outcome(fd);
}

enum rio_unreadable rio_why_unreadable(int fd) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return rio_readable;  // what is wrong with it is told by the first look
  enum rio_unreadable reason = rio_platform_why_unreadable(flags);
  return reason != rio_path_only && (flags & O_ACCMODE) == O_WRONLY ? rio_write_only : reason;
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
  int again = rio_platform_open_again(fd);
  if (again >= 0) return moved_up(again);
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
  UNINTERRUPTED(result, rio_platform_replace(nothing, fd));
  int error = result < 0 ? errno : 0;
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
int rio_close(int fd) { return outcome(close(fd)); }

static struct rio_time file_time(struct timespec t) {
  return (struct rio_time){.seconds = (int64_t)t.tv_sec, .nanoseconds = (uint32_t)t.tv_nsec};
}

static void fill(struct rio_stat *out, const struct stat *s) {
  out->device = (uint64_t)s->st_dev;
  out->inode = (uint64_t)s->st_ino;
  out->size = (int64_t)s->st_size;
  out->mode = (uint32_t)s->st_mode;
  out->links = (uint64_t)s->st_nlink;
  out->owner = (uint32_t)s->st_uid;
  out->group = (uint32_t)s->st_gid;
  out->modified = file_time(s->st_mtim);
  out->changed = file_time(s->st_ctim);
}

int rio_fstat(int fd, struct rio_stat *out) {
  struct stat s;
  if (rio_platform_fstat(fd, &s) < 0) return -errno;
  fill(out, &s);
  return 0;
}

int rio_stat_path(const char *path, struct rio_stat *out) {
  struct stat s;
  if (stat(path, &s) < 0) return -errno;
  fill(out, &s);
  return 0;
}

int64_t rio_mode_of_path(const char *path) {
  struct stat s;
  return stat(path, &s) < 0 ? -(int64_t)errno : (int64_t)s.st_mode;
}

enum rio_file_kind rio_file_kind_of(uint32_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG: return rio_regular_file;
    case S_IFBLK: return rio_block_device;
    case S_IFDIR: return rio_directory;
    case S_IFIFO: return rio_fifo;
    case S_IFSOCK: return rio_socket;
    case S_IFCHR: return rio_character_device;
    default: return rio_other_file;
  }
}

int64_t rio_pread(int fd, void *buffer, size_t count, int64_t offset) {
  ssize_t n = pread(fd, buffer, count, (off_t)offset);
  return n < 0 ? -(int64_t)errno : (int64_t)n;
}

int64_t rio_preadv(int fd, const struct iovec *pieces, int count, int64_t offset, bool resident) {
  if (count > 256) count = 256;  // IOV_MAX is 1024 or more everywhere
  if (resident) return rio_platform_preadv_resident(fd, pieces, count, offset);
  // Not preadv2 without flags: there are sandboxes that forbid it.
  ssize_t n = preadv(fd, pieces, count, (off_t)offset);
  return n < 0 ? -(int64_t)errno : (int64_t)n;
}

int rio_open_for_holes(int fd) {
  struct stat s;
  if (fstat(fd, &s) < 0) return -errno;
  if (!S_ISREG(s.st_mode) || (int64_t)s.st_blocks * 512 >= (int64_t)s.st_size) return -ENOTSUP;
  return rio_platform_open_again(fd);
}

static int64_t seek(int fd, int64_t offset, int whence) {
  off_t found = lseek(fd, (off_t)offset, whence);
  return found < 0 ? -(int64_t)errno : (int64_t)found;
}

int64_t rio_next_data(int fd, int64_t offset) { return seek(fd, offset, SEEK_DATA); }

int64_t rio_next_hole(int fd, int64_t offset) { return seek(fd, offset, SEEK_HOLE); }

int rio_leave_gap(int fd, int64_t count) {
  struct stat s;
  if (fstat(fd, &s) < 0) return -errno;
  int flags = fcntl(fd, F_GETFL);
  if (!S_ISREG(s.st_mode) || flags < 0 || flags & O_APPEND) return -ENOTSUP;
  int64_t position = seek(fd, 0, SEEK_CUR);
  if (position != (int64_t)s.st_size) return -ENOTSUP;
  int64_t moved = seek(fd, count, SEEK_CUR);
  return moved < 0 ? (int)moved : 0;
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

int64_t rio_monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
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
  if (count >= 2 << 20) rio_platform_wish_huge_pages(aligned, count, true);  // without them it is slower, not wrong
  return aligned;
}

size_t rio_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

void rio_drop_pages(void *pages, size_t count) {
  // The system would round to its pages, of 16 KiB or more on some machines, and take the memory of the neighbors.
  uintptr_t page = rio_page_size(), start = (uintptr_t)pages;
  uintptr_t first = (start + page - 1) & ~(page - 1), end = (start + count) & ~(page - 1);
  if (first < end) rio_platform_drop_pages((void *)first, end - first);
}

void rio_forbid_huge_pages(void *pages, size_t count) { rio_platform_wish_huge_pages(pages, count, false); }

void *rio_malloc(size_t count) { return malloc(count); }
void rio_free(void *memory) { free(memory); }

int64_t rio_process_number(void) { return (int64_t)getpid(); }
