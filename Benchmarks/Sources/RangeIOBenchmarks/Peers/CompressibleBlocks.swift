import CLZ4Peers
import RangeIO

/// A file whose blocks LZ4 makes smaller by as much as wanted: the data of a compressed tier, by formula.
///
/// The first word of every block is that of the benchmark's file, so ``Piece`` checks it.
struct CompressibleBlocks: Sendable {
  let blockSize: Int
  private let noise: Double

  /// - Parameters:
  ///   - blockSize: in bytes, at least 8.
  ///   - fraction: what LZ4 shall leave of a block on average, from 0.02 on: 1 is noise, 0.5 halves. What it leaves in
  ///     truth, ``BareLZ4Peer/byteCount`` tells.
  init(blockSize: Int, fraction: Double) throws {
    self.blockSize = blockSize
    noise = bench_compressible_noise(blockSize, fraction)
    try SystemFailure.check(Int64(min(noise, 0)), "make compressible data")
  }

  /// `range`, whose ends are those of blocks, in memory of its own.
  func bytes(_ range: ByteRange) -> Bytes {
    Bytes(count: range.count) { buffer in
      for position in stride(from: 0, to: range.count, by: blockSize) {
        bench_fill_compressible(buffer.baseAddress! + position, blockSize, Int64(range.lowerBound + position), noise)
      }
    }
  }

  /// The first `count` blocks, compressed.
  func compressed(_ count: Int) throws -> BareLZ4Peer {
    guard let blocks = bench_lz4_create(blockSize, count, noise) else {
      throw SystemFailure.noMemory("compress \(count) blocks")
    }
    return BareLZ4Peer(blocks)
  }

  /// The first `count` blocks in a file of their own, compressed or as they are.
  func onDisk(_ path: String, count: Int, isCompressed: Bool) throws -> BareDiskPeer {
    var blocks: OpaquePointer?
    try SystemFailure.check(
      Int64(bench_disk_create(path, blockSize, count, noise, isCompressed, &blocks)), "write blocks in C")
    guard let blocks else { throw SystemFailure.noMemory("write \(count) blocks") }
    return BareDiskPeer(blocks)
  }
}
