// What differs between Linux and Apple platforms. Included first, since it decides what the system's headers declare.
#pragma once

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include <sys/mman.h>

#if defined(__linux__)
typedef unsigned char rim_residency;  // of a page, as mincore(2) tells it
#if !defined(MADV_POPULATE_READ)
#define MADV_POPULATE_READ 22  // Linux 5.14; the headers of the machine that builds may be older than its kernel
#endif
#else
typedef char rim_residency;  // of a page, as mincore(2) tells it
#endif
