package import RangeIO
import Synchronization

extension CompressedStore {
  /// The size of a segment. Small compared with the store, so that freeing one is a small step; large compared with
  /// pieces, so that little is wasted at its end.
  var segmentSize: Int {
    let share = max(1, ledger.limit / 32)
    return min(max(4096, 1 << (Int.bitWidth - 1 - share.leadingZeroBitCount)), 1 << 20)
  }

  /// Kept free, so that there is always a segment to copy to.
  var headroom: Int { SegmentMemory.footprint(of: segmentSize) }

  /// A place for this many encoded bytes. Makes room for it. Returns `nil` if there is none, and none can be made.
  func place(for stored: Int, in shard: Shard) -> CompressedShard.Place? {
    if let place = shard.state.withLock({ $0.allocate(stored, nil) }) { return place }
    let span = CompressedShard.span(stored)
    // A larger record has its own segment.
    guard let fresh = makeSegment(max(segmentSize, span)) else { return nil }
    return allocate(stored, fresh, in: shard)
  }

  private func allocate(_ stored: Int, _ fresh: SegmentMemory, in shard: Shard) -> CompressedShard.Place? {
    shard.state.withLock { state in
      let place = state.allocate(stored, fresh)
      shard.segmentBytes.store(state.segmentBytes, ordering: .relaxed)
      return place
    }
  }

  /// Memory for a segment. Frees other segments to make room.
  private func makeSegment(_ capacity: Int) -> SegmentMemory? {
    // A freed segment may still be read, and gives back nothing until then. So try a few times.
    for _ in 0..<8 {
      if let memory = takeSegment(capacity, headroom: headroom) { return memory }
      guard evictSegment() else { return nil }
    }
    return nil
  }

  private func takeSegment(_ capacity: Int, headroom: Int, asksRoom: Bool = true) -> SegmentMemory? {
    let footprint = SegmentMemory.footprint(of: capacity)
    guard ledger.take(footprint, headroom: headroom, asksRoom: asksRoom) else { return nil }
    guard let memory = SegmentMemory(capacity, chargedTo: ledger) else {
      ledger.give(footprint)
      return nil
    }
    return memory
  }

  /// Frees one segment of the fullest shard. Records that were read are copied into the room that is kept free. Returns
  /// whether there was one.
  func evictSegment() -> Bool {
    let filled = shards.map { ($0, bytes: $0.segmentBytes.load(ordering: .relaxed)) }
    return filled.sorted { $0.bytes > $1.bytes }.contains { evictSegment(of: $0.0, most: 0.25, handing: outlet) }
  }

  /// - Parameters:
  ///   - most: the share of the segment that may be copied because it was read.
  ///   - outlet: receives what is evicted.
  private func evictSegment(of shard: Shard, most: Double, handing outlet: (any EvictionSink)?) -> Bool {
    guard
      var draining = shard.state.withLock({ $0.beginDraining(collecting: outlet != nil, most: most) })
    else { return false }
    // Where nothing is copied that was read, it gives up memory itself, and must not be asked for more.
    for (slot, place) in draining.survivors
    where !copyOn(slot, place, draining.isCompaction, asksRoom: most > 0, in: shard) {
      shard.state.withLock { $0.giveUp(slot, place, collecting: outlet != nil, &draining) }
    }
    // Its memory is freed when the last user releases it: `draining`, or a read from it.
    let memory = shard.state.withLock { state in
      defer { shard.segmentBytes.store(state.segmentBytes, ordering: .relaxed) }
      return state.endDraining(draining.number)
    }
    ledger.give(draining.evictedCount * RecordTable.charge)
    draining.survivors = []
    if let outlet { hand(draining.evicted, to: outlet) }
    withExtendedLifetime(memory) {}
    return true
  }

