import CRangeIOSystem
package import RangeIO
import Synchronization

/// Keeps pieces of sources in memory, compressed: the tier below a ``MemoryStore``.
///
/// ```swift
/// let store = TieredStore(memory: .mebibytes(256), compressed: .mebibytes(128))
/// ```
///
/// It holds about two or three times as much as it takes, if the data shrinks that far. A piece that does not shrink by
/// an eighth is not kept. A hit must decompress the whole chunk (about 27 µs for 64 KiB with LZ4), once for all reads
/// that want it at the same time. Use it if the source is slower than that.
///
/// **Room.** Compressed pieces are stored one after the other in segments. The oldest segment is freed as a whole;
/// pieces that were read since they came are first copied, up to a quarter of a segment. A segment with less than three
/// fifths of live data is freed earlier, and all of it is copied. Room for one segment is kept free for that. The
/// charge is what is really taken: whole segments, and 80 bytes for each piece. The limit is never exceeded.
///
/// **Use it below a memory store.** It also works alone, but then it compresses each block when it is inserted, and
/// decompresses at each hit.
package final class CompressedStore: FullChunkStore {
  /// The settings of a store.
  package struct Configuration: Sendable {
    /// The number of bytes that the store may take, bookkeeping included. Never exceeded.
    package var limit: ByteCount
    /// The codec that compresses. Default: LZ4.
    package var codec: any ChunkCodec = LZ4Codec()
    /// The time that pieces are kept after they were requested from the source. Default: for as long as there is room.
    package var ageLimit: Duration?
    /// The time that pieces are kept without being read. Default: for as long as there is room.
    package var idleLimit: Duration?
    /// Pieces of at most this size are decompressed on the reader's thread, which takes no longer than switching
    /// threads. Default: 128 KiB.
    package var inlineLimit = ByteCount.kibibytes(128)
    /// The number of shards, each with its own lock; a power of two. Default: the number of processors, but at most one
    /// for each 16 MiB.
    package var shards: Int?
    /// The clock for the age of pieces. Default: the continuous clock of the system.
    package var time = ReadClock.continuous
    /// Where expired pieces are swept. Default: Swift's own threads.
    package var background = BackgroundWork()

    package init(limit: ByteCount) { self.limit = limit }
  }

  final class Shard: Sendable {
    let state = Locked(CompressedShard())
    /// The bytes of its segments. Used to find the fullest shard without its lock.
    let segmentBytes = Atomic<Int>(0)
  }

  /// The sources that this store knows.
  package let sources: ChunkSources
  let configuration: Configuration
  let ledger: CompressedLedger
  let limitChanges: Locked<LimitChanges<Int>>
  let shards: [Shard]
  private let ownSink = PublishedOnce<EvictionSinkBox>()
  private let hasTimeLimits = Atomic<Bool>(false)
  private let limitsAreChanging = Locked(())
  private let expiryTimer = ExpiryTimer()
  let incompressible = Atomic<Int>(0)
  let dropped = Atomic<Int>(0)
  /// Permits to decompress large pieces.
  let decodePermits = Permits(4)

  package convenience init(limit: ByteCount) { self.init(Configuration(limit: limit), sources: ChunkSources()) }

  /// Creates an empty store that shares `sources` with other stores, to be combined with them.
  ///
  /// - Parameter budget: a budget that the bytes also count towards. Default: none.
  /// - Precondition: the number of shards is a power of two.
  package init(_ configuration: Configuration, sources: ChunkSources, budget: MemoryBudget? = nil) {
    precondition(configuration.shards.map { $0 > 0 && $0 & ($0 - 1) == 0 } ?? true, "shards are a power of two")
    self.configuration = configuration
    self.sources = sources
    ledger = CompressedLedger(limit: configuration.limit.bytes, budget: budget)
    limitChanges = Locked(LimitChanges(configuration.limit.bytes))
    let most = max(1, min(Int(rio_processor_count()), configuration.limit.bytes >> 24))
    let count = configuration.shards ?? 1 << (Int.bitWidth - 1 - most.leadingZeroBitCount)
    shards = (0..<count).map { _ in Shard() }
    limitTime(age: configuration.ageLimit, idle: configuration.idleLimit)
  }

  package var traits: StoreTraits {
    var traits = StoreTraits()
    traits.keepsPartsOfBlocks = true
    (traits.time, traits.background) = (configuration.time, configuration.background)
    return traits
  }

  var now: ReadClock.Instant { configuration.time.now }

  /// The current time in nanoseconds, or `.min` if nothing depends on it.
  var presentForLimits: Int64 { hasTimeLimits.load(ordering: .relaxed) ? now.nanoseconds : .min }

  var outlet: (any EvictionSink)? { ownSink.value?.outlet }

  /// Sends evicted pieces, decompressed, to `outlet`.
  package func sendEvictions(to outlet: any EvictionSink) { _ = ownSink.publish(EvictionSinkBox(outlet)) }

  func shard(of hash: UInt64) -> Shard { shards[Int(truncatingIfNeeded: hash >> 40) & (shards.count - 1)] }

  package func statistics() -> [Counters] { [counts().counters("compressed")] }

  /// Returns what the store holds and has done.
  ///
  /// - Complexity: O(number of shards).
  package func counts() -> CompressedCounts {
    var all = CompressedCounts()
    for shard in shards {
      let (counts, pieces, bytes) = shard.state.withLock {
        ($0.counts, $0.table.count, (segments: $0.segmentBytes, stored: $0.storedBytes, raw: $0.rawBytes))
      }
      all.add(counts)
      all.blocks += pieces
      all.segmentBytes += bytes.segments
      all.storedBytes += bytes.stored
      all.rawBytes += bytes.raw
    }
    all.limit = ledger.limit
    all.bytes = ledger.bytes
    all.peakBytes = ledger.peakBytes
    all.incompressible = incompressible.load(ordering: .relaxed)
    all.dropped = dropped.load(ordering: .relaxed)
    return all
  }

  @discardableResult package func change(_ order: StoreOrder) -> StoreOrder.Outcome {
    switch order {
    case .limitTime(let age, let idle): limitTime(age: age, idle: idle)
    case .expire: removeExpired()
    case .relieve(let pressure): if pressure != .normal { drop(to: pressure == .critical ? 0 : ledger.bytes / 2) }
    case .pin, .unpin, .keep: return .notHere
    }
    return .done
  }

  // MARK: time

  private func limitTime(age: Duration?, idle: Duration?) {
    limitsAreChanging.withLock { _ in
      let now = now.nanoseconds
      for shard in shards {
        shard.state.withLock {
          if $0.idleLimit == .max { $0.idleSince = now }
          $0.ageLimit = age?.nanoseconds ?? .max
          $0.idleLimit = idle?.nanoseconds ?? .max
        }
      }
      hasTimeLimits.store(age != nil || idle != nil, ordering: .relaxed)
      expiryTimer.restart(age: age, idle: idle, configuration.time, configuration.background) { [weak self] in
        guard let self else { return false }
        self.removeExpired()
        return true
      }
    }
  }
}

