import CLZ4Peers

/// A file of blocks, each read, checked and decompressed in a loop of C: what a store on disk cannot be faster than.
///
/// On one thread at a time; whoever calls takes the time.
final class BareDiskPeer: @unchecked Sendable {
  // Unchecked: contenders take turns.
  private let blocks: OpaquePointer

  /// Takes `blocks` over.
  init(_ blocks: OpaquePointer) { self.blocks = blocks }

  deinit { bench_disk_destroy(blocks) }

  /// Compares every byte of every block.
  func verify() throws { try SystemFailure.check(bench_disk_verify(blocks), "verify the blocks of C") }

  /// Reads the blocks at `offsets`, each into memory that is allocated and freed for it.
  func read(_ offsets: [Int]) throws {
    try offsets.withUnsafeBufferPointer { offsets in
      try offsets.withMemoryRebound(to: Int64.self) {
        _ = try SystemFailure.check(bench_disk_read(blocks, $0.baseAddress, $0.count), "read a block in C")
      }
    }
  }
}
