// malloc(3), getenv(3), abort(3).
#ifndef APPLE_STDLIB_H
#define APPLE_STDLIB_H
#include <sys/types.h>
void *malloc(size_t);
void free(void *);
char *getenv(const char *);
void abort(void) __attribute__((noreturn));
int posix_memalign(void **, size_t, size_t);
#endif
