// Files below a directory, and none outside of it, whatever links there are.
#include "platform.h"

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
  int fd = rio_platform_open_beneath(directory, path, flags);
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
  int fd = open_beneath(directory, path, rio_platform_flags_to_look());
  if (fd < 0) return fd;
  int result = rio_fstat(fd, out);
  close(fd);
  return result;
}
