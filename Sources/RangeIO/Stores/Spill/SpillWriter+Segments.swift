import SystemPackage

/// The segment that is being filled.
struct OpenSegment {
  let segment: SpillSegment
  let place: UInt32
  /// Up to where it is written.
  var position = SpillFormat.headerCount
  var footer = SpillFooter()
  /// The number of each source within it.
  var locals: [Int: UInt32] = [:]
  /// Of the footer as it is now, with the headers of it and of what follows.
  var closingCount = emptyClosingCount
  static let emptyClosingCount = SpillFormat.recordHeaderCount + 32 + SpillFormat.trailerCount
}

/// What becomes found once it is written.
enum PendingRecord {
  case chunk(key: UInt64, number: UInt64, slot: Int, ticket: ChunkTicket, SpillTable.Record)
  /// Copied on from another place.
  case copy(slot: Int, block: Int, from: SpillTable.Record, SpillTable.Record)
  case tombstone(slot: Int, blocks: Range<UInt64>, bound: UInt64)
  case source(slot: Int, local: UInt32)
}

extension SpillWriter {
  // MARK: records

  /// Appends a chunk, encoded.
  func append(_ key: UInt64, _ entry: SpillStaging.Entry, _ store: SpillStore) throws(Trouble) {
    let now = store.now
    guard entry.chunk.ticket.isValid, !store.state.withLock({ $0.isExpired(entry.chunk, now: now) }) else {
      drop(key, entry, store)
      return
    }
    let bytes = entry.chunk.piece.bytes
    try makeRoom(payload: bytes.count, of: entry.slot, store)
    // Making room forgets sources that nobody needs any more; who is removed meanwhile may be one of them.
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
    // An eighth less, or it is not worth decoding.
    let most = bytes.count / 8 * 7
    let encoded = bytes.withUnsafeBytes { source -> Int? in
      guard configuration.codec.id != 0, most > 0 else { return nil }
      let count = configuration.codec.encode(source, into: payload.part(0, most))
      // Whoever wrote the codec, nothing beyond its buffers is believed.
      return count.flatMap { (1...most).contains($0) ? $0 : nil }
    }
    if encoded == nil { bytes.copyBytes(to: payload) }
    let stored = encoded ?? bytes.count
    record.codec = encoded == nil ? 0 : configuration.codec.id
    record.block = UInt64(entry.chunk.block)
    record.birth = store.wallTime(of: entry.chunk.birth)
    record.count = UInt32(bytes.count)
    record.stored = UInt32(stored)
    record.payloadCheck = CRC32C.of(UnsafeRawBufferPointer(payload.part(0, stored)))
    let place = finish(record, target)
    pending.append(
      .chunk(key: key, number: entry.number, slot: entry.slot, ticket: entry.chunk.ticket, place))
  }

  /// Payloads from so many bytes on are not copied to be written, if they are not encoded.
  private static let smallestGathered = 16 << 10

  /// Appends a chunk that is written from where it lies.
  private func gather(
    _ key: UInt64, _ entry: SpillStaging.Entry, _ local: UInt32, _ store: SpillStore
  ) throws(Trouble) {
    let bytes = entry.chunk.piece.bytes
    let padding = SpillFormat.padded(bytes.count) - bytes.count
    let target = try space(SpillFormat.recordHeaderCount + padding, store)
    var record = newRecord(.chunk, entry.slot, local, store)
    record.block = UInt64(entry.chunk.block)
    record.birth = store.wallTime(of: entry.chunk.birth)
    record.count = UInt32(bytes.count)
    record.stored = UInt32(bytes.count)
    record.payloadCheck = bytes.withUnsafeBytes { CRC32C.of($0) }
    let place = finish(record, target, gathering: bytes)
    pending.append(
      .chunk(key: key, number: entry.number, slot: entry.slot, ticket: entry.chunk.ticket, place))
  }

