import CLZ4Peers
import RangeIO

/// LZ4 in a loop of C, without a cache around it: what a compressed tier cannot be faster than.
///
/// On any thread; whoever calls takes the time.
final class BareLZ4Peer: @unchecked Sendable {
  // Unchecked: never written to after it was made.
  private let blocks: OpaquePointer

  /// Takes `blocks` over.
  init(_ blocks: OpaquePointer) { self.blocks = blocks }

  deinit { bench_lz4_destroy(blocks) }

  /// Of all blocks, compressed.
  var byteCount: Int { Int(bench_lz4_byte_count(blocks)) }

  /// Decompresses the blocks at `offsets`, each into memory that is allocated and freed for it.
  func decompress(_ offsets: [Int]) throws {
    try offsets.withUnsafeBufferPointer { offsets in
      try offsets.withMemoryRebound(to: Int64.self) {
        _ = try SystemFailure.check(bench_lz4_decompress(blocks, $0.baseAddress, $0.count), "decompress a block")
      }
    }
  }

  /// What became of blocks that were compressed.
  struct Compressed {
    /// How many had room in 7/8 of their size.
    var blocks: Int
    /// What those take.
    var byteCount: Int
  }

  /// Compresses the blocks of `blockSize` bytes at `offsets` of `plain`, all into the same memory with room for 7/8 of
  /// one.
  static func compress(
    _ plain: UnsafeRawBufferPointer, blockSize: Int, at offsets: [Int], acceleration: Int = 1
  ) throws -> Compressed {
    var fitting = 0
    let byteCount = offsets.withUnsafeBufferPointer { offsets in
      offsets.withMemoryRebound(to: Int64.self) {
        bench_lz4_compress(
          plain.baseAddress, blockSize, $0.baseAddress, $0.count, CInt(clamping: acceleration), &fitting)
      }
    }
    try SystemFailure.check(byteCount, "compress a block")
    return Compressed(blocks: fitting, byteCount: Int(byteCount))
  }
}
