import Synchronization

/// Which version reads speak of.
extension ReaderCore {
  /// Whether `range` can be read of `source` without another look at it.
  static func holds(_ source: SourceDescription, _ range: ByteRange) -> Bool {
    range.lowerBound >= 0 && range.upperBound <= source.byteCount && source.isSettled
  }

  /// The version to read `range` of: the pinned one, or the present one if that is unsettled or too short.
  ///
  /// - Throws: `rangeNotSatisfiable`; `sourceChanged`.
  func lookAgain(for range: ByteRange) async throws -> SourceDescription {
    var source = source
    let isBeyond = range.upperBound > source.byteCount && !range.isEmpty
    if !source.isSettled || isBeyond && source.mayGrow { source = try await repin() }
    try Self.check(range, of: source)
    return source
  }

  /// Throws `rangeNotSatisfiable` unless `source` has the bytes of `range`.
  static func check(_ range: ByteRange, of source: SourceDescription) throws(ReadError) {
    guard range.lowerBound >= 0, range.upperBound <= source.byteCount || range.isEmpty else {
      throw .rangeNotSatisfiable("\(range)", byteCount: source.byteCount, source: source.id)
    }
  }

  /// The version that holds `range`, for a stream that begins.
  func pin(for range: ByteRange) async throws -> SourceDescription {
    try enter()
    defer { gate.leave() }
    // A stream is of one version to its end: of the present one, where that matters.
    if onChange == .refresh { _ = try await repin() }
    let source = source
    return Self.holds(source, range) ? source : try await lookAgain(for: range)
  }

  /// Looks at the source and pins what it is now.
  ///
  /// - Throws: `sourceChanged` if it is neither the version pinned nor a longer one.
  func refresh() async throws {
    try enter()
    defer { gate.leave() }
    _ = try await repin()
  }

  func repin() async throws -> SourceDescription {
    var judged: SourceDescription?
    while true {
      let now = pipeline.describe(try await link.describe())
      let verdict = pinned.withLock { pinned -> (SourceDescription, isOther: Bool) in
        guard pinned.change(to: now) == .other else {
          // A description that says nothing new is not put in the place of one that stores may know already.
          if !pinned.says(now) {
            pinned = now
            hasMoved.store(true, ordering: .releasing)
          }
          return (pinned, false)
        }
        return (pinned, true)
      }
      guard verdict.isOther else { return verdict.0 }
      // Looks of several callers may come back in another order than they were taken, and an old look at a source that
      // has grown since looks like one that shrank. A look that began after the pinned one came back is later for sure.
      guard judged !== verdict.0 else {
        if onChange == .refresh { return try await turn() }
        throw ReadError(
          .sourceChanged, "the source is another version than the one opened: open it again to read the new version",
          context: .init(source: now.id))
      }
      judged = verdict.0
    }
  }
}
