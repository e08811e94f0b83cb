// intro(2).
#ifndef APPLE_ERRNO_H
#define APPLE_ERRNO_H
extern int *__error(void);
#define errno (*__error())
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define ENOMEM 12
#define EXDEV 18
#define ENOTDIR 20
#define EINVAL 22
#define EAGAIN 35
#define EWOULDBLOCK EAGAIN
#define ENOTSUP 45
#define ELOOP 62
#define ENAMETOOLONG 63
#define ENOLCK 77
#define ENOSYS 78
#define EOVERFLOW 84
#define EOPNOTSUPP 102
#endif
