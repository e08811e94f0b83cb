/// What a store holds for one block: bytes and their coverage.
public struct Chunk: Sendable {
  /// The token, the time when the oldest bytes were requested from the source, and the generation in which the chunk
  /// left.
  public let ticket: ChunkTicket
  /// The number of the block on the token's grid.
  public let block: Int
  /// The part of the block that is present. If there are several parts, the first.
  public let piece: RangedBytes
  /// The other parts, in order. Usually empty.
  public let morePieces: [RangedBytes]
  /// When the chunk was last read, if the store it comes from tracks that.
  public let lastRead: ReadInstant?

  /// The token that the chunk belongs to.
  public var token: ChunkToken { ticket.token }
  /// When the oldest bytes were requested from the source.
  public var fetchedAt: ReadInstant { ticket.fetchedAt }
  /// All parts, in order.
  public var pieces: [RangedBytes] { [piece] + morePieces }
  /// The bytes of all parts.
  public var byteCount: Int { morePieces.reduce(piece.bytes.count) { $0 + $1.bytes.count } }

  /// Creates a chunk that leaves a store, for the tier below.
  ///
  /// - Parameter ticket: must be made under the lock of the place that the chunk leaves.
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
