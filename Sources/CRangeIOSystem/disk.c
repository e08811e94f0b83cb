// What a spill directory asks of the system. No call follows a symbolic link in the last component of a name.
#include "platform.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/resource.h>

static void describe(const struct stat *s, struct rio_disk_stat *out) {
  out->is_file = S_ISREG(s->st_mode);
  out->is_directory = S_ISDIR(s->st_mode);
  out->size = (int64_t)s->st_size;
  out->allocated_size = (int64_t)s->st_blocks * 512;  // the unit of st_blocks, whatever the file system's
  out->owner = s->st_uid;
  out->mode = s->st_mode & 07777;
  out->link_count = (int64_t)s->st_nlink;
}

uint32_t rio_disk_user(void) { return geteuid(); }

int rio_disk_stat(int fd, struct rio_disk_stat *out) {
  struct stat s;
  if (fstat(fd, &s) < 0) return -errno;
  describe(&s, out);
  return 0;
}

int rio_disk_stat_at(int directory, const char *name, struct rio_disk_stat *out) {
  struct stat s;
  if (fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW) < 0) return -errno;
  describe(&s, out);
  return 0;
}

int rio_disk_set_mode(int fd, uint32_t mode) { return outcome(fchmod(fd, (mode_t)mode)); }

uint64_t rio_disk_descriptor_limit(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur > INT32_MAX ? INT32_MAX : limit.rlim_cur;
}

void rio_raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= limit.rlim_max) return;
  // Some systems refuse the largest number there is, and take this one.
  rlim_t some = limit.rlim_max < 65536 ? limit.rlim_max : 65536;
  if (limit.rlim_cur >= some) return;
  limit.rlim_cur = some;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// MARK: directories

int rio_disk_make_directory_at(int directory, const char *name) {
  if (mkdirat(directory, name, 0700) < 0) return -errno;
  // The umask may have taken bits away, and a parent may have handed its group down.
  struct stat s;
  if (fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW) < 0) return -errno;
  if ((s.st_mode & 07777) == 0700) return 0;
  return outcome(fchmodat(directory, name, 0700, AT_SYMLINK_NOFOLLOW));
}

int rio_disk_make_directory(const char *path) { return rio_disk_make_directory_at(AT_FDCWD, path); }

int rio_disk_check_directory(const char *path) {
  struct stat s;
  if (lstat(path, &s) < 0) return -errno;
  return S_ISDIR(s.st_mode) ? 0 : S_ISLNK(s.st_mode) ? -ELOOP : -ENOTDIR;
}

int rio_disk_open_directory_at(int directory, const char *name) {
  int fd;
  UNINTERRUPTED(fd, openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return outcome(fd);
}

int rio_disk_open_directory(const char *path) { return rio_disk_open_directory_at(AT_FDCWD, path); }

int rio_disk_remove_directory_at(int directory, const char *name) {
  return outcome(unlinkat(directory, name, AT_REMOVEDIR));
}

int rio_disk_names(int directory, bool (*each)(void *context, const char *name), void *context) {
  // Opened again, because listing moves the position, which duplicates of a descriptor share.
  int fd = rio_disk_open_directory_at(directory, ".");
  if (fd < 0) return fd;
  DIR *listing = fdopendir(fd);
  if (listing == NULL) {
    int error = errno;
    close(fd);
    return -error;
  }
  struct dirent *entry;
  while (errno = 0, (entry = readdir(listing)) != NULL) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (!each(context, entry->d_name)) {
      errno = 0;
      break;
    }
  }
  int error = errno;
  closedir(listing);
  return -error;
}

int rio_disk_sync_directory(int fd) {
  int result;
  UNINTERRUPTED(result, fsync(fd));
  // Some file systems have nothing to sync in a directory, and say so.
  return result < 0 && errno == EINVAL ? 0 : outcome(result);
}

// MARK: names of files

int rio_disk_create_at(int directory, const char *name) {
  int fd;
  UNINTERRUPTED(fd, openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (fd < 0) return -errno;
  struct stat s;
  if (fstat(fd, &s) == 0 && ((s.st_mode & 07777) == 0600 || fchmod(fd, 0600) == 0)) return fd;
  int error = errno;
  unlinkat(directory, name, 0);
  close(fd);
  return -error;
}

int rio_disk_open_at(int directory, const char *name, bool writing) {
  int fd, access = writing ? O_RDWR : O_RDONLY;
  UNINTERRUPTED(fd, openat(directory, name, access | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  return outcome(fd);
}

int rio_disk_remove_at(int directory, const char *name) { return outcome(unlinkat(directory, name, 0)); }

int rio_disk_rename_at(int directory, const char *name, const char *new_name) {
  return outcome(renameat(directory, name, directory, new_name));
}

// MARK: files

int64_t rio_disk_pwritev(int fd, const struct iovec *parts, int count, int64_t offset) {
  ssize_t n = pwritev(fd, parts, count, (off_t)offset);
  return n < 0 ? -(int64_t)errno : (int64_t)n;
}

int rio_disk_truncate(int fd, int64_t count) {
  int result;
  UNINTERRUPTED(result, ftruncate(fd, (off_t)count));
  return outcome(result);
}

int rio_disk_allocate(int fd, int64_t count) {
  int result = rio_platform_set_blocks_aside(fd, count);
  if (result < 0 && result != -EOPNOTSUPP && result != -ENOTSUP && result != -ENOSYS && result != -EINVAL) return result;
  struct stat s;
  if (fstat(fd, &s) < 0) return -errno;
  return s.st_size >= count ? 0 : rio_disk_truncate(fd, count);
}

// Whether flock(2) is missing, as on some network file systems and in some sandboxes. Not EIO and its kind: another process may
// have the lock in the one way, and would not be seen in the other.
static bool has_no_flock(int error) {
  return error == ENOSYS || error == EOPNOTSUPP || error == ENOTSUP || error == ENOLCK;
}

int rio_disk_lock(int fd, bool exclusively) {
  int result;
  UNINTERRUPTED(result, flock(fd, (exclusively ? LOCK_EX : LOCK_SH) | LOCK_NB));
  if (result >= 0) return 1;
  return errno == EWOULDBLOCK ? 0 : rio_disk_lock_without(fd, exclusively, errno);
}

int rio_disk_lock_without(int fd, bool exclusively, int error) {
  int result = has_no_flock(error) ? rio_disk_lock_record(fd, exclusively) : -1;
  return result < 0 ? -error : result;
}

int rio_disk_unlock(int fd) {
  int result;
  UNINTERRUPTED(result, flock(fd, LOCK_UN));
  return result < 0 && has_no_flock(errno) ? rio_disk_unlock_record(fd) : outcome(result);
}
