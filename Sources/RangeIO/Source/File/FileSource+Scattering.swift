import SystemPackage

// Reads into the blocks of a cache.

extension FileSource {
  /// Returns the bytes of `range` in separate buffers, one for each block of `grid` that it touches, with `preadv`.
  ///
  /// For caches: the pieces share no memory, so each can be kept and dropped on its own, and nothing is copied.
  ///
  /// - Throws: like ``read(_:of:)``.
  public nonisolated(nonsending) func read(
    _ range: ByteRange, of source: SourceDescription, scatteredBy grid: BlockGrid
  ) async throws -> [Bytes] {
    try enter()
    defer { gate.leave() }
    let lanes = try openLanes(for: source)
    let bypasses = bypassesPageCache(of: lanes)
    // DispatchIO returns its own memory, which a store copies.
    guard bypasses || usesPositionalLane else { return cut(try await read(range, of: source), range, grid) }
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
      let (count, status) =
        if bypasses {
          try await lanes.positional.finish(
            lanes.positional.begin(range) { [direct = lanes.direct, pool = configuration.buffers] goOn in
              try direct.read(range, into: scattered.buffers, pool, goOn)
            })
        } else {
          try await readRest(of: range, into: scattered, from: filled, lanes)
        }
      seen = status
      guard count == range.count else { throw try await shrank(version, at: range, got: count, lanes) }
    }
    if let version { try await check(version, after: range, lanes, seen: seen) }
    return buffers.map { $0.bytes($0.capacity) }
  }

  /// Reads what the resident lane left of `range`. Returns the number of bytes in the buffers, with those `filled` before.
  private func readRest(
    of range: ByteRange, into buffers: ScatteredBuffers, from filled: Int, _ lanes: FileLanes
  ) async throws -> PositionalLane.Outcome<Int> {
    let begun = begun(range.count - filled, lanes)
    let read = begun?.began()
    var found = filled
    if let begun, let read {
      let isThere = try begun.look(for: read) { () throws(ReadError) in
        found = try lanes.resident.fill(buffers, after: found, upTo: range.count, from: range)
        return found == range.count
      }
      counters.add(found - filled, to: .resident)
      if isThere {
        begun.came(read)
        return (found, nil)
      }
    }
    let outcome = try await lanes.positional.read(range, into: buffers, from: found, begun: begun, since: read)
    counters.add(outcome.value - found, to: .positional)
    return outcome
  }

  private func fillOffActor(
    _ buffers: ScatteredBuffers, _ range: ByteRange, _ lane: ResidentLane
  ) async throws -> Int {
    try await BackgroundWork.offActor(isShort: range.count <= LaneThreshold.residentPiece) { [self] in
      try fillInPieces(to: range.count, ofAtMost: LaneThreshold.residentPiece, goOn) { filled, end in
        try lane.fill(buffers, after: filled, upTo: end, from: range)
      }
    }
  }

  /// Returns bytes from the page cache, in memory that a store keeps without copying.
  public func ready(_ range: ByteRange, of source: SourceDescription) -> Bytes? {
    guard range.count <= LaneThreshold.residentInline, gate.enter() else { return nil }
    defer { gate.leave() }
    // The first file is not renewed: it is borrowed, since all reads share its count of references.
    if currentGeneration == 0 { return opened.borrow { ready(range, of: source, $0) } ?? nil }
    // `try?`: the read that follows says that the file was renewed.
    guard let lanes = try? openLanes(for: source) else { return nil }
    return ready(range, of: source, lanes)
  }

  private func ready(_ range: ByteRange, of source: SourceDescription, _ lanes: FileLanes) -> Bytes? {
    guard usesResidentLane(of: lanes),
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
