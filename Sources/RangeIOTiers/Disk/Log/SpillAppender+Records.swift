import RangeIO
import SystemPackage

/// Records: from chunks, copies and removals to bytes in the buffer, and from there to the file and the index.
extension SpillAppender {
  /// Payloads of at least this size are written without copying them first, if they need not be encoded.
  private static let minGatheredBytes = 16 << 10

  /// The payload of a chunk: bytes that the codec with this id has made of it, or is to make if they shrink.
  private typealias Payload = (bytes: Bytes, codec: UInt8, encoder: (any ChunkCodec)?)

  /// Appends a chunk, encoded if that makes it smaller. Returns `false` for a chunk that came encoded and cannot be decoded.
  mutating func append(_ key: UInt64, _ entry: SpillStaging.Entry) throws(SpillTrouble) -> Bool {
    guard let (bytes, codec, encoder) = payload(of: entry.chunk) else { return false }
    let local = try declare(entry.slot)
    // What was decoded for this is copied, so that it is not kept until the batch is written.
    let isHeld = !entry.chunk.isEncoded || codec != 0
    let isGathered =
      encoder == nil && isHeld && bytes.count >= Self.minGatheredBytes && bytes.isContiguous
      && open!.segment.cipher == nil
    let start = SpillFormat.recordHeaderCount
    let target = try space(core.recordCount(payload: bytes.count) - (isGathered ? bytes.count : 0))
    var record = newRecord(.chunk, entry.slot, local)
    record.codec = codec
    record.block = UInt64(entry.chunk.block)
    record.fetchedAt = core.wallTime(of: entry.chunk.fetchedAt)
    record.count = UInt32(entry.chunk.range.count)
    if isGathered {
      bytes.withUnsafeBytes { record.describe($0) }
    } else {
      let payload = target.part(start, bytes.count)
      var stored = bytes.count
      if let encoder, let count = encode(bytes, with: encoder, into: payload) {
        (record.codec, stored) = (encoder.id, count)
      } else {
        bytes.copyBytes(to: payload)
      }
      try fill(&record, target, stored, of: open!.footer.identities[Int(local)].unnamed)
    }
    var place = finish(record, target, gathering: isGathered ? bytes : nil)
    place.isOnTrial = entry.isOnTrial
    pending.append(.chunk(key: key, number: entry.number, slot: entry.slot, place))
    return true
  }

  /// Returns the payload of a chunk; `nil` if it cannot be decoded. What a tier above has found out is not done again.
  /// If the store chooses by itself, tries LZ4 on some of the chunks, to know what it takes.
  private mutating func payload(of chunk: Chunk) -> Payload? {
    let codec = core.configuration.codec
    let isTrial = isAutomatic && takesTrial()
    if !isTrial, form == .encoded, let encoded = chunk.encoded(by: codec) { return (encoded, codec.id, nil) }
    guard let bytes = chunk.pieces.first?.bytes else { return nil }
    guard codec.id != 0, isTrial || chunk.incompressibleBy == nil || chunk.incompressibleBy != codec.encoding else {
      return (bytes, 0, nil)
    }
    guard form == .plain else {
      triesDecoding = isTrial
      return (bytes, 0, codec)
    }
    triesDecoding = true
    if isTrial, let scratch = try? BufferPool.shared.buffer(bytes.count) {
      _ = encode(bytes, with: codec, into: scratch.memory)
    }
    return (bytes, 0, nil)
  }

  private mutating func takesTrial() -> Bool {
    chunksSinceTrial += 1
    guard chunksSinceTrial >= Self.chunksPerTrial else { return false }
    chunksSinceTrial = 0
    return true
  }

  /// Returns the encoded size; `nil` if the bytes do not shrink by an eighth, and so are not worth decoding.
  private mutating func encode(
    _ bytes: Bytes, with codec: any ChunkCodec, into payload: UnsafeMutableRawBufferPointer
  ) -> Int? {
    let most = bytes.count / 8 * 7
    guard codec.id != 0, most > 0 else { return nil }
    let begun = core.now
    let encoded = bytes.withUnsafeBytes { codec.encode($0, into: payload.part(0, most)) }
    // The codec may be a custom one: never trust more than its buffers.
    let count = encoded.flatMap { (1...most).contains($0) ? $0 : nil }
    guard isAutomatic else { return count }
    let ended = core.now
    measured.encoded(bytes: bytes.count, to: count ?? bytes.count, nanoseconds: ended.nanoseconds - begun.nanoseconds)
    guard triesDecoding, let count, let scratch = try? BufferPool.shared.buffer(bytes.count) else { return count }
    let whole = scratch.memory.part(0, bytes.count)
    if codec.decode(UnsafeRawBufferPointer(payload.part(0, count)), into: whole) {
      measured.decoded(bytes: bytes.count, nanoseconds: core.now.nanoseconds - ended.nanoseconds)
    }
    return count
  }

