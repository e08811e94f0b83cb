// Files below a directory, and none outside of it, whatever links there are.
#include "platform.h"

#if defined(__linux__)
#include <sys/syscall.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif
#endif

// -ENOSYS where the system has no such call.
static int open_beneath_at_once(int directory, const char *path, int flags) {
#if defined(SYS_openat2) && defined(RESOLVE_BENEATH)
  struct open_how how = {.flags = (uint64_t)flags, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
  long fd;
  // EAGAIN: something was renamed on the way, so the kernel cannot tell.
  int tries = 0;
  do {
    fd = syscall(SYS_openat2, directory, path, &how, sizeof how);
  } while (fd < 0 && (errno == EINTR || (errno == EAGAIN && ++tries < 16)));
  return fd < 0 ? -errno : (int)fd;
#else
  (void)directory, (void)path, (void)flags;
  return -ENOSYS;
#endif
}

// One name after the other, and through no link at all.
static int open_beneath_by_names(int directory, const char *path, int flags) {
  enum { longest_name = 255 };
  char name[longest_name + 1];
  int at = directory;
  for (;;) {
    const char *end = strchr(path, '/');
    size_t count = end ? (size_t)(end - path) : strlen(path);
    if (count > longest_name) return -ENAMETOOLONG;
    memcpy(name, path, count);
    name[count] = 0;
    bool is_up = strcmp(name, "..") == 0 || count == 0;
    int fd, wanted = end ? O_RDONLY | O_DIRECTORY | O_CLOEXEC : flags;
    if (is_up) {
      fd = -1;
      errno = EXDEV;
    } else {
      UNINTERRUPTED(fd, openat(at, name, wanted | O_NOFOLLOW));
    }
    int error = errno;
    if (at != directory) close(at);
    if (fd < 0) return -error;
    if (!end) return fd;
    at = fd;
    path = end + 1;
  }
}

static int open_beneath(int directory, const char *path, int flags) {
  int fd = open_beneath_at_once(directory, path, flags);
  // EPERM: a sandbox may forbid calls that it does not know.
  return fd == -ENOSYS || fd == -EPERM ? open_beneath_by_names(directory, path, flags) : fd;
}

int rio_open_beneath(int directory, const char *path) {
  return open_beneath(directory, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

int rio_open_beneath_by_names(int directory, const char *path) {
  return open_beneath_by_names(directory, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

int rio_stat_beneath(int directory, const char *path, struct rio_stat *out) {
#if defined(__linux__)
  // With other flags than these the kernel refuses it.
  int fd = open_beneath(directory, path, O_PATH | O_CLOEXEC);
#else
  int fd = open_beneath(directory, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
#endif
  if (fd < 0) return fd;
  int result = rio_fstat(fd, out);
  close(fd);
  return result;
}
