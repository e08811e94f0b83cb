/// The pieces of a chunk of which only some parts are there: in order, disjoint, each with memory of its own.
///
/// Immutable: adding a piece makes another list, so that the costly part, copying pieces together, is done outside the
/// lock.
final class PieceList: Sendable {
  /// At most so many: a look-up goes through all of them.
  static let longest = 8

  struct Piece: Sendable {
    /// The place within the block.
    let range: Range<Int>
    let bytes: Bytes
  }
  let pieces: [Piece]

  init(_ pieces: [Piece]) { self.pieces = pieces }

  /// From the first byte that is there to the end of the last.
  var extent: Range<Int> { pieces[0].range.lowerBound..<pieces[pieces.count - 1].range.upperBound }

  /// What several pieces take, with this object, the one that stands for it, and the allocator's share.
  static func footprint(_ pieces: [Piece]) -> Int {
    let bytes = pieces.reduce(0) { $0 + BlockBacking.footprint(of: $1.range.count) }
    // This object, its array's header, and the array.
    return bytes + BlockBacking.objectFootprint + 32 + 48 + pieces.count * MemoryLayout<Piece>.stride
  }
}

extension PieceList {
  /// What a chunk becomes that has `old` and gets `new`.
  struct Merged {
    /// In order, disjoint, at most ``longest``.
    var pieces: [Piece]
    /// Whether pieces were copied together.
    var isConsolidated = false
    /// Bytes that did not fit into ``longest`` pieces, dropped.
    var droppedByteCount = 0
  }

  /// The union of `old` and `new`, where `new` counts for the bytes that both have.
  ///
  /// Pieces that overlap are copied into one, since a part of a piece would keep all of its memory. Pieces that only
  /// touch are left apart until there are too many, so that bytes which arrive in a row are not copied each time.
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
    if merged.pieces.count > longest { merged.consolidate() }
    while merged.pieces.count > longest {
      // Smallest first: what is kept is as much as can be. Not the new one, which somebody just asked for.
      let candidates = merged.pieces.indices.filter { merged.pieces[$0].range != new.range }
      let smallest = candidates.min { merged.pieces[$0].range.count < merged.pieces[$1].range.count }!
      merged.droppedByteCount += merged.pieces.remove(at: smallest).range.count
    }
    return merged
  }

  /// One piece with the bytes of `pieces`, which leave no gap; where several have a byte, the last counts.
  ///
  /// - Returns: `nil` if there is no memory.
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
  /// Copies pieces that touch into one.
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
