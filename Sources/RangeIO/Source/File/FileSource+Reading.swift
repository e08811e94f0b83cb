import CRangeIOSystem
public import SystemPackage

// Which of the lanes a read takes.

extension FileSource: StreamedSource {
  /// Whether resident bytes are read on the caller's thread. Not for a file on a server: after the read the server must
  /// be asked for the file's status.
  func usesResidentLane(of lanes: FileLanes) -> Bool {
    Platform.readsResidentPages && configuration.engine == .automatic && !lanes.isRemote
      && !bypassesPageCache(of: lanes)
  }

  /// What is known of reads that the kernel has begun when the resident lane has left `rest` bytes.
  func begun(_ rest: Int, _ lanes: FileLanes) -> BegunReads? {
    usesResidentLane(of: lanes) ? lanes.resident.begun(rest) : nil
  }

  /// Of a local file one: the system reads ahead itself, and with more threads reading, the processors have more to do,
  /// and the pages of programs beside are evicted sooner.
  var windowsAhead: Int {
    guard let lanes = allLanes.last, usesPositionalLane else { return 4 }
    return lanes.isRemote || bypassesPageCache(of: lanes) ? 4 : 1
  }

  /// Whether the direct lane reads everything. Not once the file's system has refused it.
  func bypassesPageCache(of lanes: FileLanes) -> Bool {
    configuration.pageCache == .bypass && lanes.direct.isAvailable
  }

  /// Reads past the page cache, on the library's threads.
  func readDirectly(
    _ range: ByteRange, _ lanes: FileLanes, _ version: FileVersion?, _ seen: inout FileStatus?
  ) async throws -> Bytes {
    let read = lanes.positional.begin(range) { [direct = lanes.direct, pool = configuration.buffers] goOn in
      try direct.read(range, pool, goOn)
    }
    let (bytes, status) = try await lanes.positional.finish(read)
    seen = status
    guard bytes.count == range.count else { throw try await shrank(version, at: range, got: bytes.count, lanes) }
    return bytes
  }

  /// Whether the library's own threads read what the resident lane leaves. If not, DispatchIO does.
  var usesPositionalLane: Bool {
    switch configuration.engine {
    case .positional: true
    case .dispatchIO: false
    case .automatic: Platform.readsResidentPages
    }
  }

  /// Whether what is resident of a range may be copied on the caller's own thread and actor.
  func mayFillHere(_ range: ByteRange, _ lanes: FileLanes) -> Bool {
    range.count <= LaneThreshold.residentInline && usesResidentLane(of: lanes)
  }

  /// Throws if the read was cancelled or the source closed.
  func goOn() throws {
    if rio_task_is_cancelled() { throw CancellationError() }
    if gate.isClosed { throw ReadError.closed }
  }

  /// Fills what was not filled here of `range`, after the first `filled` bytes: what is resident of a longer one on a thread
  /// of Swift's pool, which is no hop for a caller that is on no actor, and the rest through the positional lane.
  ///
  /// - Returns: the file's status after the read, if the reading thread took it.
  func fillRest(
    of range: ByteRange, _ buffers: ReadBuffers, after here: Int, _ lanes: FileLanes, _ version: FileVersion?
  ) async throws -> FileStatus? {
    var filled = here
    if range.count > LaneThreshold.residentInline, usesResidentLane(of: lanes) {
      filled = try await BackgroundWork.offActor(isShort: range.count <= LaneThreshold.residentPiece) { [self] in
        try fillInPieces(to: range.count, ofAtMost: LaneThreshold.residentPiece, goOn) {
          try lanes.resident.fill(buffers, after: $0, upTo: $1, from: range)
        }
      }
      counters.add(filled, to: .resident)
      if filled == range.count { return nil }
    }
    let begun = begun(range.count - filled, lanes)
    let read = begun?.began()
    if let begun, let read {
      let before = filled
      let isThere = try begun.look(for: read) { () throws(ReadError) in
        filled = try lanes.resident.fill(buffers, after: filled, upTo: range.count, from: range)
        return filled == range.count
      }
      counters.add(filled - before, to: .resident)
      if isThere {
        begun.came(read)
        return nil
      }
    }
    let (count, status) = try await lanes.positional.read(
      range, into: buffers, after: filled, begun: begun, since: read)
    counters.add(count - filled, to: .positional)
    guard count == range.count else { throw try await shrank(version, at: range, got: count, lanes) }
    return status
  }

