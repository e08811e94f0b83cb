/// What a store holds for one block: bytes and their coverage.
public struct Chunk: Sendable {
  /// Whose it is, when its oldest bytes were asked for from the source, and the generation in which it left.
  public let ticket: ChunkTicket
  /// The block of the token's grid.
  public let block: Int
  /// The part of the block that is there: the first, if several are.
  public let piece: RangedBytes
  /// More parts, in order. Usually none.
  public let morePieces: [RangedBytes]
  /// When it was last read, where the store that had it watches that.
  public let lastRead: ReadInstant?

  /// Whose it is.
  public var token: ChunkToken { ticket.token }
  /// When its oldest bytes were asked for from the source.
  public var fetchedAt: ReadInstant { ticket.fetchedAt }
  /// All parts, in order.
  public var pieces: [RangedBytes] { [piece] + morePieces }
  /// The bytes of all parts.
  public var byteCount: Int { morePieces.reduce(piece.bytes.count) { $0 + $1.bytes.count } }

  /// A chunk that a store had, for the tier below.
  ///
  /// - Parameter ticket: made under the lock of the place that the chunk leaves.
  public init(
    ticket: ChunkTicket, block: Int, piece: RangedBytes, morePieces: [RangedBytes] = [], lastRead: ReadInstant? = nil
  ) {
    self.ticket = ticket
    self.block = block
    self.piece = piece
    self.morePieces = morePieces
    self.lastRead = lastRead
  }
}
