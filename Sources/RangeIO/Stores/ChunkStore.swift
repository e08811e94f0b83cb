/// Keeps pieces of sources: memory, disk, or a chain of both.
///
/// A narrow protocol, so that two stores compose into one. All of it is synchronous and must not wait: it is called on
/// the way of every read.
///
/// **What the caller guarantees.** Tokens come from this store's ``sources``. Ranges are not empty and lie within the
/// token's source. What is inserted was read from exactly that version. Each reservation is spent or given back once.
///
/// **What you must do.** Hand out only bytes that were inserted under the same token. Refuse, under the lock of the
/// place where the bytes go, tickets that are not valid. Never exceed your limit, reservations included. Release memory
/// outside your locks. Be usable from any thread.
public protocol ChunkStore: AnyObject, Sendable {
  /// The sources that this store knows. Stores that are composed share one.
  var sources: ChunkSources { get }

  /// Whether it keeps parts of blocks, and not whole blocks only: a cache chooses by it what to fetch.
  /// False by default.
  var keepsPartsOfBlocks: Bool { get }

  /// The bytes of `range`, if all of them are in memory and lie in one block: the way of most hits. `nil` says nothing:
  /// ``lookUp(_:token:grid:)`` comes next, which counts.
  ///
  /// - Complexity: allocates nothing.
  func hit(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bytes?

  /// What the store holds of `range` under the token numbered `token`, on `grid`.
  func lookUp(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> ChunkLookup

  /// Makes room for `range` before it is fetched, as a whole or not at all.
  ///
  /// - Parameter run: the bytes of the request that it is a part of: what is too large is refused as a whole, so every
  ///   part of it is.
  /// - Returns: no reservation if it is not to be kept: too large, refused by the policy or the source's share, or no
  ///   room can be made now. And what was evicted.
  func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkRoom

  /// Keeps the bytes of `range`, for which room was reserved: all of it, or as much as the store chooses to.
  ///
  /// - Parameter bytes: as many as `range` has; usually a rope of one piece for each block, which is taken without a
  ///   copy where nothing else has a claim to its memory.
  /// - Returns: whether they were published, and what was evicted.
  func insert(_ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation) -> ChunkInsertion

  /// Gives back a reservation that is not needed.
  func cancel(_ reservation: ChunkReservation)

  /// Waits for a turn to read what gets no reservation, so that even those reads hold bounded memory together.
  nonisolated(nonsending) func enterUnreserved() async throws

  /// Ends the turn.
  func leaveUnreserved()

  /// The present, for births.
  var now: ReadInstant { get }

  /// Erases the chunks of a token that hold bytes of `range`: nothing of it can be found afterwards.
  ///
  /// Raises no generation: the caller has done so, or need not.
  func erase(_ range: ByteRange, of token: ChunkToken)

  /// Erases all chunks of a token that was retired. By default all that ``erase(_:of:)`` erases.
  func eraseRetired(_ token: ChunkToken)

  /// Erases all that is here of the source called `id`, in all its versions: a store that outlives the process may hold
  /// some of which ``sources`` does not know. By default all that ``erase(_:of:)`` erases of the tokens.
  func erase(source id: String)

  /// Erases everything, as ``erase(source:)`` does. By default all that ``erase(_:of:)`` erases of all tokens.
  func eraseAll()

  /// Where the bytes of `range` would come from if they were looked up now, for `RangeReader.explain(_:)`: parts in
  /// order, together `range`; what is not here with ``ReadOrigin/source``, and why it is not here. Does not count as a
  /// read. By default block by block, as ``holds(_:token:grid:)`` says.
  func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part]

  // MARK: as one of several tiers, see `TieredChunkStore`

  /// Whether all of `range` is held. Does not count as a read.
  func holds(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool

  /// Whether some of `range` is held. Does not count as a read.
  func holdsSome(of range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool

  /// Keeps a chunk that the tier above has evicted, or drops it. Called in the background, so it may take the time
  /// that compressing takes.
  ///
  /// By default by ``reserve(_:ofRun:for:)`` and ``insert(_:at:ticket:reservation:)``, piece by piece.
  func insertDemoted(_ chunk: Chunk) -> ChunkInsertion

  /// The tier above holds `range` now. By default erases here what holds bytes of it. A tier that holds copies, such as one on a
  /// disk, does nothing.
  func erasePromoted(_ range: ByteRange, of token: ChunkToken)

  /// Copies of the chunks that are here, some with each step, for a tier below that outlives the process. What comes or
  /// goes meanwhile may be among them or not.
  ///
  /// None by default.
  func residents() -> AnyIterator<[Chunk]>

  /// From now on hands what is evicted for want of room to `outlet`, beyond what calls return: what is evicted while
  /// no call is under way. Called once, before the store is used. By default it does nothing.
  func sendEvictions(to outlet: any EvictionSink)
}

/// Takes the chunks that a tier evicts.
public protocol EvictionSink: AnyObject, Sendable {
  /// Takes chunks, or drops them. Quick, waits for nothing and calls no store, so that it may be called under a lock:
  /// that of the place that the chunks leave, so that they can be found either there or here.
  func take(_ chunks: ArraySlice<Chunk>)

  /// Called after ``take(_:)``, outside of locks: goes on with what was taken.
  func proceed()
}

/// A reference to an outlet that can be published.
final class EvictionSinkBox: Sendable {
  let outlet: any EvictionSink

  init(_ outlet: any EvictionSink) { self.outlet = outlet }
}

/// What a store holds of a range.
public enum ChunkLookup: Sendable {
  /// All of it.
  case hit(Bytes)
  /// Some of it: pieces, parts that take work to get, and gaps, each in order, together the range.
  case partial(pieces: [RangedBytes], deferred: [DeferredPiece] = [], gaps: [ByteRange])
  /// Nothing of it.
  case miss
}

/// Room that was made for bytes on their way.
public struct ChunkReservation: Sendable {
  /// Charged for already, in bytes.
  public let byteCount: Int
  /// Counted already, in blocks.
  public let blockCount: Int
  /// Whose share it is taken from.
  public let token: ChunkToken

  /// Room that the store which makes this has charged and counted, for bytes of `token`.
  public init(byteCount: Int, blockCount: Int, token: ChunkToken) {
    self.byteCount = byteCount
    self.blockCount = blockCount
    self.token = token
  }
}

/// What came of asking for room.
public struct ChunkRoom: Sendable {
  /// The room, or `nil` for bytes that are not to be kept.
  public var reservation: ChunkReservation?
  /// What had to go: to be offered to the tier below, or dropped.
  public var evicted: [Chunk]

  /// An outcome.
  public init(reservation: ChunkReservation?, evicted: [Chunk] = []) {
    self.reservation = reservation
    self.evicted = evicted
  }
}

/// What came of an insertion.
public struct ChunkInsertion: Sendable {
  /// Whether the bytes are kept. Not, if they were removed while they were on their way.
  public var isPublished: Bool
  /// What had to go to make room: to be offered to the tier below, or dropped.
  public var evicted: [Chunk]

  /// An outcome.
  public init(isPublished: Bool, evicted: [Chunk] = []) {
    self.isPublished = isPublished
    self.evicted = evicted
  }
}
