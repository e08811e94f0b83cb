/// Keeps pieces of sources: in memory, on a disk, in a database.
///
/// Write one to keep what readers read somewhere else than the library's stores do. The guide
/// `Docs/Guides/WritingAStore.md` shows how; `Examples/SQLiteStore` keeps bytes in a database. All calls are
/// synchronous and must not wait, because they are on the path of every read. If bytes take time to load, return a
/// ``DeferredPiece``.
///
/// **What the caller guarantees.** Tokens come from this store's ``sources``. Ranges are not empty and lie within the
/// token's source. Inserted bytes were read from exactly that version. Each reservation is used or cancelled exactly
/// once.
///
/// **What you must do.** Return only bytes that were inserted under the same token. Refuse invalid tickets, and check
/// them under the lock of the place where the bytes go. Never exceed your limit, reservations included. Release memory
/// outside your locks. Be usable from any thread. `StoreConformance` of `RangeIOTesting` checks this.
public protocol ChunkStore: AnyObject, Sendable, CustomStringConvertible {
  /// The sources that this store knows. Combined stores share one.
  var sources: ChunkSources { get }

  /// The facts about this store that never change. By default ``StoreTraits/init()``.
  var traits: StoreTraits { get }

  /// Returns what the store holds of `range`.
  func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup

  /// Makes room for `range` before it is fetched, for all of it or none.
  ///
  /// - Parameters:
  ///   - range: the bytes to be fetched.
  ///   - run: the number of bytes of the whole request that `range` is part of. If the request is too large, every part
  ///     of it is refused.
  ///   - token: the version of the source.
  /// - Returns: `nil` if the range should not be kept: it is too large, or no room can be made now.
  func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation?

  /// Keeps the bytes of `range`, for which room was reserved. The store may keep all of them or only some.
  ///
  /// - Parameters:
  ///   - bytes: as many as `range` has. Usually a rope with one piece for each block. A piece is kept without a copy if
  ///     nothing else uses its memory.
  ///   - range: the bytes that were fetched.
  ///   - ticket: says which version of the source they are of.
  ///   - reservation: the room that was made for them.
  /// - Returns: `false` if the bytes were refused, since they were removed while they were being fetched.
  @discardableResult
  func insert(_ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation) -> Bool

  /// Cancels a reservation that is not needed.
  func cancel(_ reservation: ChunkReservation)

  /// Erases the token's chunks that hold bytes of `range`. They cannot be found afterwards.
  func erase(_ range: ByteRange, of token: ChunkToken)

  /// Erases chunks that ``sources`` does not know, such as chunks of an earlier process. A removal calls
  /// ``erase(_:of:)`` for each token first, then this. Implement it if the store outlives the process. By default does
  /// nothing.
  ///
  /// - Parameter id: whose chunks, in all versions. `nil`: those of all sources.
  func erase(source id: String?)

  /// Returns what the store holds and has done, one ``Counters`` for each of its tiers. By default none.
  func statistics() -> [Counters]

  /// Writes what is still to be written and ends what needs an end: files, connections. Call it once, when the readers are
  /// closed. By default does nothing.
  ///
  /// - Parameter deadline: how long that may take.
  /// - Throws: the first error of what could not be written. The store is closed all the same.
  func close(within deadline: Duration) async throws
}

/// Facts about a store that never change.
public struct StoreTraits: Sendable {
  /// `true` if an earlier process may have left chunks here, as in a database.
  public var mayOutliveProcess = false
  /// The store keeps parts of blocks, not only whole blocks.
  package var keepsPartsOfBlocks = false
  /// The encoding in which demoted chunks may come: they are kept like that.
  package var takesEncodedBy: ChunkEncoding?
  /// The clock for the age of chunks.
  package var time = ReadClock.continuous
  /// Where it works in the background.
  package var background = BackgroundWork()

  /// Those of a store that ends with the process.
  public init() {}
}

/// The result of looking up a range in a store. No case will be added.
public enum ChunkLookup: Sendable {
  /// All of the range.
  case hit(Bytes)
  /// Some of the range: pieces, pieces that must be loaded first, and gaps. Each list is in order; together they make
  /// up the range.
  case partial(pieces: [RangedBytes], deferred: [DeferredPiece] = [], gaps: [ByteRange])
  /// Nothing of the range.
  case miss
}

/// Room reserved for bytes that are being fetched.
public struct ChunkReservation: Sendable {
  /// The number of bytes already charged.
  public let byteCount: Int
  /// The number of blocks already counted.
  package let blockCount: Int
  /// The token whose share the room is taken from.
  package let token: ChunkToken?
  /// What comes is not evicted while this lasts; `nil` for what is not read ahead.
  package var hold: ReadAheadHold?

  /// Creates a reservation. The store that calls this has charged the bytes.
  public init(byteCount: Int) { self.init(byteCount: byteCount, blockCount: 0, token: nil) }

  package init(byteCount: Int, blockCount: Int, token: ChunkToken?) {
    self.byteCount = byteCount
    self.blockCount = blockCount
    self.token = token
  }
}
