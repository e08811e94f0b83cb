#include "platform.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

int rim_open(const char *path) {
  int fd;
  do {
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0 && errno == EWOULDBLOCK) return rim_platform_open_leased(path);
  return fd < 0 ? -errno : fd;
}

uint64_t rim_filesystem_id(int fd) {
  struct statfs s;
  uint32_t words[2] = {0, 0};
  if (fstatfs(fd, &s) < 0) return 0;
  // Its fields have other names on each platform.
  memcpy(words, &s.f_fsid, sizeof words < sizeof s.f_fsid ? sizeof words : sizeof s.f_fsid);
  return (uint64_t)words[1] << 32 | words[0];
}

// Not retried on EINTR: Linux has released the descriptor by then, and a second close could hit another file.
int rim_close(int fd) { return close(fd) < 0 ? -errno : 0; }

static struct rim_time file_time(struct timespec t) {
  return (struct rim_time){.seconds = (int64_t)t.tv_sec, .nanoseconds = (uint32_t)t.tv_nsec};
}

static void fill(struct rim_status *out, const struct stat *s) {
  out->device = (uint64_t)s->st_dev;
  out->inode = (uint64_t)s->st_ino;
  out->links = (uint64_t)s->st_nlink;
  out->size = (int64_t)s->st_size;
  out->modified = file_time(s->st_mtim);
  out->changed = file_time(s->st_ctim);
  out->is_regular = S_ISREG(s->st_mode);
  out->is_directory = S_ISDIR(s->st_mode);
  out->is_fifo = S_ISFIFO(s->st_mode);
  out->mode = (uint32_t)s->st_mode;
  out->owner = (uint32_t)s->st_uid;
  out->group = (uint32_t)s->st_gid;
}

int rim_fstat(int fd, struct rim_status *out) {
  struct stat s;
  if (fstat(fd, &s) < 0) return -errno;
  fill(out, &s);
  return 0;
}

int rim_stat_path(const char *path, struct rim_status *out) {
  struct stat s;
  if (stat(path, &s) < 0) return -errno;
  fill(out, &s);
  return 0;
}

int64_t rim_pread(int fd, void *buffer, size_t count, int64_t offset) {
  if (count > (size_t)1 << 30) count = (size_t)1 << 30;
  ssize_t n;
  do {
    n = pread(fd, buffer, count, (off_t)offset);
  } while (n < 0 && errno == EINTR);
  return n < 0 ? -(int64_t)errno : (int64_t)n;
}

void *rim_map(int fd, size_t count, int *error) {
  void *base = mmap(NULL, count, PROT_READ, MAP_SHARED, fd, 0);
  if (base != MAP_FAILED) return base;
  *error = errno;
  return NULL;
}

void rim_unmap(void *base, size_t count) { munmap(base, count); }

bool rim_is_resident(void *pages, size_t count) {
  enum { at_once = 4096 };
  rim_residency there[at_once];
  size_t page = rim_page_size();
  size_t left = (count + page - 1) / page;
  for (char *start = pages; left > 0;) {
    size_t some = left < at_once ? left : at_once;
    if (mincore(start, some * page, there) < 0) return false;
    for (size_t i = 0; i < some; i++)
      if (!(there[i] & 1)) return false;
    start += some * page;
    left -= some;
  }
  return true;
}

void rim_advise(void *pages, size_t count, enum rim_advice advice) {
  int native = MADV_NORMAL;
  switch (advice) {
    case rim_normal: native = MADV_NORMAL; break;
    case rim_random: native = MADV_RANDOM; break;
    case rim_sequential: native = MADV_SEQUENTIAL; break;
    case rim_will_need: native = MADV_WILLNEED; break;
  }
  madvise(pages, count, native);
}

size_t rim_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

struct rim_lock {
  pthread_mutex_t mutex;
};

struct rim_lock *rim_lock_create(void) {
  struct rim_lock *lock = malloc(sizeof *lock);
  if (lock == NULL || pthread_mutex_init(&lock->mutex, NULL) != 0) abort();
  return lock;
}

void rim_lock_destroy(struct rim_lock *lock) {
  pthread_mutex_destroy(&lock->mutex);
  free(lock);
}

void rim_lock_lock(struct rim_lock *lock) { pthread_mutex_lock(&lock->mutex); }
void rim_lock_unlock(struct rim_lock *lock) { pthread_mutex_unlock(&lock->mutex); }