  func readThroughDispatchIO(
    _ range: ByteRange, _ lanes: FileLanes, _ version: FileVersion?, _ seen: inout FileStatus?
  ) async throws -> Bytes {
    let bytes = try await lanes.dispatchIOLane { try await self.ask(lanes, $0) }.read(range)
    counters.add(bytes.count, to: .dispatchIO)
    if bytes.count == range.count { return bytes }
    // The file ended, the disk failed, or another descriptor's EBADF ended this operation too: `pread` finds out which.
    let rest = range.lowerBound + bytes.count..<range.upperBound
    let buffer = try configuration.buffers.buffer(rest.count)
    seen = try await fillRest(of: rest, ReadBuffers.one(buffer), after: 0, lanes, version)
    return Bytes(concatenating: [bytes, buffer.bytes(rest.count)])
  }
}

extension FileSource {
  /// Returns the bytes of several ranges, in the order of `ranges`, each in memory of its own. Reads what is resident first,
  /// then all the rest from disk at once; ranges without a gap between them by one call.
  ///
  /// The limit for copying on the caller's actor is the same for all ranges together as for one range.
  ///
  /// - Throws: like ``read(_:of:)``. One check of the file's version covers all ranges.
  public nonisolated(nonsending) func read(
    _ ranges: [ByteRange], of source: SourceDescription
  ) async throws -> [Bytes] {
    try enter()
    defer { gate.leave() }
    let lanes = try openLanes(for: source)
    let wanted = ranges.contains { $0.isEmpty } ? ranges.filter { !$0.isEmpty } : ranges
    let runs = ByteRanges.runs(wanted)
    let all: [Bytes]
    if runs.count == 1 {
      all = try await read(run: runs[0], of: source, lanes)
    } else {
      // Longer runs leave the actor themselves.
      let inline = runs.reduce(0) { sum, run in
        let count = ByteRanges.hull(of: run).count
        return sum + (count <= LaneThreshold.residentInline ? count : 0)
      }
      let isLong = inline > LaneThreshold.residentInline || runs.count > LaneThreshold.residentCalls
      all =
        if isLong, !bypassesPageCache(of: lanes) {
          try await BackgroundWork.offActor { [self] in try await read(runs: runs, of: source, lanes) }
        } else {
          try await read(runs: runs, of: source, lanes)
        }
    }
    guard all.count < ranges.count else { return all }
    var rest = all.makeIterator()
    // As many as ranges that are not empty.
    return ranges.map { $0.isEmpty ? Bytes() : rest.next()! }
  }

  private func read(
    runs: [ArraySlice<ByteRange>], of source: SourceDescription, _ lanes: FileLanes
  ) async throws -> [Bytes] {
    let version = FileSnapshot.of(source)?.version
    let bypasses = bypassesPageCache(of: lanes)
    var results = [[Bytes]](repeating: [], count: runs.count)
    var pending: [(index: Int, buffers: [WritableBytes], filled: Int, read: PositionalLane.Pending<Int>)] = []
    var finished = 0
    defer { for read in pending[finished...] { lanes.positional.withdraw(read.read) } }

    for (index, run) in runs.enumerated() {
      let range = ByteRanges.hull(of: run)
      guard bypasses || range.count <= LaneThreshold.residentInline && usesPositionalLane else {
        results[index] = try await read(run: run, of: source, lanes)
        continue
      }
      try goOn()
      let parts = try buffers(for: run)
      guard !bypasses else {
        pending.append((index, parts, 0, beginDirectly(range, into: parts, lanes)))
        continue
      }
      let buffers = parts.count == 1 ? ReadBuffers.one(parts[0]) : .several(parts)
      let filled =
        mayFillHere(range, lanes) ? try lanes.resident.fill(buffers, after: 0, upTo: range.count, from: range) : 0
      counters.add(filled, to: .resident)
      if filled == range.count {
        results[index] = parts.map { $0.bytes($0.capacity) }
      } else {
        let begun = begun(range.count - filled, lanes)
        let read = lanes.positional.begin(range, into: buffers, after: filled, begun: begun)
        pending.append((index, parts, filled, read))
      }
    }
    for (index, buffers, filled, read) in pending {
      finished += 1
      let range = ByteRanges.hull(of: runs[index])
      let (count, status) = try await lanes.positional.finish(read)
      if !bypasses { counters.add(count - filled, to: .positional) }
      guard count == range.count else { throw try await shrank(version, at: range, got: count, lanes) }
      results[index] = buffers.map { $0.bytes($0.capacity) }
      // Each status was taken after its read.
      if let version, let status { try await check(version, after: range, lanes, seen: status) }
    }
    if let version, let last = runs.last, !lanes.isRemote {
      try await check(version, after: ByteRanges.hull(of: last), lanes)
    }
    return Array(results.joined())
  }
}

