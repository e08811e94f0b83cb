import CRangeIOSystem
public import SystemPackage

// The ways to ask for bytes, beside `read(_:of:)`. What is not copied at once, here, becomes a `FileRead`.

extension FileSource: StreamedSource {
  var windowsAhead: Int { allLanes.last?.windowsAhead ?? 4 }

  /// Fills `reads`, and checks that the file is still `version`.
  private func fill(_ reads: inout [FileRead], of version: FileVersion?, _ lanes: FileLanes) async throws {
    try await lanes.fill(&reads)
    if let short = reads.first(where: { !$0.isWhole }) {
      throw try await shrank(version, at: short.range, got: short.filled, lanes)
    }
    guard let version else { return }
    // Each status was taken after its read. One that is taken now is after all of them.
    for (number, read) in reads.enumerated() where read.status != nil || number == reads.count - 1 {
      try await check(version, after: read.range, lanes, seen: read.status)
    }
  }

  /// The bytes of one read, of a file that is still `version`.
  func bytes(of read: FileRead, in version: FileVersion?, _ lanes: FileLanes) async throws -> Bytes {
    var reads = [read]
    try await fill(&reads, of: version, lanes)
    return reads[0].bytes
  }

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
    var runs = ByteRanges.runs(wanted).map { FileRead(run: $0) }
    try await fill(&runs, of: FileSnapshot.of(source)?.version, lanes)
    let all = runs.flatMap(\.parts)
    guard all.count < ranges.count else { return all }
    var rest = all.makeIterator()
    // As many as ranges that are not empty.
    return ranges.map { $0.isEmpty ? Bytes() : rest.next()! }
  }

  /// Returns bytes from the page cache, in memory that a store keeps without copying.
  public func answer(_ range: ByteRange, of source: SourceDescription) -> ReadAnswer<Bytes> {
    guard range.count <= LaneThreshold.residentInline, gate.enter() else { return .later }
    defer { gate.leave() }
    // The first file is not renewed: it is borrowed, since all reads share its count of references.
    if currentGeneration == 0 { return opened.borrow { answer(range, of: source, $0) } ?? .later }
    // `try?`: the read that follows says that the file was renewed.
    guard let lanes = try? openLanes(for: source) else { return .later }
    return answer(range, of: source, lanes)
  }

  private func answer(_ range: ByteRange, of source: SourceDescription, _ lanes: FileLanes) -> ReadAnswer<Bytes> {
    // `try?`, here and below: the read that follows reports a failing disk, and a file that has changed.
    guard lanes.readsHere(range), let buffer = BlockBacking.allocate(range.count),
      (try? lanes.fillHere(buffer, from: range)) == range.count
    else { return .later }
    if let version = FileSnapshot.of(source)?.version {
      guard let status = try? lanes.file.status(), isStill(version, status, lanes) else { return .later }
    }
    counters.add(range.count, to: .resident)
    return .here(buffer.bytes(range.count))
  }
}

extension FileSource {
  /// Passes the advice to the system, which may read ahead or drop pages. Done on a thread of the library, since both
  /// may take some time.
  public func advise(_ advice: ReadAdvice, _ range: ByteRange, of source: SourceDescription) {
    guard gate.enter() else { return }
    // `try?`: the next read, if there is one, reports the error.
    guard let lanes = try? openLanes(for: source), !lanes.bypassesPageCache else { return gate.leave() }
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
  ///   - work: is called with the descriptor.
  /// - Throws: `ReadError.Code.sourceChanged` if the file is another version; else the error of `work`, an `Errno` as
  ///   the `ReadError` of a read that failed with it. `invalidConfiguration` for a description by another source;
  ///   `closed`; `CancellationError`.
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
      if mayBlock || lanes.isRemote { try await self.work.run(on: lanes.threadsForWork, attempt) } else { attempt() }
    if let version { try await check(version, after: range, lanes) }
    return try result.get()
  }
}
