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
  private static let mostAtOnce = 256 << 10

  // A call that tries the disk might hang even here.
  var isQuick: Bool { permit == .go && run.range.count <= Self.mostAtOnce }

  func loadNow() -> QuickLoad {
    // Opening the file may wait for the disk.
    guard let file = run.segment.openFile else { return .notAtHand }
    if run.more.isEmpty, run.first.stored < BufferPool.smallestPooled { return loadOne(run.first, from: file) }
    guard let buffers = SpillBuffers(run) else { return .notAtHand }
    // `try?`: a failure will show again, and be counted, when the disk itself is read.
    guard let count = try? file.readResident(into: buffers.pieces, at: run.offset), count == run.byteCount
    else { return .notAtHand }
    return decode(buffers, isResident: true).map { .bytes($0) } ?? .lost
  }

  /// Loads a run of one record, which most are, without lists.
  private func loadOne(_ part: SpillRun.Part, from file: any SpillFile) -> QuickLoad {
    // As in `SpillBuffers`: if the record is wrong about that, the check finds it.
    let isEncoded = part.stored != part.count
    let block = isEncoded ? nil : BlockBacking.allocate(part.count)
    if !isEncoded, block == nil { return .notAtHand }
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
      guard count == headerCount + part.stored else { return .notAtHand }
      let header = UnsafeRawBufferPointer(memory.part(0, headerCount))
      let payload = block?.filled(part.count) ?? UnsafeRawBufferPointer(memory.part(headerCount, part.stored))
      let record = decode(part, .init(header: header, payload: payload, block: block))
      guard case .bytes(let bytes) = record else {
        _ = lose([part], damaged: record.isDamaged ? 1 : 0)
        return .lost
      }
      store.noteHits(of: run, isResident: true)
      return .bytes(bytes)
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
      store.core.note(errno, "open a spill file", isWrite: nil)
      store.state.withLock { $0.breaker.withdraw(permit) }
      return nil
    case .failure(let errno):
      store.core.note(errno, "read a spill file", isWrite: false, permit)
      // They may be readable later if the disk recovers, but one bad place must not make every read of it fail.
      for part in run.parts { store.drop(part, of: run) }
      return nil
    }
  }

  /// What a record turned out to be.
  private enum Decoded {
    case bytes(Bytes)
    case damaged
    /// It is whole, and encoded by a codec that the store does not have.
    case foreign

    var isDamaged: Bool { if case .damaged = self { true } else { false } }
  }

  /// Removes records that cannot be used, of which so many are damaged.
  private func lose(_ parts: [SpillRun.Part], damaged: Int) -> Bytes? {
    for part in parts { store.drop(part, of: run) }
    store.state.withLock { $0.counts.damaged += damaged }
    return nil
  }

  /// The bytes of all blocks, if all records are the expected ones.
  private func decode(_ buffers: SpillBuffers, isResident: Bool) -> Bytes? {
    var pieces: [Bytes] = []
    var lost: [SpillRun.Part] = []
    var damaged = 0
    for (part, read) in zip(run.parts, buffers.parts) {
      let record = decode(part, read)
      guard case .bytes(let bytes) = record else {
        lost.append(part)
        if record.isDamaged { damaged += 1 }
        continue
      }
      pieces.append(bytes)
    }
    guard lost.isEmpty else { return lose(lost, damaged: damaged) }
    store.noteHits(of: run, isResident: isResident)
    return pieces.count == 1 ? pieces[0] : Bytes(concatenating: pieces)
  }

  private func decode(_ part: SpillRun.Part, _ read: SpillBuffers.Part) -> Decoded {
    guard let record = SpillRecord(read.header, segmentCheck: run.segment.check), record.kind == .chunk,
      record.source == run.local, record.identityCheck == run.identityCheck, record.block == UInt64(part.block),
      record.lower == 0, Int(record.count) == part.count, Int(record.stored) == part.stored, part.stored > 0,
      // Check before decoding: most flipped bits decode to other bytes without an error.
      CRC32C.of(read.payload) == record.payloadCheck
    else { return .damaged }
    if let block = read.block { return record.codec == 0 ? .bytes(block.bytes(part.count)) : .damaged }
    guard let codec = store.codec(record.codec, in: run.segment) else { return .foreign }
    guard let buffer = BlockBacking.allocate(part.count), codec.decode(read.payload, into: buffer.memory) else {
      return .damaged
    }
    return .bytes(buffer.bytes(part.count))
  }
}

