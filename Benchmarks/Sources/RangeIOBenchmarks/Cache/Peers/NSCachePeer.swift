import Foundation
import RangeIO

/// Foundation's NSCache, keys and values boxed as it demands. For several blocks it is asked several times.
struct NSCachePeer: PointReader, @unchecked Sendable {
  // Unchecked: NSCache locks itself.
  private let cache = NSCache<NSNumber, Box>()
  /// Where misses are read; without one there must be none.
  private let source: BlockSource?

  /// One that holds `blocks`.
  init(_ blocks: some Sequence<(Int, Bytes)>) {
    source = nil
    for (number, bytes) in blocks { insert(number, bytes) }
  }

  /// One that holds up to `limit` bytes of `source`.
  init(limit: Int, of source: BlockSource) {
    self.source = source
    cache.totalCostLimit = limit
  }

  func variant() -> Variant {
    Variant(label: source == nil ? "no limit" : "by cost") { job in
      guard case .reads(let offsets, let size, let concurrency) = job else { preconditionFailure("a job of reads") }
      let before = source?.use
      var outcome = try await Self.runInMemory([self], offsets, size, concurrency)
      if let source, let before { outcome.source = source.use - before }
      return outcome
    }
  }

  nonisolated(nonsending) func read(at offset: Int, count: Int) async throws -> Piece {
    let wanted = (offset..<offset + count).blocks
    guard wanted.count > 1 else { return try block(wanted.lowerBound).sampledPiece(at: offset) }
    return Bytes(concatenating: try wanted.map(block)).sampledPiece(at: offset)
  }

  /// Its entries hold on to each other and outlive the cache unless they are removed.
  func close() { cache.removeAllObjects() }

  private func block(_ number: Int) throws -> Bytes {
    if let box = cache.object(forKey: NSNumber(value: number)) { return box.bytes }
    let offset = number * CacheTopic.blockSize
    guard let source else { throw Missed(offset: offset) }
    let bytes = source.read(offset..<offset + CacheTopic.blockSize)
    insert(number, bytes)
    return bytes
  }

  private func insert(_ number: Int, _ bytes: Bytes) {
    cache.setObject(Box(bytes), forKey: NSNumber(value: number), cost: bytes.count)
  }
}

private final class Box: Sendable {
  let bytes: Bytes

  init(_ bytes: Bytes) { self.bytes = bytes }
}