extension FileSource {
  /// Passes the advice to the system, which may read ahead or drop pages. Done on a thread of the library, since both
  /// may take some time.
  public func advise(_ advice: ReadAdvice, _ range: ByteRange, of source: SourceDescription) {
    guard gate.enter() else { return }
    // `try?`: the next read, if there is one, reports the error.
    guard let lanes = try? openLanes(for: source), !bypassesPageCache(of: lanes) else { return gate.leave() }
    let job = IOJob(isUrgent: false) { [gate, file = lanes.file] in
      file.syscalls.call.advise(file.descriptor, range.lowerBound, range.count, advice == .willNeed)
      gate.leave()
    }
    lanes.threads.submit(job)
  }
}

extension FileSource {
  /// Does `work` with the descriptor of the open file, and then checks that the file is still the version that `source`
  /// describes. For a source of your own that gets the bytes of a file in its own way, such as mapping it.
  ///
  /// ```swift
  /// let page = try await file.withDescriptor(of: source, for: range) { try map($0, range) }
  /// ```
  ///
  /// `work` may block: it runs on a thread of the library, and goes on there if this call returns early because its task
  /// is cancelled or the source closed. The descriptor stays open until `work` ends. Do not close it, and do not use it
  /// later. If ``renew()`` has turned to another file since `source` was described, the descriptor may lead to an empty
  /// file, and this call throws `sourceChanged`.
  ///
  /// - Parameters:
  ///   - source: what ``describe()`` or ``renew()`` returned.
  ///   - range: the bytes that it is about, for errors.
  ///   - mayBlock: whether `work` may have to wait for the disk. If not, it runs on the caller's thread, unless the file is
  ///     on a server.
  /// - Throws: `ReadError.Code.sourceChanged` if the file is another version, whatever `work` has thrown; else what
  ///   `work` throws, an `Errno` as the `ReadError` of a read that failed with it; `invalidConfiguration` for a
  ///   description by another source; `closed`; `CancellationError`.
  public nonisolated(nonsending) func withDescriptor<Value: Sendable>(
    of source: SourceDescription, for range: ByteRange, mayBlock: Bool = true,
    _ work: @escaping @Sendable (FileDescriptor) throws -> Value
  ) async throws -> Value {
    try enter()
    defer { gate.leave() }
    let lanes = try openLanes(for: source)
    let version = FileSnapshot.of(source)?.version
    guard version != nil || lanes.kind == .blockDevice else {
      throw ReadError(.invalidConfiguration, "another source has made this description: pass one of this source")
    }
    let attempt: @Sendable () -> Result<Value, any Error> = { [file = lanes.file] in
      Result {
        do { return try work(FileDescriptor(rawValue: file.descriptor)) } catch let errno as Errno {
          throw file.failure(errno, of: range)
        }
      }
    }
    let result =
      if mayBlock || lanes.isRemote { try await onThread(of: lanes.threadsForWork, attempt) } else { attempt() }
    if let version { try await check(version, after: range, lanes) }
    return try result.get()
  }
}
