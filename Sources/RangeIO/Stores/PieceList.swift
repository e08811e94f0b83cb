/// The pieces of a chunk that holds only some parts of its block: in order, disjoint, each with its own memory.
///
/// Immutable. Adding a piece makes a new list, so the expensive part, copying pieces together, happens outside the
/// lock.
package final class PieceList: Sendable {
  /// The maximum number of pieces, since a look-up goes through all of them.
  package static let maxCount = 8

  struct Piece: Sendable {
    /// The range within the block.
    let range: Range<Int>
    let bytes: Bytes
  }
  let pieces: [Piece]

  init(_ pieces: [Piece]) { self.pieces = pieces }

  /// From the first present byte to the end of the last.
  var extent: Range<Int> { pieces[0].range.lowerBound..<pieces[pieces.count - 1].range.upperBound }

  /// The memory of several pieces, including this object, the object that represents it, and the allocator's overhead.
  static func footprint(_ pieces: [Piece]) -> Int {
    let bytes = pieces.reduce(0) { $0 + BlockBacking.footprint(of: $1.range.count) }
    // This object, the array's header, and the array.
    return bytes + BlockBacking.objectFootprint + 32 + 48 + pieces.count * MemoryLayout<Piece>.stride
  }
}

extension PieceList {
  /// The result of adding `new` to a chunk that has `old`.
  struct Merged {
    /// In order, disjoint, at most ``maxCount``.
    var pieces: [Piece]
    /// Pieces were copied together.
    var isConsolidated = false
    /// Bytes that were dropped because they did not fit into ``maxCount`` pieces.
    var droppedByteCount = 0
  }

  /// The union of `old` and `new`. Where both have a byte, `new` wins.
  ///
  /// Overlapping pieces are copied into one, since a part of a piece would keep all of its memory alive. Pieces that
  /// only touch stay separate until there are too many, so that bytes that arrive in sequence are not copied each time.
  ///
  /// - Returns: `nil` if there is no memory.
  static func merge(_ old: [Piece], with new: Piece) -> Merged? {
    var merged = Merged(pieces: [])
    var overlapping: [Piece] = []
    for piece in old {
      if new.range.lowerBound <= piece.range.lowerBound, piece.range.upperBound <= new.range.upperBound { continue }
      if piece.range.overlaps(new.range) { overlapping.append(piece) } else { merged.pieces.append(piece) }
    }
    if overlapping.isEmpty {
      merged.pieces.append(new)
    } else {
      guard let joined = join(overlapping + [new]) else { return nil }
      merged.pieces.append(joined)
      merged.isConsolidated = true
    }
    merged.pieces.sort { $0.range.lowerBound < $1.range.lowerBound }
    if merged.pieces.count > maxCount { merged.consolidate() }
    while merged.pieces.count > maxCount {
      // Drop the smallest first, to keep as much as possible. Never the new one, which a reader has just requested.
      let candidates = merged.pieces.indices.filter { merged.pieces[$0].range != new.range }
      let smallest = candidates.min { merged.pieces[$0].range.count < merged.pieces[$1].range.count }!
      merged.droppedByteCount += merged.pieces.remove(at: smallest).range.count
    }
    return merged
  }

  /// One piece with the bytes of `pieces`, which leave no gap. Where several have a byte, the last one wins. Returns
  /// `nil` if there is no memory.
  private static func join(_ pieces: [Piece]) -> Piece? {
    let lower = pieces.map(\.range.lowerBound).min()!
    let upper = pieces.map(\.range.upperBound).max()!
    guard let buffer = BlockBacking.allocate(upper - lower) else { return nil }
    for piece in pieces {
      let start = piece.range.lowerBound - lower
      let end = start + piece.range.count
      piece.bytes.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: buffer.memory[start..<end]))
    }
    let bytes = buffer.bytes(upper - lower)
    _ = BlockBacking.claim(bytes)
    return Piece(range: lower..<upper, bytes: bytes)
  }
}

extension PieceList.Merged {
  /// Copies touching pieces into one.
  fileprivate mutating func consolidate() {
    var result: [PieceList.Piece] = []
    var row: [PieceList.Piece] = []
    func flush() {
      if row.count > 1, let joined = PieceList.join(row) { result.append(joined) } else { result += row }
    }
    for piece in pieces {
      if let last = row.last, last.range.upperBound != piece.range.lowerBound {
        flush()
        row = []
      }
      row.append(piece)
    }
    flush()
    isConsolidated = isConsolidated || result.count < pieces.count
    pieces = result
  }
}
