/// Keeps pieces of sources in memory, on disk, or in a chain of both.
///
/// The protocol is small so that two stores can be combined into one. All calls are synchronous and must not wait,
/// because they are on the path of every read.
///
/// **What the caller guarantees.** Tokens come from this store's ``sources``. Ranges are not empty and lie within the
/// token's source. Inserted bytes were read from exactly that version. Each reservation is used or cancelled exactly
/// once.
///
/// **What you must do.** Return only bytes that were inserted under the same token. Refuse invalid tickets, and check
/// them under the lock of the place where the bytes go. Never exceed your limit, reservations included. Release memory
/// outside your locks. Be usable from any thread.
public protocol ChunkStore: AnyObject, Sendable {
  /// The sources that this store knows. Combined stores share one.
  var sources: ChunkSources { get }

  /// Whether the store keeps parts of blocks, not only whole blocks. A cache uses this to choose what to fetch. By
  /// default `false`.
  var keepsPartsOfBlocks: Bool { get }

  /// Returns the bytes of `range` if all of them are in memory and in one block. Most hits take this path.
  ///
  /// `nil` does not mean a miss: ``lookUp(_:token:grid:)`` is called next, and updates the counters.
  ///
  /// - Complexity: allocates nothing.
  func hit(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bytes?

  /// Returns what the store holds of `range` under the token with this number, on `grid`.
  func lookUp(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> ChunkLookup

  /// Makes room for `range` before it is fetched, for all of it or none.
  ///
  /// - Parameter run: the number of bytes of the whole request that `range` is part of. If the request is too large,
  ///   every part of it is refused.
  /// - Returns: the reservation and what was evicted. No reservation if the range should not be kept: it is too large,
  ///   the policy or the source's share refuses it, or no room can be made now.
  func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkRoom

  /// Keeps the bytes of `range`, for which room was reserved. The store may keep all of them or only some.
  ///
  /// - Parameter bytes: as many as `range` has. Usually a rope with one piece for each block. A piece is kept without a
  ///   copy if nothing else uses its memory.
  /// - Returns: whether the bytes were published, and what was evicted.
  func insert(_ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation) -> ChunkInsertion

  /// Cancels a reservation that is not needed.
  func cancel(_ reservation: ChunkReservation)

  /// Waits for a turn to read without a reservation. This also bounds the memory that such reads use together.
  nonisolated(nonsending) func enterUnreserved() async throws

  /// Ends the turn.
  func leaveUnreserved()

  /// The current time, for the age of chunks.
  var now: ReadInstant { get }

  /// Erases the token's chunks that hold bytes of `range`. They cannot be found afterwards.
  ///
  /// Does not raise the generation: the caller has already done so, or does not need to.
  func erase(_ range: ByteRange, of token: ChunkToken)

  /// Erases all chunks of a retired token. By default calls ``erase(_:of:)`` for the whole source.
  func eraseRetired(_ token: ChunkToken)

  /// Erases all versions of the source with this id. A store that outlives the process may hold chunks that ``sources``
  /// does not know. By default calls ``erase(_:of:)`` for each token.
  func erase(source id: String)

  /// Erases everything, in the same way as ``erase(source:)``. By default calls ``erase(_:of:)`` for all tokens.
  func eraseAll()

  /// Tells where the bytes of `range` would come from if they were looked up now, for `RangeReader.explain(_:)`.
  ///
  /// Returns parts in order that together make up `range`. A part that is not here has the origin
  /// ``ReadExplanation/Origin/source`` and the reason. Does not count as a read. By default asks
  /// ``holds(_:token:grid:)`` block by block.
  func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part]

  // MARK: as one of several tiers, see `TieredChunkStore`

  /// Whether the store holds all of `range`. Does not count as a read.
  func holds(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool

  /// Whether the store holds some of `range`. Does not count as a read.
  func holdsSome(of range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool

  /// Keeps a chunk that the tier above has evicted, or drops it. Called in the background, so there is time to
  /// compress.
  ///
  /// By default calls ``reserve(_:ofRun:for:)`` and ``insert(_:at:ticket:reservation:)`` for each piece.
  func insertDemoted(_ chunk: Chunk) -> ChunkInsertion

  /// The tier above now holds `range`. By default erases the chunks here that hold bytes of it. A tier that holds
  /// copies, such as one on disk, does nothing.
  func erasePromoted(_ range: ByteRange, of token: ChunkToken)

  /// Copies of the resident chunks, a few with each step, for a lower tier that outlives the process. Chunks that are
  /// added or removed during the iteration may or may not be included.
  ///
  /// By default empty.
  func residents() -> AnyIterator<[Chunk]>

  /// Sends chunks evicted to make room to `outlet` from now on, in addition to what calls return: the chunks evicted
  /// while no call is running. Called once, before the store is used. By default does nothing.
  func sendEvictions(to outlet: any EvictionSink)
}

/// Receives the chunks that a tier evicts.
public protocol EvictionSink: AnyObject, Sendable {
  /// Takes chunks, or drops them.
  ///
  /// Must be quick, must not wait and must not call a store: it may be called under the lock of the place that the
  /// chunks leave, so that a look-up always finds them in one place or the other.
  func take(_ chunks: ArraySlice<Chunk>)

  /// Called after ``take(_:)``, outside of locks. Continues with the chunks that were taken.
  func proceed()
}

/// A reference to an outlet that can be published atomically.
final class EvictionSinkBox: Sendable {
  let outlet: any EvictionSink

  init(_ outlet: any EvictionSink) { self.outlet = outlet }
}

/// The result of looking up a range in a store.
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
  public let blockCount: Int
  /// The token whose share the room is taken from.
  public let token: ChunkToken

  /// Creates a reservation for bytes of `token`. The store that calls this has charged and counted the room.
  public init(byteCount: Int, blockCount: Int, token: ChunkToken) {
    self.byteCount = byteCount
    self.blockCount = blockCount
    self.token = token
  }
}

/// The result of reserving room.
public struct ChunkRoom: Sendable {
  /// The reservation; `nil` for bytes that should not be kept.
  public var reservation: ChunkReservation?
  /// Chunks evicted to make room. Offer them to the tier below, or drop them.
  public var evicted: [Chunk]

  /// Creates a result.
  public init(reservation: ChunkReservation?, evicted: [Chunk] = []) {
    self.reservation = reservation
    self.evicted = evicted
  }
}

/// The result of an insertion.
public struct ChunkInsertion: Sendable {
  /// Whether the bytes are kept. `false` if they were removed while they were being fetched.
  public var isPublished: Bool
  /// Chunks evicted to make room. Offer them to the tier below, or drop them.
  public var evicted: [Chunk]

  /// Creates a result.
  public init(isPublished: Bool, evicted: [Chunk] = []) {
    self.isPublished = isPublished
    self.evicted = evicted
  }
}
