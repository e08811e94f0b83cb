// The C peers of the benchmark, and the little of the system that it needs and Swift does not import alike everywhere.
// Convention: a result of zero or more is a success, a negative result is -errno.
#ifndef CBENCHMARKPEERS_H
#define CBENCHMARKPEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The little-endian word at byte offset 8 × `index` of the benchmark's file (SplitMix64, made odd so that it is never
/// zero). The contents are a formula, so every peer's bytes can be checked where they arrive.
static inline uint64_t bench_word(uint64_t index) {
  uint64_t z = (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (z ^ (z >> 31)) | 1;
}

/// Fills `count` bytes (a multiple of 8) with the contents of the file at `offset` (a multiple of 8).
void bench_fill(void *buffer, size_t count, int64_t offset);

// MARK: peers

/// Reads `size` bytes at each of `count` offsets with `pread`, into a buffer that is `malloc`ed and freed for every
/// read, on `threads` threads that take the offsets from one counter. With `checks_version`, every read is followed by
/// an `fstat` that is compared with the first: RangeIO's guarantee that a read is of one version.
///
/// With `is_direct`, for a descriptor of `bench_open_direct`, buffers are aligned to 4,096 bytes.
///
/// Returns the nanoseconds from the moment all threads are ready to the end of the last one. -EIO: a read was short or
/// its first word is not that of the file.
int64_t bench_pread(int fd, const int64_t *offsets, size_t count, size_t size, int threads, bool checks_version,
                    bool is_direct);

/// Reads `count` bytes from the start with `pread` in windows of `window` bytes, into one buffer, or into one
/// `malloc`ed and freed for every window. `is_direct` as above. Returns nanoseconds.
int64_t bench_pread_stream(int fd, int64_t count, size_t window, bool reuses_buffer, bool is_direct);

/// Opens a file for reads past the page cache.
int bench_open_direct(const char *path);

/// The same reads as copies of a file of `byte_count` bytes that is mapped for this run, with `MADV_RANDOM` if
/// `advises`. Making and removing the mapping is not timed. Does not check the version.
int64_t bench_mapped(int fd, int64_t byte_count, const int64_t *offsets, size_t count, size_t size, int threads,
                     bool advises);

/// Copies `count` bytes from the start of a mapping into a buffer that is `malloc`ed and freed for every window, with
/// `MADV_SEQUENTIAL` if `advises`. Returns nanoseconds.
int64_t bench_mapped_stream(int fd, int64_t count, size_t window, bool advises);

/// Writes `count` bytes into a new file with `pwrite`, `window` bytes at a time, followed by an `fdatasync` if `syncs`.
/// Returns nanoseconds, from opening the file to closing it.
int64_t bench_pwrite_stream(const char *path, const void *bytes, size_t count, size_t window, bool syncs);

/// Waits until what was written to the file system of the directory `path` before is on its disk, so that it does not
/// get in the way of what is written next.
int bench_settle(const char *path);

// MARK: residency

int64_t bench_page_size(void);

/// Pages of the file in the page cache, of `count` bytes from the start.
int64_t bench_resident_pages(int fd, int64_t count);

/// Asks the system to drop the file from the page cache; what became of it, `bench_resident_pages` tells.
int bench_drop_cache(int fd, int64_t count);

/// Writes the file's data to disk: pages that are dirty cannot be dropped.
int bench_sync(int fd);

/// Says how the file will be read on this descriptor. No effect where there is no `posix_fadvise`.
int bench_advise_sequential(int fd);
int bench_advise_random(int fd);

// MARK: the process

/// What this process has used: for page faults and CPU time a read.
struct bench_usage {
  int64_t minor_faults;
  int64_t cpu_ns;
};
struct bench_usage bench_usage(void);

/// Counts every allocation of the process from here to `bench_stop_counting`, which says how many there were.
/// -ENOTSUP where the C library is not glibc.
int bench_start_counting(void);
int64_t bench_stop_counting(void);

#endif
