/// What a store holds for one block, on its way to the tier below: bytes and their coverage.
public struct Chunk: Sendable {
  /// The token, the time when the oldest bytes were requested from the source, and the generation in which the chunk
  /// left.
  public let ticket: ChunkTicket
  /// The number of the block on the token's grid.
  package let block: Int
  /// The part of the block that is present. If there are several parts, the first.
  package let piece: RangedBytes
  /// The other parts, in order. Usually empty.
  package let morePieces: [RangedBytes]
  /// When the chunk was last read, if the store it comes from tracks that.
  public let lastRead: ReadInstant?

  package var token: ChunkToken { ticket.token }
  package var fetchedAt: ReadInstant { ticket.fetchedAt }
  /// All parts of the block that are present, in order.
  public var pieces: [RangedBytes] { [piece] + morePieces }
  package var byteCount: Int { morePieces.reduce(piece.bytes.count) { $0 + $1.bytes.count } }

  /// Creates a chunk that leaves a store, for the tier below.
  ///
  /// - Parameters:
  ///   - ticket: must be made under the lock of the place that the chunk leaves.
  ///   - pieces: the parts of one block that are present: at least one, in order.
  ///   - lastRead: when the chunk was last read, if your store tracks that.
  public init(ticket: ChunkTicket, pieces: [RangedBytes], lastRead: ReadInstant? = nil) {
    self.init(
      ticket: ticket, block: ticket.token.grid.block(at: pieces[0].range.lowerBound), piece: pieces[0],
      morePieces: Array(pieces[1...]), lastRead: lastRead)
  }

  /// A chunk for each block of `range`.
  static func split(_ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket) -> [Chunk] {
    ticket.token.grid.pieces(of: range).map { block, part in
      let slice = bytes.slice(part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound)
      return Chunk(ticket: ticket, block: block, piece: RangedBytes(part, slice))
    }
  }

  package init(
    ticket: ChunkTicket, block: Int, piece: RangedBytes, morePieces: [RangedBytes] = [], lastRead: ReadInstant? = nil
  ) {
    self.ticket = ticket
    self.block = block
    self.piece = piece
    self.morePieces = morePieces
    self.lastRead = lastRead
  }
}