extension SpillStore {
  /// The codec with this number in a segment, if it is known.
  func codec(_ id: UInt8, in segment: SpillSegment) -> (any ChunkCodec)? {
    let own = configuration.codec
    if id == own.id, id < 128 || segment.codec == core.codecIdentity { return own }
    switch id {
    case 0: return IdentityCodec()
    case 1: return LZ4Codec()
    default: return nil
    }
  }
}

/// Adjacent records of neighbouring blocks in one segment, to be read at once.
struct SpillRun: Sendable {
  struct Block {
    let number: Int
    let record: SpillTable.Record
    /// The whole of it.
    let range: ByteRange
    /// The requested part.
    let wanted: ByteRange

    fileprivate var part: Part {
      Part(block: number, offset: record.offset, stored: Int(record.stored), count: range.count)
    }
  }

  struct Part: Sendable {
    let block: Int
    /// Where its record begins.
    let offset: Int
    let stored: Int
    /// The size of the block.
    let count: Int
  }

  let segment: SpillSegment
  let slot: Int
  let identityCheck: UInt32
  /// The source's number within the segment.
  let local: UInt32
  let first: Part
  /// Those after the first.
  private(set) var more: [Part] = []
  /// The range of the blocks.
  private(set) var range: ByteRange
  /// The requested part of that range.
  private(set) var wanted: ByteRange
  /// When the oldest was requested, in nanoseconds since 1970.
  private(set) var fetchedAt: Int64

  private let place: UInt32

  init(_ block: Block, in segment: SpillSegment, slot: Int, identityCheck: UInt32, local: UInt32) {
    self.segment = segment
    self.slot = slot
    self.identityCheck = identityCheck
    self.local = local
    range = block.range
    wanted = block.wanted
    place = block.record.segment
    fetchedAt = block.record.fetchedAt
    first = block.part
  }

  /// The number of records.
  var count: Int { 1 + more.count }
  var parts: [Part] { [first] + more }
  private var last: Part { more.last ?? first }
  var offset: Int { first.offset }
  /// The number of bytes up to the end of the last payload.
  var byteCount: Int {
    last.offset + SpillFormat.recordHeaderCount + last.stored - offset
  }

  /// Adds a block if its record directly follows the last one and does not make the run too long.
  mutating func append(_ block: Block) -> Bool {
    let (last, record) = (last, block.record)
    guard record.segment == place, record.offset == last.offset + SpillFormat.recordCount(payload: last.stored),
      block.range.lowerBound == range.upperBound, record.offset + record.span - offset <= SpillStore.longestRead
    else { return false }
    more.append(block.part)
    range = range.lowerBound..<block.range.upperBound
    wanted = wanted.lowerBound..<block.wanted.upperBound
    fetchedAt = min(fetchedAt, block.record.fetchedAt)
    return true
  }
}

/// The memory for reading a run of records. Payloads that are not encoded are read to their final place; everything
/// else is decoded and then discarded.
struct SpillBuffers {
  /// One record after reading.
  struct Part {
    let header: UnsafeRawBufferPointer
    let payload: UnsafeRawBufferPointer
    /// The block, if the payload is the block itself.
    let block: WritableBytes?
  }

  /// In file order.
  private(set) var pieces: [UnsafeMutableRawBufferPointer] = []
  private(set) var parts: [Part] = []
  private let scratch: WritableBytes

  /// `nil` if there is no memory.
  init?(_ run: SpillRun) {
    // A payload as long as its block is not encoded. If the record is wrong about that, the check finds it.
    let direct = run.parts.reduce(0) { $0 + ($1.stored == $1.count ? $1.count : 0) }
    guard let scratch = try? BufferPool.shared.buffer(max(1, run.byteCount - direct)) else { return nil }
    self.scratch = scratch
    parts.reserveCapacity(run.count)
    var (start, end) = (0, 0)
    for (number, part) in run.parts.enumerated() {
      let header = scratch.filled(scratch.capacity).part(end, SpillFormat.recordHeaderCount)
      end += SpillFormat.recordHeaderCount
      if part.stored == part.count {
        guard let block = BlockBacking.allocate(part.count) else { return nil }
        pieces.append(scratch.memory.part(start, end - start))
        pieces.append(block.memory)
        start = end
        parts.append(Part(header: header, payload: block.filled(part.count), block: block))
      } else {
        parts.append(
          Part(header: header, payload: scratch.filled(scratch.capacity).part(end, part.stored), block: nil))
        end += part.stored
      }
      if number + 1 < run.count { end += SpillFormat.padded(part.stored) - part.stored }
    }
    if start < end { pieces.append(scratch.memory.part(start, end - start)) }
  }
}
