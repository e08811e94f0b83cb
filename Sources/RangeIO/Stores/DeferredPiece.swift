/// A part of a block that a store holds, but not as bytes in memory: compressed, or on a disk.
public struct DeferredPiece: Sendable {
  /// What ``loader`` brings: one piece, usually the whole block.
  public let range: ByteRange
  /// The part of what was asked for that this stands for: within `range`.
  public let wanted: ByteRange
  /// Whose it is, its birth, and the generation in which it was found: for a store above that keeps it from now on.
  public let ticket: ChunkTicket
  /// Whether the tier above should keep it from now on.
  public let shouldPromote: Bool
  /// Gets it.
  public let loader: any PieceLoader

  /// A part.
  public init(range: ByteRange, wanted: ByteRange, ticket: ChunkTicket, shouldPromote: Bool, loader: any PieceLoader) {
    self.range = range
    self.wanted = wanted
    self.ticket = ticket
    self.shouldPromote = shouldPromote
    self.loader = loader
  }

  /// This, for another part of what was asked for.
  func wanting(_ part: ByteRange) -> DeferredPiece {
    DeferredPiece(range: range, wanted: part, ticket: ticket, shouldPromote: shouldPromote, loader: loader)
  }
}

/// Gets a piece that was found. It keeps what it needs for that: what is evicted meanwhile can still be had.
///
/// It is asked once: by ``loadNow()`` where it ``isQuick``, and by ``load(whenLate:)`` where it is not, or where that
/// answered ``QuickLoad/notAtHand``. Or not at all.
public protocol PieceLoader: Sendable {
  /// Whether ``loadNow()`` is worth a try on the reader's thread: it takes no longer than changing threads does.
  var isQuick: Bool { get }

  /// Gets the piece without waiting.
  func loadNow() -> QuickLoad

  /// The bytes of the piece; `nil` if they turn out to be damaged or lost: the store does not find them again. Ends early
  /// when its task is cancelled.
  ///
  /// - Parameter whenLate: to be called, once at most, when it takes so long that the source should be asked as well.
  func load(whenLate: @escaping @Sendable () -> Void) async -> Bytes?
}

/// What comes of getting a piece without waiting.
public enum QuickLoad: Sendable {
  /// Its bytes.
  case bytes(Bytes)
  /// It is damaged or lost: the store does not find it again.
  case lost
  /// It takes waiting.
  case notAtHand

  /// The bytes, if they are there.
  public var bytes: Bytes? { if case .bytes(let bytes) = self { bytes } else { nil } }
}
