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

// Whether no name between the directory and the open file begins with a dot. False where the system cannot tell.
static bool is_shown(int directory, int fd) {
  enum { longest_path = 4096 };
  char above[longest_path], name[longest_path];
  int above_count = rio_name_of(directory, above, sizeof above);
  int count = rio_name_of(fd, name, sizeof name);
  if (above_count <= 0 || count < above_count || memcmp(name, above, (size_t)above_count) != 0) return false;
  // The root of all files ends in a slash already.
  int at = above[above_count - 1] == '/' ? above_count - 1 : above_count;
  if (at < count && name[at] != '/') return false;
  for (; at + 1 < count; at++) {
    if (name[at] == '/' && name[at + 1] == '.') return false;
  }
  return true;
}

static int open_beneath(int directory, const char *path, int flags) {
  int fd = rio_platform_open_beneath(directory, path, flags, false);
  if (fd == -ELOOP) {
    // A link is on the way. What it leads to has a name of its own, which the caller did not see.
    fd = rio_platform_open_beneath(directory, path, flags, true);
    if (fd >= 0 && !is_shown(directory, fd)) {
      close(fd);
      return -ENOENT;
    }
  }
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
