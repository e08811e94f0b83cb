// <limits.h>.
#ifndef APPLE_LIMITS_H
#define APPLE_LIMITS_H
#define INT_MAX 2147483647
#endif
