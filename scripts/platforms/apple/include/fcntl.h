// open(2), fcntl(2), flock(2).
#ifndef APPLE_FCNTL_H
#define APPLE_FCNTL_H
#include <sys/types.h>
#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_ACCMODE 0x0003
#define O_NONBLOCK 0x00000004
#define O_NOFOLLOW 0x00000100
#define O_CREAT 0x00000200
#define O_EXCL 0x00000800
#define O_NOCTTY 0x00020000
#define O_DIRECTORY 0x00100000
#define O_CLOEXEC 0x01000000
#define AT_FDCWD -2
#define AT_SYMLINK_NOFOLLOW 0x0020
#define AT_REMOVEDIR 0x0080
#define FD_CLOEXEC 1
#define F_SETFD 2
#define O_APPEND 0x0008
#define F_GETFL 3
#define F_PREALLOCATE 42
#define F_RDADVISE 44
#define F_NOCACHE 48
#define F_GETPATH 50
#define F_DUPFD_CLOEXEC 67
#define F_BARRIERFSYNC 85
#define F_ALLOCATEALL 0x00000004
#define F_PEOFPOSMODE 3
#define LOCK_SH 0x01
#define LOCK_EX 0x02
#define LOCK_NB 0x04
#define LOCK_UN 0x08
struct radvisory {
  off_t ra_offset;
  int ra_count;
};
typedef struct fstore {
  unsigned int fst_flags;
  int fst_posmode;
  off_t fst_offset;
  off_t fst_length;
  off_t fst_bytesalloc;
} fstore_t;
int open(const char *, int, ...);
int openat(int, const char *, int, ...);
int fcntl(int, int, ...);
#endif
