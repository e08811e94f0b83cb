import RangeIO
import Synchronization
import SystemPackage

/// Reads, checks and decodes a run of records that was found. Keeps its segment.
final class SpillLoader: PieceLoader {
  private let store: SpillStore
  // Set in `init` and released in `deinit`; unchanged in between.
  nonisolated(unsafe) private var kept: SpillRun?
  private var run: SpillRun { kept! }
  private let permit: SpillBreaker.Permit

  /// One call of ``load(whenLate:)``. Usually the only one, but several flights may want parts of a piece.
  private final class Load: Sendable {
    private enum Phase: Int {
      case waits
      case reads
      case givenUp
    }
    private let phase = Atomic(Phase.waits.rawValue)

    var reads: Bool { phase.load(ordering: .acquiring) == Phase.reads.rawValue }

    /// Returns false if it was given up.
    func begin() -> Bool { enter(.reads) }

    /// Returns false if it has begun.
    func giveUp() -> Bool { enter(.givenUp) }

    private func enter(_ next: Phase) -> Bool {
      phase.compareExchange(
        expected: Phase.waits.rawValue, desired: next.rawValue, ordering: .acquiringAndReleasing
      ).exchanged
    }
  }

  init(store: SpillStore, run: SpillRun, permit: SpillBreaker.Permit) {
    self.store = store
    kept = run
    self.permit = permit
  }

  deinit {
    // Never called, or cancelled.
    if permit != .go { store.state.withLock { $0.breaker.withdraw(permit) } }
    kept = nil
    store.ledger.tell()
  }

  /// Longer runs are not copied from the page cache on the reader's thread.
  private static let maxAtOnce = 256 << 10

  // A call that tries the disk might hang even here.
  var isQuick: Bool { permit == .go && run.range.count <= Self.maxAtOnce }

  func answer() -> ReadAnswer<Bytes?> {
    // Opening the file may wait for the disk.
    guard let file = run.segment.openFile else { return .later }
    if run.more.isEmpty, run.first.stored < BufferPool.minPooledBytes { return loadOne(run.first, from: file) }
    guard let buffers = SpillBuffers(run) else { return .later }
    // `try?`: a failure will show again, and be counted, when the disk itself is read.
    guard let count = try? file.readResident(into: buffers.pieces, at: run.offset), count == run.byteCount
    else { return .later }
    return .here(decode(buffers, isResident: true))
  }

  /// Loads a run of one record, which most are, without lists.
  private func loadOne(_ part: SpillRun.Part, from file: any SpillFile) -> ReadAnswer<Bytes?> {
    let isEncoded = !run.isBlock(part)
    let block = isEncoded ? nil : BlockBacking.allocate(part.count)
    if !isEncoded, block == nil { return .later }
    let headerCount = SpillFormat.recordHeaderCount
    let scratchCount = headerCount + (isEncoded ? part.stored : 0)
    return withUnsafeTemporaryAllocation(byteCount: scratchCount, alignment: 8) { memory in
      // `try?`: as above.
      let count =
        if let block {
          try? file.readResident(into: memory, block.memory, at: part.offset)
        } else {
          try? file.readResident(into: memory, at: part.offset)
        }
      guard count == headerCount + part.stored else { return .later }
      let header = UnsafeRawBufferPointer(memory.part(0, headerCount))
      let payload = block?.filled(part.count) ?? UnsafeRawBufferPointer(memory.part(headerCount, part.stored))
      let record = decode(part, .init(header: header, payload: payload, block: block))
      guard let bytes = bytes(of: part, record) else { return .here(nil) }
      store.noteHits(of: run, isResident: true)
      return .here(bytes)
    }
  }

  func load(whenLate: @escaping @Sendable () -> Void) async -> Bytes? {
    let answer = Promise<Bytes?>()
    let load = Load()
    // Watched from now on: if other reads hang, this one may not even get a thread.
    let call = store.watch.begin { [store] in
      store.state.withLock { $0.counts.lateReads += 1 }
      whenLate()
    } onStall: {
      // A read that has started is watched separately.
      if !load.reads { answer.resolve(.success(nil)) }
    }
    store.lanes.reads.start(isUrgent: true) { [self] in
      guard load.begin() else { return }
      // From here on the disk itself is slow. Before, reads may just have waited for a thread.
      let reading = store.watch.begin { [store, permit] in
        store.state.withLock { state in _ = state.breaker.stalled(permit, now: store.now) }
        answer.resolve(.success(nil))
      }
      let bytes = read()
      store.watch.end(reading)
      store.watch.end(call)
      answer.resolve(.success(bytes))
    }
    let bytes = (try? await answer.value()) ?? nil
    // No read waits any more, and this one has not started: it will not start.
    if load.giveUp() {
      store.watch.end(call)
      store.state.withLock { $0.breaker.withdraw(permit) }
    }
    return bytes
  }