  /// Copies a record to another segment.
  private func copyOn(
    _ slot: UInt32, _ old: CompressedShard.Place, _ isCompaction: Bool, asksRoom: Bool, in shard: Shard
  ) -> Bool {
    var place = shard.state.withLock { $0.allocate(old.stored, nil) }
    let size = max(segmentSize, CompressedShard.span(old.stored))
    if place == nil, let fresh = takeSegment(size, headroom: 0, asksRoom: asksRoom) {
      place = allocate(old.stored, fresh, in: shard)
    }
    guard let place else { return false }
    place.bytes.copyMemory(from: UnsafeRawBufferPointer(old.bytes))
    // If the record was removed in between, there is nothing left to do.
    _ = shard.state.withLock { $0.move(slot, from: old, to: place, isSecondChance: !isCompaction) }
    return true
  }

  /// Sends evicted records to the tier below: as they are if it stores them like that, else decompressed.
  private func hand(_ evicted: [EvictedRecord], to outlet: any EvictionSink) {
    let areTakenEncoded = outlet.takesEncodedBy != nil && outlet.takesEncodedBy == configuration.codec.encoding
    for record in evicted where record.ticket.isValid(for: record.range) {
      guard let chunk = chunk(record, mayBeEncoded: areTakenEncoded) else { continue }
      outlet.take([chunk])
      outlet.proceed()
    }
  }

  /// A chunk of a record; `nil` if it must be decoded and cannot be. Encoded ones are decoded on the thread of a reader that
  /// finds them on their way, so large ones are not.
  func chunk(_ record: EvictedRecord, mayBeEncoded: Bool) -> Chunk? {
    mayBeEncoded && record.range.count <= configuration.inlineLimit.bytes
      ? record.encodedChunk(by: configuration.codec) : decode(record).map(record.chunk)
  }

  // MARK: limits

  /// Changes the limit. The new limit applies at once; the call returns when the store holds no more than that.
  ///
  /// - Throws: `CancellationError`. The limit is then as it was before. What was evicted stays so.
  package func resize(to limit: ByteCount) async throws { try await changeLimit(to: limit, reach: reachLimit) }

  /// Changes the limit as ``resize(to:)`` does. `reach` returns when it is reached.
  func changeLimit(to limit: ByteCount, reach: () async throws -> Void) async throws {
    try await limitChanges.change { _ in
      limit.bytes
    } apply: { limit in
      ledger.limit = limit
    } reach: {
      try await reach()
    }
  }

  /// Evicts the oldest until the store holds no more than its limit, and waits for reads that keep evicted segments.
  ///
  /// - Throws: `CancellationError`.
  func reachLimit() async throws {
    let isTooMuch = { [ledger] in ledger.bytes > ledger.limit }
    try await ledger.wait(while: isTooMuch) { try await evict(while: isTooMuch) }
  }

  /// Evicts the oldest until the store holds at most `size`. The limit does not change.
  ///
  /// - Throws: `CancellationError`.
  package func trim(to size: ByteCount) async throws { try await evict { ledger.bytes > size.bytes } }

  private func evict(while isTooMuch: () -> Bool) async throws {
    var fruitless = 0
    while isTooMuch() {
      try Task.checkCancellation()
      // Pinned pieces are copied. When all segments were copied, only pinned pieces are left.
      guard fruitless <= segmentCount else { return }
      let before = segmentBytes
      defer { fruitless = segmentBytes < before ? 0 : fruitless + 1 }
      // If this frees nothing: what is still held is being read, and will be given back soon.
      _ = evictSegment()
      await Task.yield()
    }
  }

  private var segmentBytes: Int { shards.reduce(0) { $0 + $1.segmentBytes.load(ordering: .relaxed) } }

  private var segmentCount: Int { shards.reduce(0) { $0 + $1.state.withLock { $0.segments.count } } }

  /// Frees memory because the system is short of it, until at most this many bytes are held. Copies pinned pieces and
  /// nothing else, and sends nothing to a tier below.
  func drop(to bytes: Int) { _ = drop(ledger.bytes - bytes) }

  /// The same for this many bytes. Returns how many it has freed.
  func drop(_ bytes: Int) -> Int {
    let before = ledger.bytes
    for shard in shards {
      // Each segment once: copied records are in new ones.
      for _ in 0..<shard.state.withLock({ $0.segments.count }) where ledger.bytes > before - bytes {
        guard evictSegment(of: shard, most: 0, handing: nil) else { break }
      }
    }
    return max(0, before - ledger.bytes)
  }
}
