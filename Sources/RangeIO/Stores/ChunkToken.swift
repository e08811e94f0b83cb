package import Synchronization

/// A store's short name for one version of one source on one grid of blocks. Quick to compare, and never used again.
///
/// Tokens decide what may be kept. Bytes on their way into a store carry a ``ChunkTicket`` with the token's
/// *generation* at the time they were requested. A removal first raises the generation and then erases, so bytes still
/// in flight are refused when they arrive. In a store with several tiers, chunks may move while some tiers are erased
/// and others are not yet. Nothing is published while a removal runs, so these chunks are dropped.
public final class ChunkToken: Sendable {
  /// Unique within the store's ``ChunkSources``, from 1.
  public let number: UInt64
  /// The grid of blocks.
  public var grid: BlockGrid { flights.grid }
  /// The source with its version and size.
  public var source: SourceDescription { entry.source }

  /// The entry that all tokens of this version share, on all grids.
  package let entry: SourceEntry
  private let generationValue = Atomic<UInt64>(1 << 16)
  /// The removed ranges, and the generations of their removals. Made with the first removal.
  private final class Removals: Sendable {
    let ranges = Locked(RemovedRanges())
  }
  private let removals = PublishedOnce<Removals>()
  private var removed: Removals { removals.value ?? removals.publish(Removals()) }
  /// ``chargedBytes``, and in the lowest two bits how its source is paid for.
  private let account = Atomic<Int>(0)
  /// The bytes charged for its chunks in the tiers below, and on their way there.
  package let chargedBytesBelow = Atomic<Int>(0)
  /// The bytes that the memory store is charged for this token; `nil` if there is no store in memory.
  private let charges: SourceCharges?
  /// The decision if it pays to keep more of this version. Made when a cache first notes a read.
  var admission: TokenAdmission { notedAdmission.value ?? notedAdmission.publish(TokenAdmission()) }
  private let notedAdmission = PublishedOnce<TokenAdmission>()
  // Stores keep a token for each source: in this order, all fields fit 120 bytes, which the allocator gives without waste.
  let flights: FlightTable
  let readers = Atomic<Int32>(0)
  /// Its reads bypass the store.
  var isBypassing: Bool { notedAdmission.value?.isBypassing ?? false }

  /// The generation of a retired token. No ticket has it.
  private static let retired = UInt64.max

  init(number: UInt64, entry: SourceEntry, grid: BlockGrid, charges: SourceCharges?) {
    self.number = number
    self.entry = entry
    self.charges = charges
    flights = FlightTable(grid)
  }

  /// The bytes charged in the memory store for its chunks, including reservations.
  var chargedBytes: Int { account.load(ordering: .relaxed) >> 2 }

  /// The way in which the store is charged for the source itself. See ``pay(_:)``.
  var payment: SourceCharges.Payment { SourceCharges.Payment(rawValue: account.load(ordering: .relaxed) & 3)! }

  /// Charges bytes in the memory store; gives back if negative. With the last of them goes what was paid for the source.
  ///
  /// - Returns: the bytes charged for its chunks.
  @discardableResult func charge(_ bytes: Int) -> Int {
    let (before, now) = change { old in
      let now = old >> 2 + bytes
      return now == 0 ? 0 : now << 2 | old & 3
    }
    if before >> 2 != 0, now == 0 { charges?.ended(self, SourceCharges.Payment(rawValue: before & 3)!) }
    return now >> 2
  }

  /// Notes that the source is paid for, until ``charge(_:)`` gives back the last bytes. Call while some are charged.
  ///
  /// - Returns: false if another reservation has paid in between.
  func pay(_ payment: SourceCharges.Payment) -> Bool {
    change { $0 & 3 == 0 ? $0 | payment.rawValue : $0 }.before & 3 == 0
  }

  private func change(_ body: (Int) -> Int) -> (before: Int, now: Int) {
    var before = account.load(ordering: .relaxed)
    while true {
      let now = body(before)
      let (done, other) = account.compareExchange(expected: before, desired: now, ordering: .relaxed)
      if done { return (before, now) }
      before = other
    }
  }

  /// A reader has ended: without chunks, the token may be forgotten.
  func noteUnread() { charges?.noteIdle(self, isBounded: true) }

  /// The current generation. Every removal raises it.
  ///
  /// The lowest 16 bits count the removals that have started and not ended. Both the start and the end raise the whole
  /// number.
  package var generation: UInt64 { generationValue.load(ordering: .sequentiallyConsistent) }

  package var isAlive: Bool { generation != Self.retired }

  /// Makes the stores refuse bytes in flight, and bytes requested from now on, until ``endRemoval(of:)``. Every removal
  /// calls this first, and then erases.
  ///
  /// - Parameter range: what is removed, in whole blocks. Chunks of other blocks may go on moving from tier to tier.
  package func beginRemoval(of range: ByteRange = ChunkScope.wholeRange) {
    // Under the lock, so that a thread which sees the new generation also sees the range.
    removed.ranges.withLock { removed in
      _ = raise(by: 1 << 16 + 1)
      removed.begin(range)
    }
  }

  /// Ends what ``beginRemoval(of:)`` started, with the same range. All tiers are erased.
  package func endRemoval(of range: ByteRange = ChunkScope.wholeRange) {
    removed.ranges.withLock { $0.end(range, at: raise(by: 1 << 16 - 1)) }
  }

  /// Returns the new generation.
  private func raise(by step: UInt64) -> UInt64 {
    var generation = generation
    while generation != Self.retired {
      let (done, now) = generationValue.compareExchange(
        expected: generation, desired: generation + step, ordering: .sequentiallyConsistent)
      if done { return generation + step }
      generation = now
    }
    return generation
  }

  /// Checks whether some of `range` was removed since a generation, or is being removed.
  fileprivate func hasRemoved(_ range: ByteRange, since generation: UInt64) -> Bool {
    removals.value?.ranges.withLock { $0.overlaps(range, since: generation) } ?? false
  }

  /// Refuses bytes of this token for good.
  func retire() { generationValue.store(Self.retired, ordering: .sequentiallyConsistent) }

  /// Creates a ticket for bytes that are requested now, or that the store finds now.
  ///
  /// - Parameter fetchedAt: when the bytes were requested from the source. Default: now, by the system's clock.
  public func ticket(fetchedAt: ReadClock.Instant = ReadClock.continuous.now) -> ChunkTicket {
    ChunkTicket(token: self, generation: generation, fetchedAt: fetchedAt)
  }
}

/// Travels with bytes on their way into a store. It says what they belong to and whether the store may still keep them.
public struct ChunkTicket: Sendable {
  /// The version of the source.
  public let token: ChunkToken
  /// The token's generation when the bytes were requested.
  package let generation: UInt64
  /// When the bytes were requested from the source. Their age counts from here, in all tiers.
  public let fetchedAt: ReadClock.Instant

  /// `true` if the bytes may still be kept. Check this under the lock of the place where they go.
  public var isValid: Bool {
    // A retired token's generation matches no ticket, and no ticket is valid during a removal.
    generation != .max && generation & 0xFFFF == 0 && token.generation == generation
  }

  /// Checks whether bytes of `range` may still be kept: none of it was removed since they were requested, or found in a
  /// store. Call this under the lock of the place where they go.
  package func isValid(for range: ByteRange) -> Bool {
    isValid || generation != .max && token.isAlive && !token.hasRemoved(range, since: generation)
  }
}
