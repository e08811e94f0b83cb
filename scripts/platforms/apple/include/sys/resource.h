// getrlimit(2).
#ifndef APPLE_SYS_RESOURCE_H
#define APPLE_SYS_RESOURCE_H
#include <sys/types.h>
#define RLIMIT_NOFILE 8
typedef uint64_t rlim_t;
struct rlimit {
  rlim_t rlim_cur;
  rlim_t rlim_max;
};
int getrlimit(int, struct rlimit *);
int setrlimit(int, const struct rlimit *);
#endif
