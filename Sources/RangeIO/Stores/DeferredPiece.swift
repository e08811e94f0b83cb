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
  /// The tier above should promote it.
  package let shouldPromote: Bool
  /// Loads the piece.
  package let loader: any PieceLoader

  /// Creates a piece.
  ///
  /// - Parameters:
  ///   - range: the range that `load` returns: usually the whole block.
  ///   - wanted: the part of the look-up that this piece covers. Lies within `range`.
  ///   - ticket: made while the piece was known to be here: under the lock of its place.
  ///   - shouldPromote: `true` if the tier above should keep the piece from now on. Default: no.
  ///   - answer: returns the bytes of `range` on the reader's thread, for work that must not wait and takes no longer than
  ///     switching threads, such as decompressing a small block. Default: nothing is done there.
  ///   - load: loads the bytes of `range`; keeps what it needs, so that it also works after an eviction. It ends early when its
  ///     task is cancelled. It may call `whenLate` once, if it takes so long that the source should be read as well.
  ///
  /// Both return `nil` if the bytes are damaged or lost; the store must not find them again then.
  public init(
    range: ByteRange, wanted: ByteRange, ticket: ChunkTicket, shouldPromote: Bool = false,
    answer: (@Sendable () -> ReadAnswer<Bytes?>)? = nil,
    load: @escaping @Sendable (_ whenLate: @escaping @Sendable () -> Void) async -> Bytes?
  ) {
    self.init(
      range: range, wanted: wanted, ticket: ticket, shouldPromote: shouldPromote,
      loader: OwnLoader(ownAnswer: answer, body: load))
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
/// Each fetch that wants the piece loads at most once: with ``answer()`` if ``isQuick`` is true, and with
/// ``load(whenLate:)`` if it is not, or if ``answer()`` was ``ReadAnswer/later``.
package protocol PieceLoader: Sendable {
  /// `true` if ``answer()`` is worth trying on the reader's thread: it takes no longer than switching threads.
  var isQuick: Bool { get }

  /// Loads the piece, if that takes no waiting. `nil`: it is damaged or lost, and the store does not find it again; or there
  /// is no memory for it.
  func answer() -> ReadAnswer<Bytes?>

  /// Loads the bytes of the piece. Returns `nil` if they are damaged or lost; the store then does not find them again. Also
  /// if there is no memory for them: who looks again must not do so without end. Ends early when its task is cancelled.
  /// `whenLate`: call this, at most once, when loading takes so long that the source should be read as well.
  func load(whenLate: @escaping @Sendable () -> Void) async -> Bytes?
}

/// The loader of a store of the user's.
private struct OwnLoader: PieceLoader {
  let ownAnswer: (@Sendable () -> ReadAnswer<Bytes?>)?
  let body: @Sendable (_ whenLate: @escaping @Sendable () -> Void) async -> Bytes?

  var isQuick: Bool { ownAnswer != nil }
  func answer() -> ReadAnswer<Bytes?> { ownAnswer?() ?? .later }
  func load(whenLate: @escaping @Sendable () -> Void) async -> Bytes? { await body(whenLate) }
}
