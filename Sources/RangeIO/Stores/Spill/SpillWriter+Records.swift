import SystemPackage

/// Appends records to what is to be written.
extension SpillWriter {
  /// Appends a chunk, encoded.
  func append(_ key: UInt64, _ entry: SpillStaging.Entry, _ store: SpillStore) throws(Trouble) {
    let now = store.now
    guard entry.chunk.ticket.isValid, !store.state.withLock({ $0.isExpired(entry.chunk, now: now) }) else {
      drop(key, entry, store)
      return
    }
    let bytes = entry.chunk.piece.bytes
    try makeRoom(payload: bytes.count, of: entry.slot, store)
    // Making room forgets sources that are not needed. If a source is removed at the same time, it may be one of them.
    guard entry.chunk.ticket.isValid else {
      drop(key, entry, store)
      return
    }
    let local = try declare(entry.slot, store)
    if configuration.codec.id == 0, bytes.count >= Self.smallestGathered, bytes.isContiguous {
      try gather(key, entry, local, store)
      return
    }
    let target = try space(SpillFormat.recordHeaderCount + SpillFormat.padded(bytes.count), store)
    let payload = target.part(SpillFormat.recordHeaderCount, bytes.count)
    var record = newRecord(.chunk, entry.slot, local, store)
    // It must shrink by an eighth to be worth decoding.
    let most = bytes.count / 8 * 7
    let encoded = bytes.withUnsafeBytes { source -> Int? in
      guard configuration.codec.id != 0, most > 0 else { return nil }
      let count = configuration.codec.encode(source, into: payload.part(0, most))
      // The codec may be a custom one: never trust more than its buffers.
      return count.flatMap { (1...most).contains($0) ? $0 : nil }
    }
    if encoded == nil { bytes.copyBytes(to: payload) }
    let stored = encoded ?? bytes.count
    record.codec = encoded == nil ? 0 : configuration.codec.id
    record.block = UInt64(entry.chunk.block)
    record.fetchedAt = store.wallTime(of: entry.chunk.fetchedAt)
    record.count = UInt32(bytes.count)
    record.stored = UInt32(stored)
    record.payloadCheck = CRC32C.of(UnsafeRawBufferPointer(payload.part(0, stored)))
    let place = finish(record, target)
    pending.append(
      .chunk(key: key, number: entry.number, slot: entry.slot, ticket: entry.chunk.ticket, place))
  }

  /// Payloads of at least this size are written without copying them first, if they are not encoded.
  private static let smallestGathered = 16 << 10

  /// Appends a chunk that is written directly from its memory.
  private func gather(
    _ key: UInt64, _ entry: SpillStaging.Entry, _ local: UInt32, _ store: SpillStore
  ) throws(Trouble) {
    let bytes = entry.chunk.piece.bytes
    let padding = SpillFormat.padded(bytes.count) - bytes.count
    let target = try space(SpillFormat.recordHeaderCount + padding, store)
    var record = newRecord(.chunk, entry.slot, local, store)
    record.block = UInt64(entry.chunk.block)
    record.fetchedAt = store.wallTime(of: entry.chunk.fetchedAt)
    record.count = UInt32(bytes.count)
    record.stored = UInt32(bytes.count)
    record.payloadCheck = bytes.withUnsafeBytes { CRC32C.of($0) }
    let place = finish(record, target, gathering: bytes)
    pending.append(
      .chunk(key: key, number: entry.number, slot: entry.slot, ticket: entry.chunk.ticket, place))
  }

  /// Appends a copy of another segment's record, if there is room for it here.
  ///
  /// - Parameters:
  ///   - old: where it is now.
  ///   - payload: its checked payload.
  /// - Returns: whether there was room.
  func append(
    copyOf old: SpillTable.Record, _ header: SpillRecord, _ payload: UnsafeRawBufferPointer, _ store: SpillStore
  ) throws(Trouble) -> Bool {
    guard hasRoom(payload: payload.count, of: old.source, beside: reserved, store) else { return false }
    let local = try declare(old.source, store)
    let target = try space(SpillFormat.recordCount(payload: payload.count), store)
    target.part(SpillFormat.recordHeaderCount, payload.count).copyMemory(from: payload)
    var record = newRecord(.chunk, old.source, local, store)
    (record.codec, record.block, record.fetchedAt) = (header.codec, header.block, header.fetchedAt)
    (record.count, record.stored, record.payloadCheck) = (header.count, header.stored, header.payloadCheck)
    let place = finish(record, target)
    pending.append(.copy(slot: old.source, block: old.block, from: old, place))
    return true
  }

  func append(_ removal: SpillStaging.Removal, _ store: SpillStore) throws(Trouble) {
    // It applies below its own sequence.
    try appendTombstone(removal.slot, removal.blocks, bound: nil, store)
  }