  /// One chunk of this many is tried.
  private static let chunksPerTrial = 128

  /// Appends a copy of the record at `old` in another segment, with its checked payload.
  mutating func append(
    copyOf old: SpillTable.Record, _ header: SpillRecord, _ payload: UnsafeRawBufferPointer
  ) throws(SpillTrouble) {
    let local = try declare(old.source)
    let target = try space(core.recordCount(payload: payload.count))
    target.part(SpillFormat.recordHeaderCount, payload.count).copyMemory(from: payload)
    var record = newRecord(.chunk, old.source, local, copying: header)
    try fill(&record, target, payload.count, of: open!.footer.identities[Int(local)].unnamed)
    let place = finish(record, target)
    unsynced.hasCopies = true
    pending.append(.copy(slot: old.source, block: old.block, from: old, place))
  }

  /// Appends a tombstone. It applies below the sequence `bound`; `nil` for its own sequence.
  mutating func appendTombstone(_ slot: Int, _ blocks: Range<UInt64>, bound: UInt64?) throws(SpillTrouble) {
    let local = try declare(slot)
    let target = try space(core.recordCount(payload: SpillFormat.tombstoneCount))
    var record = newRecord(.tombstone, slot, local)
    let tombstone = SpillTombstone(source: local, blocks: blocks, bound: bound ?? record.sequence)
    let payload = target.part(SpillFormat.recordHeaderCount, SpillFormat.tombstoneCount)
    tombstone.writePayload(to: payload)
    record.block = blocks.lowerBound
    try fill(&record, target, payload.count, of: open!.footer.identities[Int(local)].unnamed)
    _ = finish(record, target)
    open!.footer.tombstones.append(tombstone)
    open!.closingCount += SpillFooter.tombstoneCount
    pending.append(.tombstone((slot, blocks, tombstone.bound)))
  }

  /// The number of a source in the open segment. Writes a source record if necessary.
  private mutating func declare(_ slot: Int) throws(SpillTrouble) -> UInt32 {
    if let known = open!.locals[slot] { return known }
    let identity = core.state.withLock { $0.sources[slot].identity }
    let local = UInt32(open!.locals.count)
    let target = try space(core.recordCount(payload: identity.bytes.count))
    let payload = target.part(SpillFormat.recordHeaderCount, identity.bytes.count)
    payload.copyBytes(from: identity.bytes)
    var record = newRecord(.source, slot, local)
    try fill(&record, target, payload.count, of: [])
    _ = finish(record, target)
    open!.locals[slot] = local
    open!.footer.identities.append(identity)
    open!.closingCount += 8 + SpillFormat.padded(identity.bytes.count)
    pending.append(.source(slot: slot, local: local))
    return local
  }

  private mutating func newRecord(
    _ kind: SpillRecord.Kind, _ slot: Int, _ local: UInt32, copying old: SpillRecord? = nil
  ) -> SpillRecord {
    var record = old ?? SpillRecord(kind)
    lastSequence += 1
    record.sequence = lastSequence
    record.source = local
    let number = open!.segment.number
    record.identityCheck = core.state.withLock { state in
      // Set before writing: a scan may find records of a failed write again, and those must not outlive a removal.
      state.sources[slot].newestSegment = max(state.sources[slot].newestSegment, number)
      return state.sources[slot].check
    }
    if old == nil { record.fetchedAt = core.configuration.wallClock() }
    return record
  }

  /// Notes the payload, of so many bytes, of the record that is about to begin at `target`. Encrypts it where the segment is.
  ///
  /// - Parameter identity: what else its tag protects.
  private func fill(
    _ record: inout SpillRecord, _ target: UnsafeMutableRawBufferPointer, _ count: Int,
    of identity: @autoclosure () -> [UInt8]
  ) throws(SpillTrouble) {
    let start = SpillFormat.recordHeaderCount
    let plain = UnsafeRawBufferPointer(target.part(start, count))
    guard let cipher = open!.segment.cipher else { return record.describe(plain) }
    let payload = target.part(start, count + SpillCipher.tagCount)
    let offset = open!.position + buffer.count
    guard cipher.encrypt(&record, plain, at: offset, of: identity(), into: payload) else { throw .noKey }
  }

