import Synchronization
import SystemPackage

/// Reads a run of records that was found, and checks and decodes them. Keeps its segment.
final class SpillLoader: PieceLoader {
  private let store: SpillStore
  // Set when it is made, and let go of when nobody has it any more.
  nonisolated(unsafe) private var kept: SpillRun?
  private var run: SpillRun { kept! }
  private let permit: SpillBreaker.Permit

  /// One call of ``load(whenLate:)``: usually the only one, but parts of a piece may be wanted by several flights.
  private final class Load: Sendable {
    private enum Phase: Int {
      case waits
      case reads
      case givenUp
    }
    private let phase = Atomic(Phase.waits.rawValue)

    var reads: Bool { phase.load(ordering: .acquiring) == Phase.reads.rawValue }

    /// - Returns: false if it was given up.
    func begin() -> Bool { enter(.reads) }

    /// - Returns: false if it has begun.
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
    // Never asked, or cancelled.
    if permit != .go { store.state.withLock { $0.breaker.withdraw(permit) } }
    kept = nil
    store.ledger.tell()
  }

  /// Runs of more bytes than this are not copied from the page cache on the reader's thread.
  private static let mostAtOnce = 256 << 10

  // One that tries might hang even so.
  var isQuick: Bool { permit == .go && run.range.count <= Self.mostAtOnce }

  /// What the page cache holds.
  func loadNow() -> QuickLoad {
    // To open it may wait for the disk.
    guard let file = run.segment.openFile, let buffers = SpillBuffers(run) else { return .notAtHand }
    // A failure shows again, and is counted, when the disk is asked for good.
    guard let count = try? file.readResident(into: buffers.pieces, at: run.offset), count == run.byteCount
    else { return .notAtHand }
    return decode(buffers, isResident: true).map { .bytes($0) } ?? .lost
  }

  func load(whenLate: @escaping @Sendable () -> Void) async -> Bytes? {
    let answer = Promise<Bytes?>()
    let load = Load()
    // Watched from now on: where others hang, this may not even get a thread.
    let call = store.watch.begin { [store] in
      store.state.withLock { $0.counts.lateReads += 1 }
      whenLate()
    } onStall: {
      // One that has begun is watched on its own.
      if !load.reads { answer.resolve(.success(nil)) }
    }
    store.lanes.reads.start(isUrgent: true) { [self] in
      guard load.begin() else { return }
      // From here on it is the disk that is slow. Before, many may just have waited for a thread.
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
    // Nobody waits any more, and it has not begun: it will not.
    if load.giveUp() {
      store.watch.end(call)
      store.state.withLock { $0.breaker.withdraw(permit) }
    }
    return bytes
  }

  /// Reads, waiting for the disk.
  private func read() -> Bytes? {
    // It was found before the disk turned out to be sick: of all that were, none but those under way are to hang.
    if permit == .go, !store.state.withLock({ $0.breaker.isClosed }) { return nil }
    guard let buffers = SpillBuffers(run) else { return nil }
    let result = Result<Int, Errno> { () throws(Errno) in
      try run.segment.file().read(into: buffers.pieces, at: run.offset)
    }
    switch result {
    case .success(let count):
      store.state.withLock { $0.breaker.succeeded(permit) }
      guard count == run.byteCount else {
        // The file ends early: cut by somebody.
        return lose(run.parts)
      }
      return decode(buffers, isResident: false)
    case .failure(.noSuchFileOrDirectory):
      // Its segment went to make room, or somebody removed the file: a miss, which says nothing about the disk.
      store.state.withLock { $0.breaker.withdraw(permit) }
      for part in run.parts { store.drop(part, of: run) }
      return nil
    case .failure(let errno) where errno.isShortageOfDescriptors:
      // They are there, and the disk is well: another time.
      store.noteShortage(errno)
      store.state.withLock { $0.breaker.withdraw(permit) }
      return nil
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
  private func decode(_ buffers: SpillBuffers, isResident: Bool) -> Bytes? {
    var pieces: [Bytes] = []
    var damaged: [SpillRun.Part] = []
    for (part, read) in zip(run.parts, buffers.parts) {
      guard let bytes = decode(part, read) else {
        damaged.append(part)
        continue
      }
      pieces.append(bytes)
    }
    guard damaged.isEmpty else { return lose(damaged) }
    store.noteHits(of: run, isResident: isResident)
    return pieces.count == 1 ? pieces[0] : Bytes(concatenating: pieces)
  }

  private func decode(_ part: SpillRun.Part, _ read: SpillBuffers.Part) -> Bytes? {
    guard let record = SpillRecord(read.header, segmentCheck: run.segment.check), record.kind == .chunk,
      record.source == run.local, record.identityCheck == run.identityCheck, record.block == UInt64(part.block),
      record.lower == 0, Int(record.count) == part.count, Int(record.stored) == part.stored, part.stored > 0,
      // Before anything is decoded: most flipped bits decode to other bytes unnoticed.
      CRC32C.of(read.payload) == record.payloadCheck
    else { return nil }
    if let block = read.block { return record.codec == 0 ? block.bytes(part.count) : nil }
    guard let codec = store.codec(record.codec), let buffer = BlockBacking.allocate(part.count),
      codec.decode(read.payload, into: buffer.memory)
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
    case .noRoom: return ReadError.noSpillRoom(configuration.directory)
    case .busy:
      return ReadError(
        .inUse,
        "another process that shares the spill directory is making a file, and does not end: what would be written is "
          + "dropped until it does", isTransient: true, context: .init(source: configuration.directory))
    case .failed(let errno): return ReadError.errno(errno, "write a spill file", .init(source: configuration.directory))
    }
  }

  /// A file could not be opened, since the process has too many, which is no failure of the disk.
  func noteShortage(_ errno: Errno) {
    let error = ReadError.errno(errno, "open a spill file", .init(source: configuration.directory))
    state.withLock { $0.lastFailure = error }
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

extension ReadError {
  static func mayReturn(_ directory: String) -> ReadError {
    ReadError(
      .inputOutput,
      "a file of the spill directory could not be read when it was opened, and may hold some of the source that was "
        + "removed: remove everything, or remove the source again when the file can be read",
      context: .init(source: directory))
  }

  static func noSpillRoom(_ directory: String) -> ReadError {
    ReadError(
      .limitExceeded,
      "it does not fit now: the spill directory is full, or its disk is; try again when something was removed, or raise "
        + "the limit", isTransient: true, context: .init(source: directory))
  }
}
