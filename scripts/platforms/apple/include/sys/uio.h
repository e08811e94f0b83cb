// preadv(2), pwritev(2): since macOS 11 and iOS 14.
#ifndef APPLE_SYS_UIO_H
#define APPLE_SYS_UIO_H
#include <sys/types.h>
struct iovec {
  void *iov_base;
  size_t iov_len;
};
ssize_t preadv(int, const struct iovec *, int, off_t);
ssize_t pwritev(int, const struct iovec *, int, off_t);
#endif
