// snprintf(3), rename(2).
#ifndef APPLE_STDIO_H
#define APPLE_STDIO_H
#include <sys/types.h>
int snprintf(char *, size_t, const char *, ...) __attribute__((format(printf, 3, 4)));
int renameat(int, const char *, int, const char *);
#endif