extension CompressedStore {
  /// Erases the pieces that hold bytes of `range`.
  package func erase(_ range: ByteRange, of token: ChunkToken) {
    guard !range.isEmpty, token.chargedBytesBelow.load(ordering: .sequentiallyConsistent) > 0 else { return }
    if token.grid.blocks(covering: range).count > 4096 {
      sweep { state, slot, _ in
        state.table[slot].token == token.number && state.table[slot].range(on: token.grid).overlaps(range)
      }
      return
    }
    for (block, part) in token.grid.pieces(of: range) {
      let hash = ChunkTable.hash(token: token.number, block: block)
      change(shard(of: hash)) { state in
        var count = 0
        for slot in state.slots(token.number, block, hash)
        where state.table[slot].range(on: token.grid).overlaps(part) {
          state.remove(slot)
          count += 1
        }
        return count
      }
    }
  }

  /// Removes the records for which `isMeant` returns true, with one lock for each 256 slots. `isMeant` receives the
  /// time of each step. Returns the number of records removed.
  @discardableResult private func sweep(where isMeant: (borrowing CompressedShard, UInt32, Int64) -> Bool) -> Int {
    var count = 0
    for shard in shards {
      var next: Int? = 1
      while let first = next {
        change(shard) { state in
          let now = presentForLimits
          let end = min(first + 256, state.table.slotsUsed)
          var removed = 0
          for slot in UInt32(first)..<UInt32(max(first, end))
          where state.table[slot].isUsed && isMeant(state, slot, now) {
            state.remove(slot)
            removed += 1
          }
          next = end < state.table.slotsUsed ? end : nil
          count += removed
          return removed
        }
      }
    }
    return count
  }

  /// Runs `body`, which returns the number of records it removed, and gives back what that frees.
  private func change(_ shard: Shard, _ body: (inout CompressedShard) -> Int) {
    let (count, empty) = shard.state.withLock { state -> (Int, [SegmentMemory]) in
      let count = body(&state)
      let empty = count > 0 ? state.takeEmptySegments() : []
      if !empty.isEmpty { shard.segmentBytes.store(state.segmentBytes, ordering: .relaxed) }
      return (count, empty)
    }
    ledger.give(count * RecordTable.charge)
    withExtendedLifetime(empty) {}
  }

  /// Removes pieces that are older, or have been idle for longer, than the limits allow.
  private func removeExpired() {
    guard presentForLimits != .min else { return }
    // Uses the time of each step: with an earlier time, newer pieces would seem to come from the future, and be
    // removed.
    let count = sweep { $2 != .min && $0.isExpired($1, $2) }
    shards[0].state.withLock { $0.counts.expirations += count }
  }

  /// Of everything, erases all records, and all segments but one for each shard.
  @discardableResult package func erase(_ scope: ChunkScope) -> ChunkRemoval {
    if case .everything = scope { sweep { _, _, _ in true } } else { eraseTokens(of: scope) }
    return ChunkRemoval()
  }
}
