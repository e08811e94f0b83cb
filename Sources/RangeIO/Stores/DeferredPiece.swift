/// Part of a block that a store holds, but not as bytes in memory: it is compressed, or on a disk, or in a database.
///
/// A read loads it when it needs it. Reads that want one piece at the same time wait for one load, unless it is loaded without
/// waiting.
public struct DeferredPiece: Sendable {
  /// The range that ``loader`` returns: one piece, usually the whole block.
  package let range: ByteRange
  /// The part of the request that this covers. Lies within `range`.
  package let wanted: ByteRange
  /// The token, the time of the request, and the generation in which it was found: for a store above that keeps it from
  /// now on.
  package let ticket: ChunkTicket
  /// Whether the tier above should promote it.
  package let shouldPromote: Bool
  /// Loads the piece.
  package let loader: any PieceLoader

  /// Creates a piece that takes time to load, from a disk or a database.
  ///
  /// - Parameters:
  ///   - range: the range that `load` returns: usually the whole block.
  ///   - wanted: the part of the look-up that this piece covers. Lies within `range`.
  ///   - ticket: made while the piece was known to be here: under the lock of its place.
  ///   - shouldPromote: whether the tier above should keep the piece from now on. Default: no.
  ///   - load: loads the bytes of `range`; keeps what it needs, so that it also works after an eviction. It returns
  ///     `nil` if they are damaged or lost; the store must not find them again then. It ends early when its task is
  ///     cancelled. It may call `whenLate` once, if it takes so long that the source should be read as well.
  public init(
    range: ByteRange, wanted: ByteRange, ticket: ChunkTicket, shouldPromote: Bool = false,
    load: @escaping @Sendable (_ whenLate: @escaping @Sendable () -> Void) async -> Bytes?
  ) {
    self.init(
      range: range, wanted: wanted, ticket: ticket, shouldPromote: shouldPromote, loader: SlowLoader(body: load))
  }

  /// Creates a piece that is loaded without waiting, on the reader's thread: for work that takes no longer than
  /// switching threads, such as decompressing a small block.
  ///
  /// - Parameter loadNow: as `load`, but must not wait.
  public init(
    range: ByteRange, wanted: ByteRange, ticket: ChunkTicket, shouldPromote: Bool = false,
    loadNow: @escaping @Sendable () -> Bytes?
  ) {
    self.init(
      range: range, wanted: wanted, ticket: ticket, shouldPromote: shouldPromote, loader: QuickLoader(body: loadNow))
  }

  package init(range: ByteRange, wanted: ByteRange, ticket: ChunkTicket, shouldPromote: Bool, loader: any PieceLoader) {
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
/// Each fetch that wants the piece loads at most once: with ``loadNow()`` if ``isQuick`` is true, and with
/// ``load(whenLate:)`` if it is not, or if ``loadNow()`` returned ``QuickLoad/notAtHand``.
package protocol PieceLoader: Sendable {
  /// Whether ``loadNow()`` is worth trying on the reader's thread: it takes no longer than switching threads.
  var isQuick: Bool { get }

  /// Loads the piece without waiting.
  func loadNow() -> QuickLoad

  /// Loads the bytes of the piece. Returns `nil` if they are damaged or lost; the store then does not find them again.
  /// Ends early when its task is cancelled. `whenLate`: call this, at most once, when loading takes so long that the
  /// source should be read as well.
  func load(whenLate: @escaping @Sendable () -> Void) async -> Bytes?
}

/// The result of loading a piece without waiting.
package enum QuickLoad: Sendable {
  /// The bytes of the piece.
  case bytes(Bytes)
  /// The piece is damaged or lost. The store does not find it again.
  case lost
  /// Loading would have to wait.
  case notAtHand

  /// The bytes, if they were loaded.
  package var bytes: Bytes? { if case .bytes(let bytes) = self { bytes } else { nil } }
}

private struct SlowLoader: PieceLoader {
  let body: @Sendable (_ whenLate: @escaping @Sendable () -> Void) async -> Bytes?

  var isQuick: Bool { false }
  func loadNow() -> QuickLoad { .notAtHand }
  func load(whenLate: @escaping @Sendable () -> Void) async -> Bytes? { await body(whenLate) }
}

private struct QuickLoader: PieceLoader {
  let body: @Sendable () -> Bytes?

  var isQuick: Bool { true }
  func loadNow() -> QuickLoad { body().map { .bytes($0) } ?? .lost }
  func load(whenLate: @escaping @Sendable () -> Void) async -> Bytes? { body() }
}
