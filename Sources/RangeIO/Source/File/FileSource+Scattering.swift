import SystemPackage

// Reads of ranges that follow each other, such as the blocks of a cache.

extension FileSource {
  /// A buffer for each of `ranges`, of the kind of memory that a store keeps without copying.
  func buffers(for ranges: ArraySlice<ByteRange>) throws -> [WritableBytes] {
    try ranges.map { range in
      guard let buffer = BlockBacking.allocate(range.count) else {
        throw ReadError(.resourcesExhausted, "no memory for \(range.count) bytes: read less at once", isTransient: true)
      }
      return buffer
    }
  }

  /// Returns the bytes of ranges without a gap between them in separate buffers, with one `preadv` for all.
  func read(
    run: ArraySlice<ByteRange>, of source: SourceDescription, _ lanes: FileLanes
  ) async throws -> [Bytes] {
    let range = ByteRanges.hull(of: run)
    // DispatchIO returns its own memory, which a store copies.
    guard bypassesPageCache(of: lanes) || usesPositionalLane else {
      return try await read(range, of: source).cut(from: range.lowerBound, at: run)
    }
    let version = FileSnapshot.of(source)?.version
    let buffers = try buffers(for: run)
    var seen: FileStatus?
    if bypassesPageCache(of: lanes) {
      let (count, status) = try await lanes.positional.finish(beginDirectly(range, into: buffers, lanes))
      seen = status
      guard count == range.count else { throw try await shrank(version, at: range, got: count, lanes) }
    } else {
      let buffers = ReadBuffers.several(buffers)
      let filled =
        mayFillHere(range, lanes) ? try lanes.resident.fill(buffers, after: 0, upTo: range.count, from: range) : 0
      counters.add(filled, to: .resident)
      if filled < range.count { seen = try await fillRest(of: range, buffers, after: filled, lanes, version) }
    }
    if let version { try await check(version, after: range, lanes, seen: seen) }
    return buffers.map { $0.bytes($0.capacity) }
  }

  func beginDirectly(
    _ range: ByteRange, into buffers: [WritableBytes], _ lanes: FileLanes
  ) -> PositionalLane.Pending<Int> {
    lanes.positional.begin(range) { [direct = lanes.direct, pool = configuration.buffers] goOn in
      try direct.read(range, into: .several(buffers), pool, goOn)
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
