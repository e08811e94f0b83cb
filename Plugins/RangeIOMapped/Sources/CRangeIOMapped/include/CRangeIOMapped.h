// The system calls of a mapped file that Swift does not import on every platform, in one form for all.
//
// What can fail returns a number of zero or more, or -errno. Counts are bytes.

#ifndef C_RANGE_IO_MAPPED_H
#define C_RANGE_IO_MAPPED_H

#include <stdbool.h>
#include <stddef.h>

/// Maps `count` bytes from the start of the file, to read only. NULL and `*error` if that fails.
void *_Nullable rim_map(int fd, size_t count, int *_Nonnull error);
void rim_unmap(void *_Nonnull base, size_t count);
/// Reads the pages in that are not there, and enters them into the page table. `pages` begins where a page does.
///
/// -EFAULT: touching one of them would raise SIGBUS. -EINVAL, -ENOTSUP: this kernel cannot do that.
int rim_populate(void *_Nullable pages, size_t count);
/// Whether all the pages are in memory, as far as the kernel tells this process. Waits for nothing.
bool rim_is_resident(void *_Nullable pages, size_t count);

enum rim_advice { rim_normal, rim_random, rim_sequential, rim_will_need };
/// A wish: without effect where the kernel does not know it.
void rim_advise(void *_Nonnull pages, size_t count, enum rim_advice advice);
size_t rim_page_size(void);

/// A lock that the thread sanitizer sees on every platform.
struct rim_lock;
struct rim_lock *_Nonnull rim_lock_create(void);
void rim_lock_destroy(struct rim_lock *_Nonnull lock);
void rim_lock_lock(struct rim_lock *_Nonnull lock);
void rim_lock_unlock(struct rim_lock *_Nonnull lock);

#endif
