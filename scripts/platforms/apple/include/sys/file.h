// flock(2).
#ifndef APPLE_SYS_FILE_H
#define APPLE_SYS_FILE_H
#include <fcntl.h>
int flock(int, int);
#endif
