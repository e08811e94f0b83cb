import Synchronization

/// Which version a read uses.
extension ReaderCore {
  /// True if `range` can be read from `source` without checking the source again.
  static func holds(_ source: SourceDescription, _ range: ByteRange) -> Bool {
    lies(range, within: source) && source.isSettled && range.count <= maxBytes
  }

  static func lies(_ range: ByteRange, within source: SourceDescription) -> Bool {
    range.lowerBound >= 0 && range.upperBound <= source.byteCount
  }

  /// More bytes than a process can address: they fit into no memory, and sums of such counts would overflow.
  private static let maxBytes = 1 << 47

  /// The version to read `range` from: the pinned one, or the current one if the pinned one is unsettled or too short.
  /// Throws `rangeNotSatisfiable`; `sourceChanged`.
  func lookAgain(for range: ByteRange) async throws -> SourceDescription {
    var source = source
    // Past the end: the source may have grown. The caller then gets the bytes, or the error that says that it changed.
    let isBeyond = range.upperBound > source.byteCount && !range.isEmpty
    if !source.isSettled || isBeyond { source = try await repin() }
    try Self.check(range, of: source)
    return source
  }

  /// Throws `rangeNotSatisfiable` unless `source` has the bytes of `range`.
  static func check(_ range: ByteRange, of source: SourceDescription) throws(ReadError) {
    guard range.lowerBound >= 0, range.upperBound <= source.byteCount || range.isEmpty else {
      throw .rangeNotSatisfiable("\(range)", range, byteCount: source.byteCount, source: source.name)
    }
  }

  /// Throws `limitExceeded` if `range` is more than can be read at once.
  static func checkCount(_ range: ByteRange, of source: SourceDescription) throws(ReadError) {
    guard range.count <= maxBytes else {
      throw ReadError(
        .limitExceeded, "no memory takes so many bytes at once: read parts, or a stream",
        context: .init(source: source.name, offset: range.lowerBound, count: range.count))
    }
  }

  /// Chooses the version that a new stream reads, and its range there.
  ///
  /// - Parameters:
  ///   - isToTheEnd: whether the range depends on the size of the source.
  ///   - rule: returns the range for a given version.
  func pin(
    isToTheEnd: Bool, _ rule: (SourceDescription) throws -> ByteRange
  ) async throws -> (source: SourceDescription, range: ByteRange) {
    try enter()
    defer { gate.leave() }
    var source = source
    // A stream stays on one version to its end. With `.refresh` this must be the current one.
    if onChange.refreshes {
      source = try await current()
    } else if isToTheEnd && source.mayGrow {
      source = try await repin()
    }
    let range = try rule(source)
    guard !Self.lies(range, within: source) || !source.isSettled else { return (source, range) }
    source = try await lookAgain(for: range)
    let rangeNow = try rule(source)
    try Self.check(rangeNow, of: source)
    return (source, rangeNow)
  }

  /// Checks the source, and what its name leads to if the policy needs that, and pins the result. Throws
  /// `sourceChanged` if it is neither the pinned version nor one that extends it.
  func refresh() async throws {
    try enter()
    defer { gate.leave() }
    _ = try await onChange.refreshes ? switchVersion() : repin()
  }

  func repin() async throws -> SourceDescription {
    var judged: SourceDescription?
    while true {
      let now = pipeline.describe(try await link.describe(after: source))
      let verdict = pinned.withLock { pinned -> (SourceDescription, isOther: Bool, isLonger: Bool) in
        guard pinned.change(to: now) == .other else {
          let isLonger = now.byteCount > pinned.byteCount
          // If the new description says nothing new, keep the old one, because stores may already know it.
          if !pinned.isEquivalent(to: now) {
            pinned = now
            hasMoved.store(true, ordering: .releasing)
          }
          return (pinned, false, isLonger)
        }
        return (pinned, true, false)
      }
      if verdict.isLonger { growth.notify() }
      guard verdict.isOther else { return verdict.0 }
      // Checks by several callers may finish out of order. An old result for a source that has grown since looks as if
      // the source had shrunk. Only a check that began after the pinned one finished is certain to be newer.
      guard judged !== verdict.0 else {
        if onChange.refreshes { return try await switchVersion() }
        throw ReadError.another(now, than: verdict.0)
      }
      judged = verdict.0
    }
  }
}

extension ReadError {
  /// The source is `now`, which is neither `pinned` nor a longer version of it.
  static func another(_ now: SourceDescription, than pinned: SourceDescription) -> ReadError {
    let explained = pinned.validator as? any ExplainedValidator
    let how = now.validator.flatMap { explained?.difference(to: $0) } ?? "the source has become another version"
    let isLonger = explained != nil && !pinned.mayGrow && now.byteCount > pinned.byteCount
    return .changed(how, isLonger: isLonger, .init(source: now.name))
  }
}
