import SystemPackage

extension FileSource {
  /// Returns the bytes of `range` in separate buffers, one for each block of `grid` that it touches, with `preadv`.
  ///
  /// For caches: the pieces share no memory, so each can be kept and dropped on its own, and nothing is copied.
  ///
  /// - Throws: like ``read(_:of:)``.
  public nonisolated(nonsending) func read(
    _ range: ByteRange, of source: SourceDescription, scatteredBy grid: BlockGrid
  ) async throws -> [Bytes] {
    // DispatchIO returns its own memory, which a store copies.
    guard usesPositionalLane else { return cut(try await read(range, of: source), range, grid) }
    try enter()
    defer { gate.leave() }
    let lanes = try openLanes(for: source)
    let version = FileSnapshot.of(source)?.version
    var buffers: [WritableBytes] = []
    for piece in grid.pieces(of: range) {
      // The kind of memory that a store keeps without copying.
      guard let buffer = BlockBacking.allocate(piece.range.count) else {
        throw ReadError(.resourcesExhausted, "no memory for \(range.count) bytes: read less at once", isTransient: true)
      }
      buffers.append(buffer)
    }
    let scattered = ScatteredBuffers(buffers)

    var filled = 0
    var seen: FileStatus?
    if usesResidentLane(of: lanes) {
      filled =
        range.count <= LaneThreshold.residentInline
        ? try lanes.resident.fill(scattered, after: 0, upTo: range.count, from: range)
        : try await fillOffActor(scattered, range, lanes.resident)
      counters.add(filled, to: .resident)
    }
    if filled < range.count {
      let (count, status) = try await lanes.positional.read(range, into: scattered, from: filled)
      seen = status
      counters.add(count - filled, to: .positional)
      guard count == range.count else { throw try await shrank(version, at: range, got: count, lanes) }
    }
    if let version { try await check(version, after: range, lanes, seen: seen) }
    return buffers.map { $0.bytes($0.capacity) }
  }

  @concurrent private func fillOffActor(
    _ buffers: ScatteredBuffers, _ range: ByteRange, _ lane: ResidentLane
  ) async throws -> Int {
    try inPieces(of: range.count) { filled, count in
      try lane.fill(buffers, after: filled, upTo: filled + count, from: range) - filled
    }
  }

  /// Returns bytes from the page cache, in memory that a store keeps without copying.
  public func ready(_ range: ByteRange, of source: SourceDescription) -> Bytes? {
    guard range.count <= LaneThreshold.residentInline, gate.enter() else { return nil }
    defer { gate.leave() }
    guard let lanes = try? openLanes(for: source), usesResidentLane(of: lanes),
      let buffer = BlockBacking.allocate(range.count),
      // `try?`: the read that follows reports a failing disk, and a file that has changed.
      (try? lanes.resident.fill(buffer.memory, from: range)) == range.count
    else { return nil }
    if let version = FileSnapshot.of(source)?.version {
      guard let status = try? lanes.file.status(), isStill(version, status, lanes) else { return nil }
    }
    counters.add(range.count, to: .resident)
    return buffer.bytes(range.count)
  }
}
