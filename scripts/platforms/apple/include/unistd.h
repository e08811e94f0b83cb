// close(2), dup(2), fsync(2), lseek(2), pipe(2), pread(2), ftruncate(2), unlink(2), getpid(2), sysconf(3), getcwd(3).
#ifndef APPLE_UNISTD_H
#define APPLE_UNISTD_H
#include <sys/types.h>
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_HOLE 3
#define SEEK_DATA 4
#define _SC_PAGESIZE 29
#define _SC_NPROCESSORS_ONLN 58
#define _SC_PHYS_PAGES 200
int close(int);
int dup2(int, int);
int fsync(int);
int ftruncate(int, off_t);
uid_t geteuid(void);
uid_t getuid(void);
char *getcwd(char *, size_t);
pid_t getpid(void);
int pipe(int[2]);
off_t lseek(int, off_t, int);
ssize_t pread(int, void *, size_t, off_t);
ssize_t read(int, void *, size_t);
ssize_t readlink(const char *, char *, size_t);
long sysconf(int);
int unlinkat(int, const char *, int);
#endif
