// Caches that keep the bytes of second reads, as long as that pays.

extension CachingStage {
  /// Notes a read. Returns `true` if the store keeps what the read misses.
  ///
  /// The store keeps second reads of a source whose reads do not bypass it. Of the others it keeps a few, so that it
  /// follows what is read now; and all, as long as it need not evict anything for them.
  func keeps(_ request: ReadRequest, _ key: UInt64, _ admission: AdmissionMeter) -> Bool {
    guard admission.touches.touch(key) else { return false }
    return !request.source.isBypassed || hasRoom(for: request.range) || admission.isKeptThisTime()
  }

  /// True if a read that ``hit(_:of:isAbsent:)`` has not answered certainly bypasses the store: its range is too long,
  /// or the store has none of it and would not keep it. Never waits. `false` proves nothing.
  func bypasses(_ range: ByteRange, of source: SourceDescription, isAbsent: Bool) -> Bool {
    guard range.count <= maxReadSize else { return true }
    guard isAbsent, keepsSecondReads, let number = source.knownToken(of: number) else { return false }
    let grid = grid(of: source)
    let block = range.lowerBound >> grid.shift
    guard !sample.contains(block) else { return false }
    let key = Self.touchHash(block, number)
    let isFirst = !meter.touches.touch(key)
    // Of the reads that bypass the store, it keeps a few, see `keeps`.
    guard isFirst || source.isBypassed && !hasRoom(for: range) && meter.bypassesThisTime() else {
      return false
    }
    memory?.noteMiss(range, token: number, grid: grid, isFirst: isFirst)
    return true
  }

  /// Reads a range that begins in a block of the sample, and notes hits and times for the decision.
  ///
  /// - Parameters:
  ///   - block: its key, and the number of the token.
  ///   - isKept: `true` if the store keeps the missing bytes.
  func readSampled(
    _ request: ReadRequest, _ block: (key: UInt64, number: UInt64), _ isKept: Bool, _ admission: AdmissionMeter,
    _ next: ReadNext
  ) async throws -> ReadResponse {
    let outcomes = admission.read(
      block.key, weight: Self.charge(of: request.range), capacity: memory?.capacity ?? 0)
    // Of several blocks or pieces, perhaps.
    let isHit = store.holds(request.range, token: block.number, grid: grid(of: request.source))
    let timing = AdmissionMeter.Timing(admission)
    let start = admission.time
    let response = try await readMissing(request, next, isFirst: !isKept, timing: timing)
    // A read that fails says nothing.
    let whole = admission.time - start
    guard let token = token(of: request.source) else { return response }
    token.admission.note { gain in
      if isHit {
        gain.lookUpTook(whole)
      } else if let source = timing.nanoseconds {
        gain.readTook(source)
        gain.keepingTook(whole - source)
      } else if !isKept {
        // Of others the system may know nothing yet, and it will not take as long again.
        if outcomes.keeping != .first { gain.readTook(whole) }
      } else {
        // By way of a flight.
        gain.readTook(whole - Int64(gain.keeping.nanoseconds))
      }
      return gain.read(outcomes, isHit: isHit)
    }
    if request.source.isBypassed != token.isBypassing { request.source.isBypassed = token.isBypassing }
    return response
  }

  /// Notes a hit in a block of the sample. Seldom called, and apart from the path of a hit.
  @inline(never) func noteHit(_ range: ByteRange, _ source: SourceDescription, _ number: UInt64) {
    guard let admission, let token = store.sources.token(numbered: number) else { return }
    let key = Self.touchHash(range.lowerBound >> token.grid.shift, number)
    let outcomes = admission.read(key, weight: Self.charge(of: range), capacity: memory?.capacity ?? 0)
    let start = admission.time
    _ = store.holds(range, token: number, grid: token.grid)
    let lookUp = admission.time - start
    token.admission.note { gain in
      gain.lookUpTook(lookUp)
      return gain.read(outcomes, isHit: true)
    }
    if source.isBypassed != token.isBypassing { source.isBypassed = token.isBypassing }
  }

  private func hasRoom(for range: ByteRange) -> Bool { memory?.hasRoom(for: Self.charge(of: range)) ?? false }

  /// About the bytes that a store in memory charges for keeping a range.
  private static func charge(of range: ByteRange) -> Int { range.count + 128 }
}