  /// Appends a copy of a record that lies elsewhere, if there is room left for it here.
  ///
  /// - Parameters:
  ///   - old: where it lies.
  ///   - payload: which was checked.
  /// - Returns: whether there was.
  func append(
    copyOf old: SpillTable.Record, _ header: SpillRecord, _ payload: UnsafeRawBufferPointer, _ store: SpillStore
  ) throws(Trouble) -> Bool {
    guard hasRoom(payload: payload.count, of: old.source, beside: reserved, store) else { return false }
    let local = try declare(old.source, store)
    let target = try space(SpillFormat.recordCount(payload: payload.count), store)
    target.part(SpillFormat.recordHeaderCount, payload.count).copyMemory(from: payload)
    var record = newRecord(.chunk, old.source, local, store)
    (record.codec, record.block, record.birth) = (header.codec, header.block, header.birth)
    (record.count, record.stored, record.payloadCheck) = (header.count, header.stored, header.payloadCheck)
    let place = finish(record, target)
    pending.append(.copy(slot: old.source, block: old.block, from: old, place))
    return true
  }

  func append(_ removal: SpillStaging.Removal, _ store: SpillStore) throws(Trouble) {
    // Below the sequence that it gets itself.
    try appendTombstone(removal.slot, removal.blocks, bound: nil, store)
  }

  /// Appends a tombstone.
  ///
  /// - Parameter bound: below which it applies; `nil` for its own sequence.
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

  /// The number of a source in the open segment, which is told of it if need be.
  private func declare(_ slot: Int, _ store: SpillStore) throws(Trouble) -> UInt32 {
    if let known = open!.locals[slot] { return known }
    let identity = store.state.withLock { $0.sources[slot].identity }
    let local = UInt32(open!.locals.count)
    let target = try space(SpillFormat.recordCount(payload: identity.bytes.count), store)
    let payload = target.part(SpillFormat.recordHeaderCount, identity.bytes.count)
    payload.copyBytes(from: identity.bytes)
    var record = newRecord(.source, slot, local, store)
    record.stored = UInt32(identity.bytes.count)
    record.payloadCheck = record.identityCheck
    _ = finish(record, target)
    open!.locals[slot] = local
    open!.footer.identities.append(identity)
    open!.closingCount += 8 + SpillFormat.padded(identity.bytes.count)
    pending.append(.source(slot: slot, local: local))
    return local
  }

  private func newRecord(_ kind: SpillRecord.Kind, _ slot: Int, _ local: UInt32, _ store: SpillStore) -> SpillRecord {
    var record = SpillRecord(kind)
    lastSequence += 1
    record.sequence = lastSequence
    record.source = local
    let number = open!.segment.number
    record.identityCheck = store.state.withLock { state in
      // Before it is written: what is torn by a failure may be found again by a scan, and must not outlive a removal.
      state.sources[slot].newestSegment = max(state.sources[slot].newestSegment, number)
      return state.sources[slot].check
    }
    record.birth = configuration.wallClock()
    return record
  }

