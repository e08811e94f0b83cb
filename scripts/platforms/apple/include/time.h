// clock_gettime(3), nanosleep(2).
#ifndef APPLE_TIME_H
#define APPLE_TIME_H
#include <sys/types.h>
struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
typedef enum { CLOCK_REALTIME = 0, CLOCK_MONOTONIC_RAW = 4, CLOCK_MONOTONIC = 6 } clockid_t;
int clock_gettime(clockid_t, struct timespec *);
int clock_getres(clockid_t, struct timespec *);
int nanosleep(const struct timespec *, struct timespec *);
#endif
