/// A part of a block that a store holds, but not as bytes at hand: compressed, or on a disk.
public struct HeldPiece: Sendable {
  /// What ``loader`` brings: one piece, usually the whole block.
  public let range: ByteRange
  /// The part of what was asked for that this stands for: within `range`.
  public let wanted: ByteRange
  /// Whose it is, its birth, and the generation in which it was found: for a store above that keeps it from now on.
  public let ticket: ChunkTicket
  /// Whether the tier above should keep it from now on.
  public let rises: Bool
  /// Gets it.
  public let loader: any PieceLoader

  /// A part.
  public init(range: ByteRange, wanted: ByteRange, ticket: ChunkTicket, rises: Bool, loader: any PieceLoader) {
    self.range = range
    self.wanted = wanted
    self.ticket = ticket
    self.rises = rises
    self.loader = loader
  }

  /// This, for another part of what was asked for.
  func wanting(_ part: ByteRange) -> HeldPiece {
    HeldPiece(range: range, wanted: part, ticket: ticket, rises: rises, loader: loader)
  }
}

/// Gets a piece that was found. It keeps what it needs for that: what is evicted meanwhile can still be had.
public protocol PieceLoader: Sendable {
  /// Whether it takes no longer than changing threads does, so that it is done at once, on the reader's thread.
  var isQuick: Bool { get }

  /// The bytes of the piece; `nil` if they turn out to be damaged or lost: the store does not find them again.
  ///
  /// Called once. Where `isQuick`, it does not suspend and ``loadNow()`` is called instead.
  func load() async -> Bytes?

  /// As ``load()``, at once.
  func loadNow() -> Bytes?
}
