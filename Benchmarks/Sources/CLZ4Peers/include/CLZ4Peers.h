// LZ4 as bare as C has it, in memory and on disk, and data that it makes smaller by as much as wanted: the measure of a
// compressed tier, and of one on disk.
// Convention: a result of zero or more is a success, a negative result is -errno. All may be called on any thread.
#ifndef CLZ4PEERS_H
#define CLZ4PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: data

/// How much noise blocks of `size` bytes must have so that LZ4 (acceleration 1) makes them `fraction` of that: measured
/// by compressing some, which takes 10 ms. 1 for a `fraction` of 1 or more: LZ4 makes that 1.004.
///
/// What comes out on average was within 0.003 of it, from 0.02 on; single blocks differ by more. -ENOMEM.
double bench_compressible_noise(size_t size, double fraction);

/// Fills a block of at least 8 bytes, of the file whose blocks are compressible, with what it has at `offset`: always
/// the same for the same `noise`. Its first word is that of `bench_word`, so its readers are checked as all others.
///
/// Noise and repetition change every few bytes and repetitions come from up to 4 KiB before, as in real data, since the
/// speed of LZ4 lives by that: blocks of 64 KiB made half as large decompress with 3.5 GB/s on a core where Swift
/// sources do with 3.6 and machine code with 3.4. With 64 bytes of each by turns it would be 20 GB/s.
void bench_fill_compressible(void *block, size_t size, int64_t offset, double noise);

// MARK: peers

/// Blocks of `size` bytes at the offsets 0, `size`, … of that file, compressed, each in memory of its own.
struct bench_lz4;

/// NULL if there is no memory for it.
struct bench_lz4 *bench_lz4_create(size_t size, size_t count, double noise);
void bench_lz4_destroy(struct bench_lz4 *blocks);

/// The compressed bytes of all blocks.
int64_t bench_lz4_byte_count(const struct bench_lz4 *blocks);

/// Decompresses the blocks at `count` offsets (multiples of the size), each into a buffer that is `malloc`ed and freed
/// for it. -EIO: a block did not decompress, or its first word is not that of the file.
int64_t bench_lz4_decompress(const struct bench_lz4 *blocks, const int64_t *offsets, size_t count);

/// Compresses the blocks of `size` bytes at `count` offsets of `plain`, each into the same buffer with room for 7/8 of
/// it: a tier has no use for more. Returns how many bytes those have that fit; `fitting` is how many those are.
int64_t bench_lz4_compress(
    const void *plain, size_t size, const int64_t *offsets, size_t count, int acceleration, size_t *fitting);

// MARK: on disk

/// A file of those blocks one after the other, compressed or as they are, and in memory where each is, how long, and
/// its CRC32C: the least that a store on disk has to know. One thread at a time.
struct bench_disk;

/// Makes the file. Zero, or -errno and nothing in `made`.
int bench_disk_create(
    const char *path, size_t size, size_t count, double noise, bool is_compressed, struct bench_disk **made);
void bench_disk_destroy(struct bench_disk *disk);

/// Reads the blocks at `count` offsets (multiples of the size): `pread`, CRC32C, LZ4, into a buffer that is `malloc`ed
/// and freed for each. -EIO: a block is short, its sum or its first word is wrong, or it did not decompress.
int64_t bench_disk_read(const struct bench_disk *disk, const int64_t *offsets, size_t count);

/// Reads every block so, and compares all of its bytes. -EIO: one is not what it should be.
int64_t bench_disk_verify(const struct bench_disk *disk);

#endif
