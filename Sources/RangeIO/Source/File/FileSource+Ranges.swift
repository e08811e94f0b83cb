extension FileSource {
  /// Returns the bytes of several ranges, in the order of `ranges`. Reads what is resident first, then all the rest
  /// from disk at once.
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
    // Longer ranges leave the actor themselves.
    let inline = ranges.reduce(0) { $0 + ($1.count <= LaneThreshold.residentInline ? $1.count : 0) }
    guard usesResidentLane(of: lanes), inline > LaneThreshold.residentInline else {
      return try await read(ranges, of: source, lanes)
    }
    return try await readOffActor(ranges, of: source, lanes)
  }

  @concurrent private func readOffActor(
    _ ranges: [ByteRange], of source: SourceDescription, _ lanes: FileLanes
  ) async throws -> [Bytes] {
    try await read(ranges, of: source, lanes)
  }

  private func read(
    _ ranges: [ByteRange], of source: SourceDescription, _ lanes: FileLanes
  ) async throws -> [Bytes] {
    let version = FileSnapshot.of(source)?.version
    var results = [Bytes](repeating: Bytes(), count: ranges.count)
    var pending: [(index: Int, buffer: WritableBytes, filled: Int, read: PositionalLane.Pending)] = []
    var finished = 0
    defer { for read in pending[finished...] { lanes.positional.withdraw(read.read) } }

    for (index, range) in ranges.enumerated() where !range.isEmpty {
      guard range.count <= LaneThreshold.residentInline, usesPositionalLane else {
        results[index] = try await read(range, of: source)
        continue
      }
      try goOn()
      let buffer = try configuration.buffers.buffer(range.count)
      let filled = usesResidentLane(of: lanes) ? try lanes.resident.fill(buffer.memory, from: range) : 0
      counters.add(filled, to: .resident)
      if filled == range.count {
        results[index] = buffer.bytes(filled)
      } else {
        pending.append((index, buffer, filled, lanes.positional.begin(range, into: buffer, from: filled)))
      }
    }
    for (index, buffer, filled, read) in pending {
      finished += 1
      let (count, status) = try await lanes.positional.finish(read)
      counters.add(count - filled, to: .positional)
      guard count == ranges[index].count else { throw try await shrank(version, at: ranges[index], got: count, lanes) }
      results[index] = buffer.bytes(count)
      // Each status was taken after its read.
      if let version, let status { try await check(version, after: ranges[index], lanes, seen: status) }
    }
    if let version, let last = ranges.last, !lanes.isRemote { try await check(version, after: last, lanes) }
    return results
  }
}

extension FileSource {
  /// Passes the advice to the system, which may read ahead or drop pages. Done on a thread of the library, since both
  /// may take some time.
  public func advise(_ advice: ReadAdvice, _ range: ByteRange, of source: SourceDescription) {
    guard gate.enter() else { return }
    // `try?`: the next read, if there is one, reports the error.
    guard let lanes = try? openLanes(for: source) else { return gate.leave() }
    let job = IOJob(isUrgent: false) { [gate, file = lanes.file] in
      file.syscalls.advise(file.descriptor, range.lowerBound, range.count, advice == .willRead)
      gate.leave()
    }
    lanes.threads.submit(job)
  }
}
