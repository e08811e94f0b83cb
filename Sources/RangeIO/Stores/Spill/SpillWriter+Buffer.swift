import SystemPackage

/// What becomes found once it is written.
enum PendingRecord {
  case chunk(key: UInt64, number: UInt64, slot: Int, ticket: ChunkTicket, SpillTable.Record)
  /// Copied on from another place.
  case copy(slot: Int, block: Int, from: SpillTable.Record, SpillTable.Record)
  case tombstone(slot: Int, blocks: Range<UInt64>, bound: UInt64)
  case source(slot: Int, local: UInt32)
}

/// What is to be written, and what becomes found by that.
extension SpillWriter {
  /// The next `count` bytes of the buffer, after what is in it was written if there is no room.
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

  /// Writes what is in the buffer, and lets it be found.
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
  func drop(_ key: UInt64, _ entry: SpillStaging.Entry, _ store: SpillStore) {
    let dropped = store.state.withLock { state in
      let dropped = state.unstage(key, entry.number)
      if dropped != nil { state.counts.stale += 1 }
      return dropped
    }
    withExtendedLifetime(dropped) {}
  }
}