  /// Reads, and waits for the disk.
  private func read() -> Bytes? {
    // It was found before the disk turned out to be sick. Only reads that already started may hang, not all that were
    // found.
    if permit == .go, !store.state.withLock({ $0.breaker.isClosed }) { return nil }
    guard let buffers = SpillBuffers(run) else { return nil }
    let begun = store.now
    let result = Result<Int, Errno> { () throws(Errno) in
      try run.segment.file().read(into: buffers.pieces, at: run.offset)
    }
    switch result {
    case .success(let count):
      let nanoseconds = store.now.nanoseconds - begun.nanoseconds
      store.state.withLock { state in
        state.breaker.succeeded(permit)
        state.codecChoice.read(bytes: count, nanoseconds: nanoseconds)
      }
      guard count == run.byteCount else {
        // The file ends early: something has cut it.
        return lose(run.parts, damaged: run.count)
      }
      return decode(buffers, isResident: false)
    case .failure(.noSuchFileOrDirectory):
      // Its segment was freed to make room, or another process removed the file. A miss, which says nothing about the
      // disk.
      store.state.withLock { $0.breaker.withdraw(permit) }
      for part in run.parts { store.drop(part, of: run) }
      return nil
    case .failure(let errno) where errno.isShortageOfDescriptors:
      // The records are there and the disk is healthy: they can be read another time.
      store.core.note(errno, "open a cache file", isWrite: nil)
      store.state.withLock { $0.breaker.withdraw(permit) }
      return nil
    case .failure(let errno):
      store.core.note(errno, "read a cache file", isWrite: false, permit)
      // They may be readable later if the disk recovers, but one bad place must not make every read of it fail.
      for part in run.parts { store.drop(part, of: run) }
      return nil
    }
  }

  /// The result of decoding a record.
  private enum Decoded {
    case bytes(Bytes)
    case damaged
    /// It is as it was written, and not what was looked for: moved, or forged.
    case notAuthentic
    /// It is whole, and encoded by a codec that the store does not have.
    case foreign
    /// It is whole, and can be read another time.
    case noMemory
  }

  /// Removes records that cannot be used, of which so many are damaged.
  private func lose(_ parts: [SpillRun.Part], damaged: Int = 0, notAuthentic: Int = 0) -> Bytes? {
    for part in parts { store.drop(part, of: run) }
    store.state.withLock { state in
      state.counts.damaged += damaged
      state.counts.notAuthentic += notAuthentic
    }
    return nil
  }

  /// Removes a record if it cannot be used, now or later. Returns its bytes.
  private func bytes(of part: SpillRun.Part, _ record: Decoded) -> Bytes? {
    switch record {
    case .bytes(let bytes): bytes
    case .damaged: lose([part], damaged: 1)
    case .notAuthentic: lose([part], notAuthentic: 1)
    case .foreign: lose([part])
    case .noMemory: nil
    }
  }

  /// The bytes of all blocks, if all records are the expected ones.
  private func decode(_ buffers: SpillBuffers, isResident: Bool) -> Bytes? {
    let pieces = zip(run.parts, buffers.parts).compactMap { part, read in bytes(of: part, decode(part, read)) }
    guard pieces.count == run.count else { return nil }
    store.noteHits(of: run, isResident: isResident)
    return pieces.count == 1 ? pieces[0] : Bytes(concatenating: pieces)
  }

  private func decode(_ part: SpillRun.Part, _ read: SpillBuffers.Part) -> Decoded {
    if let cipher = run.segment.cipher, let identity = run.identity { return decrypt(part, read, cipher, identity) }
    guard let record = SpillRecord(read.header, segmentCheck: run.segment.check), record.kind == .chunk,
      record.source == run.local, record.identityCheck == run.identityCheck, record.block == UInt64(part.block),
      record.lower == 0, Int(record.count) == part.count, Int(record.stored) == part.stored, part.stored > 0,
      // Check before decoding: most flipped bits decode to other bytes without an error.
      record.matches(read.payload)
    else { return .damaged }
    if let block = read.block { return record.codec == 0 ? .bytes(block.bytes(part.count)) : .damaged }
    guard let codec = store.codec(record.codec, in: run.segment) else { return .foreign }
    guard let buffer = BlockBacking.allocate(part.count) else { return .noMemory }
    return codec.decode(read.payload, into: buffer.memory) ? .bytes(buffer.bytes(part.count)) : .damaged
  }

  /// As ``decode(_:_:)``, in an encrypted segment. The tag tells all that sums and comparisons tell there, so the payload is gone
  /// through once.
  private func decrypt(
    _ part: SpillRun.Part, _ read: SpillBuffers.Part, _ cipher: SpillCipher, _ identity: SpillIdentity
  ) -> Decoded {
    guard var record = SpillRecord(read.header, segmentCheck: run.segment.check), record.kind == .chunk,
      Int(record.stored) == part.stored
    else { return .damaged }
    // What is looked for, in place of what is masked: the tag is right only if they are the same.
    (record.source, record.identityCheck, record.block) = (run.local, run.identityCheck, UInt64(part.block))
    (record.lower, record.count) = (0, UInt32(part.count))
    guard let plain = cipher.decrypt(record, read.payload, at: part.offset, of: identity.unnamed) else {
      return fault(of: record, read)
    }
    if record.codec == 0, plain.count == part.count { return .bytes(plain) }
    guard let codec = store.codec(record.codec, in: run.segment) else { return .foreign }
    guard let block = BlockBacking.allocate(part.count) else { return .noMemory }
    return plain.withUnsafeBytes { codec.decode($0, into: block.memory) }
      ? .bytes(block.bytes(part.count)) : .damaged
  }

  /// Why a payload cannot be decrypted.
  private func fault(of record: SpillRecord, _ read: SpillBuffers.Part) -> Decoded {
    record.matches(read.payload) ? .notAuthentic : .damaged
  }
}

extension SpillStore {
  /// The codec with this number in a segment, if it is known.
  func codec(_ id: UInt8, in segment: SpillSegment) -> (any ChunkCodec)? {
    let own = configuration.codec
    if id == own.id, id < 128 || segment.codec == core.codecIdentity { return own }
    return LibraryCodecs.numbered(id)
  }
}
