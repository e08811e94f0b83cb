import Synchronization
import SystemPackage

/// Reads a run of records that was found, and checks and decodes them. Keeps its segment.
final class SpillLoader: PieceLoader {
  private let store: SpillStore
  private let run: SpillRun
  private let permit: SpillBreaker.Permit
  /// Whether the breaker was told how a call that tries has ended.
  private let isSettled = Atomic<Bool>(false)

  init(store: SpillStore, run: SpillRun, permit: SpillBreaker.Permit) {
    self.store = store
    self.run = run
    self.permit = permit
  }

  deinit {
    if permit == .tries, !isSettled.load(ordering: .acquiring) { store.state.withLock { $0.breaker.withdraw(.tries) } }
  }

  /// Runs of more bytes than this are not copied from the page cache on the reader's thread.
  private static let mostAtOnce = 256 << 10

  // One that tries might hang even so.
  var isQuick: Bool { permit == .go && run.range.count <= Self.mostAtOnce }

  /// What the page cache holds.
  func loadNow() -> QuickLoad {
    guard let buffer = try? BufferPool.shared.buffer(run.byteCount) else { return .notAtHand }
    let memory = buffer.memory.part(0, run.byteCount)
    // A failure shows again, and is counted, when the disk is asked for good.
    guard let count = try? run.segment.file.readResident(into: memory, at: run.offset), count == run.byteCount else {
      return .notAtHand
    }
    store.state.withLock { state in
      state.counts.reads += 1
      state.counts.residentReads += 1
      state.counts.readBytes += run.byteCount
    }
    return decode(UnsafeRawBufferPointer(memory)).map { .bytes($0) } ?? .lost
  }

  func load(whenLate: @escaping @Sendable () -> Void) async -> Bytes? {
    let answer = OneAnswer<Bytes?>()
    store.configuration.work.start(isUrgent: true) { [self] in
      // Nobody waits any more: cancelled before it began.
      guard !answer.isAnswered else { return }
      answer.resolve(
        .success(
          read { [store] in
            store.state.withLock { $0.counts.lateReads += 1 }
            whenLate()
          } onStall: {
            answer.resolve(.success(nil))
          }))
    }
    return (try? await answer.value()) ?? nil
  }

  /// Reads, waiting for the disk.
  private func read(onLate: @escaping @Sendable () -> Void, onStall: @escaping @Sendable () -> Void) -> Bytes? {
    guard let buffer = try? BufferPool.shared.buffer(run.byteCount) else { return nil }
    let memory = buffer.memory.part(0, run.byteCount)
    let call = store.watch.begin(onLate: onLate) { [store, permit] in
      store.state.withLock { state in _ = state.breaker.stalled(permit, now: store.now) }
      onStall()
    }
    let result = Result<Int, Errno> { () throws(Errno) in try run.segment.file.read(into: memory, at: run.offset) }
    store.watch.end(call)
    isSettled.store(true, ordering: .releasing)
    switch result {
    case .success(let count):
      let isWell = store.state.withLock { state in
        state.counts.reads += 1
        state.counts.readBytes += count
        state.breaker.succeeded(permit)
        return permit == .tries && state.breaker.isClosed
      }
      // Removals have waited for that.
      if isWell { store.writer.wake(isUrgent: true) }
      guard count == run.byteCount else {
        // The file ends early: cut by somebody.
        return lose(run.parts)
      }
      return decode(UnsafeRawBufferPointer(memory))
    case .failure(let errno):
      store.note(errno, "read a spill file", permit, isWrite: false)
      // They may be readable another time, if the disk recovers; but one bad place must not fail each read of it.
      for part in run.parts { store.drop(part, of: run) }
      return nil
    }
  }

  /// Takes damaged records out.
  private func lose(_ parts: [SpillRun.Part]) -> Bytes? {
    for part in parts { store.drop(part, of: run) }
    store.state.withLock { $0.counts.damaged += parts.count }
    return nil
  }

  /// The bytes of all blocks, if all records are what was looked for.
  private func decode(_ memory: UnsafeRawBufferPointer) -> Bytes? {
    var pieces: [Bytes] = []
    var damaged: [SpillRun.Part] = []
    for part in run.parts {
      guard let bytes = decode(part, memory) else {
        damaged.append(part)
        continue
      }
      pieces.append(bytes)
    }
    guard damaged.isEmpty else { return lose(damaged) }
    store.noteHits(of: run)
    return pieces.count == 1 ? pieces[0] : Bytes(concatenating: pieces)
  }

  private func decode(_ part: SpillRun.Part, _ memory: UnsafeRawBufferPointer) -> Bytes? {
    let start = part.offset - run.offset
    let header = memory.part(start, SpillFormat.recordHeaderCount)
    guard let record = SpillRecord(header, segmentCheck: run.segment.check), record.kind == .chunk,
      record.source == run.local, record.identityCheck == run.identityCheck, record.block == UInt64(part.block),
      record.lower == 0, Int(record.count) == part.count, Int(record.stored) == part.stored, part.stored > 0
    else { return nil }
    let payload = memory.part(start + SpillFormat.recordHeaderCount, part.stored)
    // Before anything is decoded: most flipped bits decode to other bytes unnoticed.
    guard CRC32C.of(payload) == record.payloadCheck, let codec = store.codec(record.codec),
      let buffer = BlockBacking.allocate(part.count), codec.decode(payload, into: buffer.memory)
    else { return nil }
    return buffer.bytes(part.count)
  }
}

extension SpillStore {
  /// The codec of that number, if it is known.
  func codec(_ id: UInt8) -> (any ChunkCodec)? {
    if configuration.codec.id == id { return configuration.codec }
    switch id {
    case 0: return IdentityCodec()
    case 1: return LZ4Codec()
    default: return nil
    }
  }

  /// An error in words.
  func error(for trouble: SpillWriter.Trouble) -> ReadError {
    switch trouble {
    case .noRoom:
      return ReadError(
        .limitExceeded, "there is no room in the spill directory", context: .init(source: configuration.directory))
    case .failed(let errno): return ReadError.errno(errno, "write a spill file", .init(source: configuration.directory))
    }
  }

  /// The disk failed.
  func note(_ errno: Errno, _ action: String, _ permit: SpillBreaker.Permit, isWrite: Bool) {
    let error = ReadError.errno(errno, action, .init(source: configuration.directory))
    let now = self.now
    state.withLock { state in
      state.lastFailure = error
      if isWrite { state.counts.writeErrors += 1 } else { state.counts.readErrors += 1 }
      state.breaker.failed(permit, now: now)
    }
  }
}