  /// Completes a record that begins at `target`.
  ///
  /// - Parameter payload: what is not in the buffer.
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
          block: record.block, birth: record.birth, offset: offset, stored: record.stored, source: record.source,
          lower: 0, count: record.count, sequence: record.sequence))
      open!.closingCount += SpillFooter.growth
    }
    return SpillTable.Record(segment: open!.place, offset: offset, stored: record.stored, birth: record.birth)
  }

  // MARK: the buffer

  /// The next `count` bytes of the buffer, after what is in it was written if there is no room.
  private func space(_ count: Int, _ store: SpillStore) throws(Trouble) -> UnsafeMutableRawBufferPointer {
    if let buffer, buffer.capacity - filled >= count { return buffer.memory.part(filled, count) }
    try flush(store)
    if let buffer, buffer.capacity >= count { return buffer.memory.part(0, count) }
    buffer = nil
    guard let fresh = try? BufferPool.shared.buffer(max(count, Self.batchBytes + (256 << 10))) else {
      throw .failed(.noMemory)
    }
    buffer = fresh
    return fresh.memory.part(0, count)
  }

  /// Writes what is in the buffer, and lets it be found.
  func flush(_ store: SpillStore) throws(Trouble) {
    guard filled > 0, let buffer, let open else { return }
    let written = filled + gatheredBytes
    do throws(Errno) {
      goOn(store)
      try withExtendedLifetime(gathered) { () throws(Errno) in
        try open.segment.file.write(parts(of: buffer), at: open.position)
      }
    } catch {
      throw .failed(error)
    }
    if configuration.durability != .none { open.segment.file.beginWriting(written, at: open.position) }
    self.open!.position += written
    unsyncedBytes += written
    emptyBuffer()
    publish(written, open.place, store)
  }

  /// What is in the buffer, and between it what is not.
  private func parts(of buffer: WritableBytes) -> [UnsafeRawBufferPointer] {
    var parts: [UnsafeRawBufferPointer] = []
    var start = 0
    for (after, bytes) in gathered {
      parts.append(buffer.filled(filled).part(start, after - start))
      // Leaves the closure: the memory of bytes stays where it is for as long as they live, which the caller sees to.
      bytes.withUnsafeBytes { parts.append($0) }
      start = after
    }
    if start < filled { parts.append(buffer.filled(filled).part(start, filled - start)) }
    return parts
  }

  /// Forgets what was written, or cannot be.
  func emptyBuffer() {
    filled = 0
    gathered = []
    gatheredBytes = 0
  }

  private func publish(_ written: Int, _ place: UInt32, _ store: SpillStore) {
    let all = pending
    pending = []
    let done = store.state.withLock { state -> [SpillStaging.Entry] in
      var done: [SpillStaging.Entry] = []
      state.counts.fileBytes += written
      for one in all {
        switch one {
        case .source(let slot, let local):
          // The slot means this source for as long as the segment is there.
          state.places[Int(place)]!.locals[slot] = local
        case .tombstone(let slot, let blocks, let bound):
          state.places[Int(place)]!.tombstones.append((slot, blocks, bound))
          state.counts.tombstones += 1
        case .copy(let slot, let block, let old, let new):
          let found = state.table.find(source: slot, block: block)
          guard found != 0, state.table[found].segment == old.segment, state.table[found].offset == old.offset else {
            continue
          }
          var new = new
          new.hits = max(0, state.table[found].hits - 1)
          state.set(slot, block, new)
          state.counts.reinsertions += 1
          state.counts.reinsertedBytes += new.span
        case .chunk(let key, let number, let slot, let ticket, let new):
          // Unless it was removed meanwhile, and counted.
          guard let entry = state.unstage(key, number) else { continue }
          done.append(entry)
          guard ticket.isValid else {
            state.counts.stale += 1
            continue
          }
          state.counts.written += 1
          state.counts.writtenBytes += new.span
          state.set(slot, entry.chunk.block, new)
        }
      }
      return done
    }
    withExtendedLifetime(done) {}
  }

  /// A chunk is not wanted any more.
  private func drop(_ key: UInt64, _ entry: SpillStaging.Entry, _ store: SpillStore) {
    let dropped = store.state.withLock { state in
      let dropped = state.unstage(key, entry.number)
      if dropped != nil { state.counts.stale += 1 }
      return dropped
    }
    withExtendedLifetime(dropped) {}
  }

  // MARK: segments

  private func hasRoom(payload: Int, of slot: Int, beside reserved: Int = 0, _ store: SpillStore) -> Bool {
    guard let open else { return false }
    var needed = SpillFormat.recordCount(payload: payload) + SpillFooter.growth
    if open.locals[slot] == nil {
      let identity = SpillFormat.padded(store.state.withLock { $0.sources.entry(slot)?.identity.bytes.count ?? 0 })
      needed += SpillFormat.recordHeaderCount + identity + 8 + identity
    }
    return open.position + filled + gatheredBytes + needed + open.closingCount + reserved
      <= configuration.segmentBytes
  }

  /// Sees to it that a record with so large a payload fits into the open segment.
  private func makeRoom(payload: Int, of slot: Int, _ store: SpillStore) throws(Trouble) {
    if hasRoom(payload: payload, of: slot, store) { return }
    try seal(store)
    let identity = store.state.withLock { $0.sources[slot].identity.bytes.count }
    reserved =
      SpillFormat.recordCount(payload: payload) + SpillFooter.growth + SpillFormat.recordCount(payload: identity) + 8
      + SpillFormat.padded(identity)
    defer { reserved = 0 }
    try makeSegment(store)
    // What an empty segment has no room for was refused when it came. Removals that are copied on may have taken it.
    guard hasRoom(payload: payload, of: slot, store) else { throw .noRoom }
  }

  /// Ends the open segment with a footer.
  func seal(_ store: SpillStore) throws(Trouble) {
    guard open != nil else { return }
    try flush(store)
    guard let open else { return }
    let count = SpillFormat.recordHeaderCount + open.footer.byteCount + SpillFormat.trailerCount
    let length = open.position + count
    var memory = [UInt8](repeating: 0, count: count)
    memory.withUnsafeMutableBytes {
      SpillWriter.writeClosing(open.footer, sequence: lastSequence + 1, at: open.position, open.segment.check, to: $0)
    }
    lastSequence += 1
    do throws(Errno) {
      goOn(store)
      try open.segment.file.writeAll(memory, at: open.position)
      goOn(store)
      try open.segment.file.truncate(length)
      if configuration.durability != .none {
        takeTime(store)
        try open.segment.file.sync()
        goOn(store)
      }
    } catch {
      throw .failed(error)
    }
    open.segment.recharge(SpillLedger.rounded(length))
    store.state.withLock { state in
      state.counts.fileBytes += count
      state.places[Int(open.place)]!.isSealed = true
      state.places[Int(open.place)]!.length = length
    }
    self.open = nil
  }

  /// Writes a footer and the trailer behind it.
  ///
  /// - Parameter bytes: zeroed.
  static func writeClosing(
    _ footer: SpillFooter, sequence: UInt64, at position: Int, _ check: UInt32, to bytes: UnsafeMutableRawBufferPointer
  ) {
    let payload = bytes.part(SpillFormat.recordHeaderCount, footer.byteCount)
    footer.write(to: payload)
    var record = SpillRecord(.footer)
    record.block = UInt64(footer.entries.count)
    record.sequence = sequence
    record.stored = UInt32(payload.count)
    record.payloadCheck = CRC32C.of(UnsafeRawBufferPointer(payload))
    record.write(to: bytes.part(0, SpillFormat.recordHeaderCount), segmentCheck: check)
    SpillTrailer.write(
      footerAt: position, length: position + bytes.count, segmentCheck: check,
      to: bytes.part(bytes.count - SpillFormat.trailerCount, SpillFormat.trailerCount))
  }

  /// Gives the open segment up: what was written of it stays found, nothing is added.
  func abandon(_ store: SpillStore) {
    pending = []
    emptyBuffer()
    guard let open else { return }
    store.state.withLock { state in
      guard state.places.indices.contains(Int(open.place)), state.places[Int(open.place)] != nil else { return }
      state.places[Int(open.place)]!.isSealed = true
      // Some of what was to be written may be there: it is found at the next opening, unless tombstones say otherwise.
      for (slot, local) in open.locals { state.places[Int(open.place)]!.locals[slot] = local }
    }
    if configuration.durability != .none { unsyncedSegments.append(open.segment) }
    self.open = nil
  }

  /// Makes the next segment, and room for the one after it.
  private func makeSegment(_ store: SpillStore) throws(Trouble) {
    let size = configuration.segmentBytes
    try takeSpace(size, store)
    // Held until the segment is there, so that two processes do not take the same room.
    let turn = try shareSpace(size, store)
    defer { withExtendedLifetime(turn) {} }
    // To make room, tombstones may have been carried on to a new segment: that is the one, then.
    guard open == nil else {
      ledger.give(size)
      return
    }
    let (segment, place): (SpillSegment, UInt32)
    do throws(Errno) {
      (segment, place) = try createSegment(size, store)
    } catch {
      ledger.give(size)
      throw .failed(error)
    }
    open = OpenSegment(segment: segment, place: place)
    try tidy(store)
    guard dropsOldest else { return }
    // One segment's room is kept free, so that what is copied on has somewhere to go.
    while ledger.bytes > ledger.limit - size {
      guard try drainSegment(copying: true, store) else { break }
    }
  }

  /// Takes room for a segment within the limit and above the floor of the disk's free space.
  private func takeSpace(_ size: Int, _ store: SpillStore) throws(Trouble) {
    while !ledger.take(size) {
      store.state.withLock { $0.isFull = true }
      guard dropsOldest, try drainSegment(copying: false, store) else { throw .noRoom }
    }
    let before = ledger.bytes
    var missing: Int?
    while true {
      let free: Int
      do throws(Errno) { free = try directory.freeByteCount() } catch {
        ledger.give(size)
        throw .failed(error)
      }
      if free - size >= configuration.freeSpaceFloor.bytes { return }
      // No more goes than is missing: some file systems tell of freed space a while later.
      let most = missing ?? configuration.freeSpaceFloor.bytes + size - free
      missing = most
      var isDrained = false
      if dropsOldest, before - ledger.bytes < most {
        do throws(Trouble) { isDrained = try drainSegment(copying: false, store) } catch {
          ledger.give(size)
          throw error
        }
      }
      guard isDrained else {
        ledger.give(size)
        throw .noRoom
      }
    }
  }

  /// Waits for a turn to take room that is shared with other processes.
  private func shareSpace(_ size: Int, _ store: SpillStore) throws(Trouble) -> SpillQuota.Turn? {
    guard let quota else { return nil }
    while true {
      let turn: SpillQuota.Turn?
      do throws(Errno) {
        turn = try quota.enter(size)
      } catch {
        ledger.give(size)
        throw .failed(error)
      }
      if let turn { return turn }
      var isDrained = false
      if dropsOldest {
        do throws(Trouble) { isDrained = try drainSegment(copying: false, store) } catch {
          ledger.give(size)
          throw error
        }
      }
      guard isDrained else {
        ledger.give(size)
        throw .noRoom
      }
    }
  }

  private func createSegment(_ size: Int, _ store: SpillStore) throws(Errno) -> (SpillSegment, UInt32) {
    var file: (any SpillFile)?
    while file == nil {
      lastSegment += 1
      goOn(store)
      do throws(Errno) {
        file = try directory.create(SpillFormat.segmentName(lastSegment))
      } catch .fileExists {
        // Somebody else's: left alone.
      }
    }
    let name = SpillFormat.segmentName(lastSegment)
    let header = SpillSegmentHeader(
      directoryID: root.directoryID, epoch: root.epoch, number: lastSegment, created: configuration.wallClock())
    var memory = [UInt8](repeating: 0, count: SpillFormat.headerCount)
    let check = memory.withUnsafeMutableBytes { header.write(to: $0) }
    do throws(Errno) {
      goOn(store)
      try file!.allocate(size)
      try file!.writeAll(memory, at: 0)
    } catch {
      try? directory.remove(name)
      throw error
    }
    hasUnsyncedNames = true
    let segment = SpillSegment(number: lastSegment, file: file!, check: check, charge: size, ledger: ledger)
    let place = store.state.withLock { state in
      state.counts.segmentsMade += 1
      state.counts.fileBytes += memory.count
      state.lastRank += 1
      return state.add(.init(segment: segment, rank: state.lastRank, length: size))
    }
    return (segment, place)
  }
}

extension SpillFile {
  /// Writes an array.
  func writeAll(_ bytes: [UInt8], at offset: Int) throws(Errno) {
    let result = bytes.withUnsafeBytes { buffer -> Result<Void, Errno> in
      Result { () throws(Errno) in try write([buffer], at: offset) }
    }
    try result.get()
  }
}

extension SpillStore {
  /// An instant of the tiers' clock by the wall clock, in nanoseconds since 1970.
  func wallTime(of instant: ReadInstant) -> Int64 {
    configuration.wallClock() - max(0, now.nanoseconds - instant.nanoseconds)
  }
}
