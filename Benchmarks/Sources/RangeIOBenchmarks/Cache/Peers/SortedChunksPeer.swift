import Foundation
import RangeIO
import Synchronization

/// A design that is often met: chunks in an array sorted by offset, searched from its start, with an index set built
/// for every look-up. Kinder than those met: one lock, the search stops behind the range, and nothing is copied.
final class SortedChunksPeer: PointReader {
  private struct Chunk {
    let range: ByteRange
    let bytes: Bytes
  }

  private let chunks: Mutex<[Chunk]>

  init(_ blocks: some Sequence<(Int, Bytes)>) {
    chunks = Mutex(
      blocks.map { number, bytes in
        let offset = number * CacheTopic.blockSize
        return Chunk(range: offset..<offset + bytes.count, bytes: bytes)
      })
  }

  func variant() -> Variant {
    Variant(label: "one lock") { [self] job in
      guard case .reads(let offsets, let size, let concurrency) = job else { preconditionFailure("a job of reads") }
      return try await SortedChunksPeer.runInMemory([self], offsets, size, concurrency)
    }
  }

  nonisolated(nonsending) func read(at offset: Int, count: Int) async throws -> Piece {
    guard let bytes = find(offset..<offset + count) else { throw Missed(offset: offset) }
    return bytes.sampledPiece(at: offset)
  }

  private func find(_ range: ByteRange) -> Bytes? {
    chunks.withLock { chunks in
      var found = IndexSet()
      for index in chunks.indices {
        let chunk = chunks[index].range
        if chunk.lowerBound >= range.upperBound { break }
        if chunk.overlaps(range) { found.insert(index) }
      }
      let parts = found.map { index in
        let chunk = chunks[index]
        let part = chunk.range.clamped(to: range)
        return chunk.bytes[
          part.lowerBound - chunk.range.lowerBound..<part.upperBound - chunk.range.lowerBound]
      }
      let bytes = Bytes(concatenating: parts)
      return bytes.count == range.count ? bytes : nil
    }
  }
}
