// <malloc/malloc.h>.
#ifndef APPLE_MALLOC_MALLOC_H
#define APPLE_MALLOC_MALLOC_H
#include <sys/types.h>
typedef struct _malloc_zone_t malloc_zone_t;
size_t malloc_zone_pressure_relief(malloc_zone_t *, size_t);
#endif
