// os_unfair_lock_lock(3).
#ifndef APPLE_OS_LOCK_H
#define APPLE_OS_LOCK_H
#include <stdbool.h>
#include <stdint.h>
typedef struct os_unfair_lock_s { uint32_t _os_unfair_lock_opaque; } os_unfair_lock, *os_unfair_lock_t;
void os_unfair_lock_lock(os_unfair_lock_t);
bool os_unfair_lock_trylock(os_unfair_lock_t);
void os_unfair_lock_unlock(os_unfair_lock_t);
#endif