  /// Appends a tombstone.
  ///
  /// - Parameter bound: the sequence below which it applies; `nil` for its own sequence.
  func appendTombstone(
    _ slot: Int, _ blocks: Range<UInt64>, bound: UInt64?, _ store: SpillStore
  ) throws(Trouble) {
    try makeRoom(payload: SpillFormat.tombstoneCount, of: slot, store)
    let local = try declare(slot, store)
    let target = try space(SpillFormat.recordCount(payload: SpillFormat.tombstoneCount), store)
    var record = newRecord(.tombstone, slot, local, store)
    let tombstone = SpillTombstone(source: local, blocks: blocks, bound: bound ?? record.sequence)
    let payload = target.part(SpillFormat.recordHeaderCount, SpillFormat.tombstoneCount)
    tombstone.writePayload(to: payload)
    record.block = blocks.lowerBound
    record.stored = UInt32(SpillFormat.tombstoneCount)
    record.payloadCheck = CRC32C.of(UnsafeRawBufferPointer(payload))
    _ = finish(record, target)
    open!.footer.tombstones.append(tombstone)
    open!.closingCount += 32
    pending.append(.tombstone(slot: slot, blocks: blocks, bound: tombstone.bound))
  }

  /// The number of a source in the open segment. Writes a source record if necessary.
  private func declare(_ slot: Int, _ store: SpillStore) throws(Trouble) -> UInt32 {
    if let known = open!.locals[slot] { return known }
    let identity = store.state.withLock { $0.sources[slot].identity }
    let local = UInt32(open!.locals.count)
    let target = try space(SpillFormat.recordCount(payload: identity.bytes.count), store)
    let payload = target.part(SpillFormat.recordHeaderCount, identity.bytes.count)
    payload.copyBytes(from: identity.bytes)
    var record = newRecord(.source, slot, local, store)
    record.stored = UInt32(identity.bytes.count)
    record.payloadCheck = CRC32C.of(UnsafeRawBufferPointer(payload))
    _ = finish(record, target)
    open!.locals[slot] = local
    open!.footer.identities.append(identity)
    open!.closingCount += 8 + SpillFormat.padded(identity.bytes.count)
    pending.append(.source(slot: slot, local: local))
    return local
  }

  func newRecord(_ kind: SpillRecord.Kind, _ slot: Int, _ local: UInt32, _ store: SpillStore) -> SpillRecord {
    var record = SpillRecord(kind)
    lastSequence += 1
    record.sequence = lastSequence
    record.source = local
    let number = open!.segment.number
    record.identityCheck = store.state.withLock { state in
      // Set before writing: a scan may find records of a failed write again, and those must not outlive a removal.
      state.sources[slot].newestSegment = max(state.sources[slot].newestSegment, number)
      return state.sources[slot].check
    }
    record.fetchedAt = configuration.wallClock()
    return record
  }

  /// Completes a record that begins at `target`.
  ///
  /// - Parameter payload: the part that is not in the buffer.
  /// - Returns: where it will be found.
  private func finish(
    _ record: SpillRecord, _ target: UnsafeMutableRawBufferPointer, gathering payload: Bytes? = nil
  ) -> SpillTable.Record {
    record.write(to: target, segmentCheck: open!.segment.check)
    let stored = Int(record.stored)
    let end = SpillFormat.recordHeaderCount + (payload == nil ? stored : 0)
    let span = SpillFormat.recordCount(payload: stored) - (payload?.count ?? 0)
    for place in end..<span { target[place] = 0 }
    let offset = open!.position + filled + gatheredBytes
    if let payload {
      gathered.append((after: filled + SpillFormat.recordHeaderCount, bytes: payload))
      gatheredBytes += payload.count
    }
    filled += span
    if open!.footer.firstSequence == 0 { open!.footer.firstSequence = record.sequence }
    open!.footer.lastSequence = record.sequence
    if record.kind == .chunk {
      open!.footer.entries.append(
        .init(
          block: record.block, fetchedAt: record.fetchedAt, offset: offset, stored: record.stored,
          source: record.source,
          lower: 0, count: record.count, sequence: record.sequence))
      open!.closingCount += SpillFooter.growth
    }
    return SpillTable.Record(segment: open!.place, offset: offset, stored: record.stored, fetchedAt: record.fetchedAt)
  }
}

extension SpillStore {
  /// Converts an instant of the tiers' clock to the wall clock, in nanoseconds since 1970.
  func wallTime(of instant: ReadInstant) -> Int64 {
    configuration.wallClock() - max(0, now.nanoseconds - instant.nanoseconds)
  }
}
