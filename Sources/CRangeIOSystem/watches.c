#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CRangeIOSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

void rio_advise(int fd, int64_t offset, int64_t count, bool will_read) {
#if defined(__linux__)
  (void)posix_fadvise(fd, offset, count, will_read ? POSIX_FADV_WILLNEED : POSIX_FADV_DONTNEED);
#elif defined(F_RDADVISE)
  if (!will_read) return;
  struct radvisory advice = {.ra_offset = offset, .ra_count = count > INT32_MAX ? INT32_MAX : (int)count};
  (void)fcntl(fd, F_RDADVISE, &advice);
#else
  (void)fd, (void)offset, (void)count, (void)will_read;
#endif
}

#if defined(__linux__)
#include <sys/eventfd.h>
#include <sys/inotify.h>

bool rio_descriptors_are_left(int count) {
  int taken[64], n = 0;
  if (count > 64) count = 64;
  while (n < count && (taken[n] = eventfd(0, EFD_CLOEXEC)) >= 0) n++;
  for (int i = 0; i < n; i++) close(taken[i]);
  return n == count;
}

int rio_watches_open(void) {
  int result = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  return result >= 0 ? result : -errno;
}

int rio_watches_add(int watches, int file) {
  // By descriptor: the name may lead elsewhere by now.
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  int result = inotify_add_watch(watches, path, IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF);
  return result >= 0 ? result : -errno;
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
#else
bool rio_descriptors_are_left(int count) {
  (void)count;
  return true;
}
int rio_watches_open(void) { return -ENOSYS; }
int rio_watches_add(int watches, int file) {
  (void)watches, (void)file;
  return -ENOSYS;
}
void rio_watches_remove(int watches, int watch) { (void)watches, (void)watch; }
int rio_watches_read(int watches, int *changed, int capacity) {
  (void)watches, (void)changed, (void)capacity;
  return 0;
}
#endif
