// What differs between Linux and Apple platforms. Included first, since it decides what the system's headers declare.
#pragma once

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include <pthread.h>

/// Names the calling thread.
static inline void rie_name_thread(const char *name) {
#if defined(__APPLE__)
  pthread_setname_np(name);
#else
  pthread_setname_np(pthread_self(), name);
#endif
}
