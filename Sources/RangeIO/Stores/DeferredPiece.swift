/// Part of a block that a store holds, but not as bytes in memory: it is compressed, or on disk.
public struct DeferredPiece: Sendable {
  /// The range that ``loader`` returns: one piece, usually the whole block.
  public let range: ByteRange
  /// The part of the request that this covers. Lies within `range`.
  public let wanted: ByteRange
  /// The token, the time of the request, and the generation in which it was found: for a store above that keeps it from
  /// now on.
  public let ticket: ChunkTicket
  /// Whether the tier above should promote it.
  public let shouldPromote: Bool
  /// Loads the piece.
  public let loader: any PieceLoader

  /// Creates a deferred piece.
  public init(range: ByteRange, wanted: ByteRange, ticket: ChunkTicket, shouldPromote: Bool, loader: any PieceLoader) {
    self.range = range
    self.wanted = wanted
    self.ticket = ticket
    self.shouldPromote = shouldPromote
    self.loader = loader
  }

  /// A copy of this for another part of the request.
  func wanting(_ part: ByteRange) -> DeferredPiece {
    DeferredPiece(range: range, wanted: part, ticket: ticket, shouldPromote: shouldPromote, loader: loader)
  }
}

/// Loads a piece that a look-up found. The loader keeps what it needs, so it can load the piece even after an eviction.
///
/// Each fetch that wants the piece loads at most once: with ``loadNow()`` if ``isQuick`` is true, and with ``load(whenLate:)`` if it is not,
/// or if ``loadNow()`` returned ``QuickLoad/notAtHand``.
public protocol PieceLoader: Sendable {
  /// Whether ``loadNow()`` is worth trying on the reader's thread: it takes no longer than switching threads.
  var isQuick: Bool { get }

  /// Loads the piece without waiting.
  func loadNow() -> QuickLoad

  /// Loads the bytes of the piece. Returns `nil` if they are damaged or lost; the store then does not find them again.
  /// Ends early when its task is cancelled.
  ///
  /// - Parameter whenLate: call this, at most once, when loading takes so long that the source should be read as well.
  func load(whenLate: @escaping @Sendable () -> Void) async -> Bytes?
}

/// The result of loading a piece without waiting.
public enum QuickLoad: Sendable {
  /// The bytes of the piece.
  case bytes(Bytes)
  /// The piece is damaged or lost. The store does not find it again.
  case lost
  /// Loading would have to wait.
  case notAtHand

  /// The bytes, if they were loaded.
  public var bytes: Bytes? { if case .bytes(let bytes) = self { bytes } else { nil } }
}
