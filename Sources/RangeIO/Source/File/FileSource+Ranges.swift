import CRangeIOSystem

extension FileSource {
  /// The bytes of several ranges, in the order asked: first what is resident, then all the rest from disk at once.
  ///
  /// - Throws: as ``read(_:of:)``. One look at the file's version covers all.
  public nonisolated(nonsending) func read(
    _ ranges: [ByteRange], of source: SourceDescription
  ) async throws -> [Bytes] {
    try enter()
    defer { gate.leave() }
    let lanes = try openLanes(for: source)
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
      let buffer = try configuration.buffers.buffer(range.count)
      let filled = usesResidentLane ? try lanes.resident.fill(buffer.memory, from: range) : 0
      counters.add(filled, to: .resident)
      if filled == range.count {
        results[index] = buffer.bytes(filled)
      } else {
        pending.append((index, buffer, filled, lanes.positional.begin(range, into: buffer, from: filled)))
      }
    }
    for (index, buffer, filled, read) in pending {
      finished += 1
      let count = try await lanes.positional.finish(read)
      counters.add(count - filled, to: .positional)
      guard count == ranges[index].count else { throw try await shrank(version, at: ranges[index], got: count, lanes) }
      results[index] = buffer.bytes(count)
    }
    if let version, let last = ranges.last { try await check(version, after: last, lanes) }
    return results
  }
}

extension FileSource {
  /// Tells the system, which may read ahead or let go of pages.
  public func advise(_ advice: ReadAdvice, _ range: ByteRange, of source: SourceDescription) {
    guard gate.enter() else { return }
    defer { gate.leave() }
    // What cannot be advised is told of by the read that follows, if there is one.
    guard let lanes = try? openLanes(for: source) else { return }
    rio_advise(lanes.file.descriptor, Int64(range.lowerBound), Int64(range.count), advice == .willRead)
  }
}
