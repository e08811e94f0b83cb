import Foundation
import RangeIOTesting
import RangeIOTiers

@testable import RangeIO

/// Stores blocks whose bytes are all the same as a fraction of them, so that tests know what takes how much; others not
/// at all.
struct FillCodec: ChunkCodec {
  /// Bytes that become one.
  var ratio = 4
  /// What each result has in addition.
  var extra = 0
  /// Asked before decoding, on the thread that decodes; false: the bytes are damaged.
  var willDecode: @Sendable () -> Bool = { true }
  /// Called before encoding.
  var willEncode: @Sendable () -> Void = {}

  var id: UInt8 { 100 }

  func encode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Int? {
    willEncode()
    let count = max(1, source.count / ratio + extra)
    guard Self.isFilled(source), count <= destination.count else { return nil }
    memset(destination.baseAddress!, CInt(source[0]), count)
    return count
  }

  private static func isFilled(_ bytes: UnsafeRawBufferPointer) -> Bool {
    memcmp(bytes.baseAddress!, bytes.baseAddress! + 1, bytes.count - 1) == 0
  }

  func decode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Bool {
    guard willDecode() else { return false }
    memset(destination.baseAddress!, CInt(source[0]), destination.count)
    return true
  }
}

/// A source whose blocks are filled with one byte each, parts of which a test moves into stores by hand.
struct FillSource {
  let source: SourceDescription
  let token: ChunkToken
  let version: Int

  init(
    _ sources: ChunkSources, id: String = "fill", version: Int = 0, byteCount: Int = 1 << 30, blockSize: Int = 4096,
    reading: Bool = false
  ) {
    self.version = version
    source = SourceDescription(
      id: id, validator: ModelValidator(number: version), byteCount: byteCount, preferredBlockSize: .bytes(blockSize))
    token = sources.token(for: source, grid: BlockGrid(blockSize: blockSize)!, reading: reading).0
  }

  /// A block of the grid.
  func block(_ number: Int) -> ByteRange { token.grid.range(of: number, in: source.byteCount) }

  /// The right bytes.
  func expected(_ range: ByteRange) -> Bytes { Self.bytes(range, token.grid, version) }

  static func bytes(_ range: ByteRange, _ grid: BlockGrid, _ version: Int = 0) -> Bytes {
    Bytes(count: range.count) { buffer in
      for (block, part) in grid.pieces(of: range) {
        let byte = UInt8(truncatingIfNeeded: block &* 31 &+ version)
        memset(buffer.baseAddress! + (part.lowerBound - range.lowerBound), CInt(byte), part.count)
      }
    }
  }

  /// What a tier above would have evicted now.
  func chunk(
    _ block: Int, _ part: Range<Int>? = nil, fetchedAt: ReadClock.Instant? = nil, lastRead: ReadClock.Instant? = nil,
    at now: ReadClock.Instant
  ) -> Chunk {
    let whole = self.block(block)
    let range = part.map { whole.lowerBound + $0.lowerBound..<whole.lowerBound + $0.upperBound } ?? whole
    return Chunk(
      ticket: token.ticket(fetchedAt: fetchedAt ?? now), block: block, piece: RangedBytes(range, expected(range)),
      lastRead: lastRead)
  }

  /// Moves a block, or a part of it, into `store`.
  ///
  /// - Returns: whether it was kept.
  @discardableResult func put(_ block: Int, _ part: Range<Int>? = nil, in store: some FullChunkStore) -> Bool {
    store.insertDemoted(chunk(block, part, at: store.now))
  }

  func look(_ range: ByteRange, in store: some FullChunkStore) -> ChunkLookup {
    store.lookUp(range, token: token.number, grid: token.grid)
  }

  /// What `store` holds of a range, but not at hand.
  func held(_ range: ByteRange, in store: some FullChunkStore) -> [DeferredPiece] {
    if case .partial(_, let held, _) = look(range, in: store) { held } else { [] }
  }

  /// Whether `store` holds all of a block, without reading it.
  func isIn(_ store: some FullChunkStore, _ block: Int) -> Bool {
    store.holds(self.block(block), token: token.number, grid: token.grid)
  }

  /// Reads what there is of a range, and checks it.
  ///
  /// - Returns: the parts that were there and right; `nil` if some were wrong or damaged.
  func read(_ range: ByteRange, in store: some FullChunkStore) -> [ByteRange]? {
    switch look(range, in: store) {
    case .miss: return []
    case .hit(let bytes): return bytes == expected(range) ? [range] : nil
    case .partial(let pieces, let held, let gaps):
      var parts: [ByteRange] = []
      for piece in pieces {
        guard piece.bytes == expected(piece.range) else { return nil }
        parts.append(piece.range)
      }
      for piece in held {
        guard let bytes = piece.loader.answeredBytes, bytes == expected(piece.range),
          piece.range.lowerBound <= piece.wanted.lowerBound, piece.wanted.upperBound <= piece.range.upperBound
        else { return nil }
        parts.append(piece.wanted)
      }
      let count = (parts + gaps).reduce(0) { $0 + $1.count }
      return count == range.count && ByteRanges.normalize(parts + gaps) == [range] ? ByteRanges.normalize(parts) : nil
    }
  }
}

/// A source of a `FillSource`'s bytes for readers.
final class FillRangeSource: RangeSource {
  private let asked = Locked<[ByteRange]>([])
  private let description: SourceDescription
  private let grid: BlockGrid

  init(byteCount: Int = 1 << 20, blockSize: Int = 4096, id: String = "fill") {
    description = SourceDescription(
      id: id, validator: ModelValidator(number: 0), byteCount: byteCount, preferredBlockSize: .bytes(blockSize))
    grid = BlockGrid(blockSize: blockSize)!
  }

  var requests: [ByteRange] { asked.withLock { $0 } }
  func expected(_ range: ByteRange) -> Bytes { FillSource.bytes(range, grid) }
  func describe() async throws -> SourceDescription { description }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    asked.withLock { $0.append(range) }
    return expected(range)
  }
}

extension ChunkToken {
  /// Makes stores refuse what is in flight, as a removal does that has ended.
  func raiseGeneration(of range: ByteRange = ChunkScope.wholeRange) {
    beginRemoval(of: range)
    endRemoval(of: range)
  }
}
