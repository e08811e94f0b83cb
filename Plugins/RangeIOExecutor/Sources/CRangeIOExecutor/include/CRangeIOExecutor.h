// Threads, and what they wait at, in one form for all platforms.

#ifndef C_RANGE_IO_EXECUTOR_H
#define C_RANGE_IO_EXECUTOR_H

#include <stdbool.h>
#include <stdint.h>

/// Runs `body` with `context` on a new thread. Zero, or -errno.
int rie_thread_start(void (*_Nonnull body)(void *_Nullable), void *_Nullable context);

/// What this thread was told to keep; NULL if nothing.
void *_Nullable rie_thread_kept(void);
void rie_thread_keep(void *_Nullable kept);

/// A lock at which threads can sleep, and be woken one by one. The thread sanitizer sees it on every platform.
struct rie_lock;
struct rie_lock *_Nonnull rie_lock_create(void);
void rie_lock_destroy(struct rie_lock *_Nonnull lock);
void rie_lock_lock(struct rie_lock *_Nonnull lock);
void rie_lock_unlock(struct rie_lock *_Nonnull lock);

/// A bed for one thread.
struct rie_bed;
struct rie_bed *_Nonnull rie_bed_create(void);
void rie_bed_destroy(struct rie_bed *_Nonnull bed);
/// Sleeps until woken, for `nanoseconds` at most; `lock` is locked before and after, and not meanwhile. Whether the time was over.
/// May return for no reason.
bool rie_bed_doze(struct rie_bed *_Nonnull bed, struct rie_lock *_Nonnull lock, int64_t nanoseconds);
void rie_bed_wake(struct rie_bed *_Nonnull bed);

int rie_processor_count(void);
/// A clock that only goes forward.
int64_t rie_now_ns(void);

#endif
