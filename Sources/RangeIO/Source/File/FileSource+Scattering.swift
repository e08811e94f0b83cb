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
    let scattered = ReadBuffers.several(buffers)
    var seen: FileStatus?
    if bypasses {
      let (count, status) = try await lanes.positional.finish(
        lanes.positional.begin(range) { [direct = lanes.direct, pool = configuration.buffers] goOn in
          try direct.read(range, into: scattered, pool, goOn)
        })
      seen = status
      guard count == range.count else { throw try await shrank(version, at: range, got: count, lanes) }
    } else {
      let filled =
        mayFillHere(range, lanes) ? try lanes.resident.fill(scattered, after: 0, upTo: range.count, from: range) : 0
      counters.add(filled, to: .resident)
      if filled < range.count { seen = try await fillRest(of: range, scattered, after: filled, lanes, version) }
    }
    if let version { try await check(version, after: range, lanes, seen: seen) }
    return buffers.map { $0.bytes($0.capacity) }
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
