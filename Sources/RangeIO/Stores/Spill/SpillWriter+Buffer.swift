import SystemPackage

/// A record that can be found once it is written.
enum PendingRecord {
  case chunk(key: UInt64, number: UInt64, slot: Int, ticket: ChunkTicket, SpillTable.Record)
  /// A copy from another place.
  case copy(slot: Int, block: Int, from: SpillTable.Record, SpillTable.Record)
  case tombstone(slot: Int, blocks: Range<UInt64>, bound: UInt64)
  case source(slot: Int, local: UInt32)
}

/// The buffer of what is to be written, and the records that can then be found.
extension SpillWriter {
  /// The next `count` bytes of the buffer. If there is no room, first writes what is in it.
  func space(_ count: Int, _ store: SpillStore) throws(Trouble) -> UnsafeMutableRawBufferPointer {
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

  /// Writes the buffer, and publishes its records.
  func flush(_ store: SpillStore) throws(Trouble) {
    guard filled > 0, let buffer, let open else { return }
    let written = filled + gatheredBytes
    do throws(Errno) {
      goOn(store)
      try withExtendedLifetime(gathered) { () throws(Errno) in
        try open.file.write(parts(of: buffer), at: open.position)
      }
    } catch {
      throw .failed(error)
    }
    if configuration.durability != .none { open.file.beginWriting(written, at: open.position) }
    self.open!.position += written
    unsyncedBytes += written
    emptyBuffer()
    publish(written, open.place, store)
  }

  /// The parts of the buffer, and between them the bytes that are written from elsewhere.
  private func parts(of buffer: WritableBytes) -> [UnsafeRawBufferPointer] {
    var parts: [UnsafeRawBufferPointer] = []
    var start = 0
    for (after, bytes) in gathered {
      parts.append(buffer.filled(filled).part(start, after - start))
      // The pointer leaves the closure: the memory stays in place for as long as the bytes live, which the caller
      // ensures.
      bytes.withUnsafeBytes { parts.append($0) }
      start = after
    }
    if start < filled { parts.append(buffer.filled(filled).part(start, filled - start)) }
    return parts
  }

  /// Discards what was written, or cannot be written.
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
          // The slot means this source for as long as the segment exists.
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
          // Unless it was removed in between, and already counted.
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

  /// Drops a chunk that is no longer valid.
  func drop(_ key: UInt64, _ entry: SpillStaging.Entry, _ store: SpillStore) {
    let dropped = store.state.withLock { state in
      let dropped = state.unstage(key, entry.number)
      if dropped != nil { state.counts.stale += 1 }
      return dropped
    }
    withExtendedLifetime(dropped) {}
  }
}
