// string(3), memory(3).
#ifndef APPLE_STRING_H
#define APPLE_STRING_H
#include <sys/types.h>
void *memchr(const void *, int, size_t);
int memcmp(const void *, const void *, size_t);
void *memcpy(void *, const void *, size_t);
void *memmem(const void *, size_t, const void *, size_t);
char *strchr(const char *, int);
int strcmp(const char *, const char *);
size_t strlen(const char *);
char *strncpy(char *, const char *, size_t);
#endif