  /// Completes a record that begins at `target`, with a payload that is not in the buffer. Returns where it will be.
  private mutating func finish(
    _ record: SpillRecord, _ target: UnsafeMutableRawBufferPointer, gathering payload: Bytes? = nil
  ) -> SpillTable.Record {
    record.write(to: target, segmentCheck: open!.segment.check, masking: open!.segment.cipher)
    let stored = Int(record.stored)
    let end = SpillFormat.recordHeaderCount + (payload == nil ? stored : 0)
    let span = SpillFormat.recordCount(payload: stored) - (payload?.count ?? 0)
    for place in end..<span { target[place] = 0 }
    let offset = open!.position + buffer.count
    if let payload { buffer.gather(payload, after: buffer.filled + SpillFormat.recordHeaderCount) }
    buffer.add(span)
    if open!.footer.firstSequence == 0 { open!.footer.firstSequence = record.sequence }
    open!.footer.lastSequence = record.sequence
    if record.kind == .chunk {
      open!.footer.entries.append(.init(record, at: offset))
      open!.closingCount += SpillFooter.growth
    }
    return SpillTable.Record(segment: open!.place, offset: offset, stored: record.stored, fetchedAt: record.fetchedAt)
  }

  // MARK: writing

  /// The next bytes of the buffer. If there is no room, first writes what is in it.
  private mutating func space(_ count: Int) throws(SpillTrouble) -> UnsafeMutableRawBufferPointer {
    if let space = buffer.space(count) { return space }
    try flush()
    guard buffer.makeSpace(count), let space = buffer.space(count) else { throw .failed(.noMemory) }
    return space
  }

  /// Writes the buffer, and publishes its records.
  mutating func flush() throws(SpillTrouble) {
    guard buffer.filled > 0, let open else { return }
    let written = buffer.count
    let begun = core.now
    try calls.make { () throws(Errno) in
      try buffer.withParts { (parts) throws(Errno) in try open.file.write(parts, at: open.position) }
    }
    if core.configuration.syncsEvery != nil { open.file.beginWriting(written, at: open.position) }
    self.open!.position += written
    unsynced.bytes += written
    buffer.empty()
    let all = pending
    pending = []
    let nanoseconds = core.now.nanoseconds - begun.nanoseconds
    let done = core.state.withLock { state in
      if isAutomatic {
        state.codecChoice.coding.add(measured)
        state.codecChoice.wrote(bytes: written, nanoseconds: nanoseconds)
        core.hits.tellAll(&state)
        state.codecChoice.decide(state.use)
        form = state.codecChoice.chosen
      }
      return state.publish(all, count: written, in: open.place)
    }
    measured = .init()
    withExtendedLifetime(done) {}
  }
}

extension SpillState {
  /// Enters records that are written. Returns chunks that wait no longer. Release them outside of the lock.
  fileprivate mutating func publish(
    _ all: [SpillAppender.Pending], count written: Int, in place: UInt32
  ) -> [SpillStaging.Entry] {
    var done: [SpillStaging.Entry] = []
    counts.fileBytes += written
    for one in all {
      switch one {
      case .source(let slot, let local):
        // The slot means this source for as long as the segment exists.
        places[Int(place)]!.locals[slot] = local
      case .tombstone(let tombstone):
        places[Int(place)]!.tombstones.append(tombstone)
        counts.tombstones += 1
      case .copy(let slot, let block, let old, var new):
        let found = table.find(source: slot, block: block)
        guard found != 0, table[found].segment == old.segment, table[found].offset == old.offset else { continue }
        new.hits = max(0, table[found].hits - 1)
        new.isOnTrial = table[found].isOnTrial
        set(slot, block, new)
        counts.reinsertions += 1
      case .chunk(let key, let number, let slot, let new):
        // Unless it was removed in between, and already counted.
        guard let entry = unstage(key, number) else { continue }
        done.append(entry)
        guard entry.chunk.isValid else {
          counts.stale += 1
          continue
        }
        counts.written += 1
        counts.writtenBytes += new.span
        set(slot, entry.chunk.block, new)
      }
    }
    return done
  }
}
