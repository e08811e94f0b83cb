import CRangeIOSystem
import Synchronization

extension RangeReader {
  /// Reads the bytes of `range`. Offsets count from the start of the source.
  ///
  /// ```swift
  /// let header = try await reader.read(0..<4096)
  /// ```
  ///
  /// - Returns: exactly `range.count` bytes, all of one version of the source. An empty range gives empty bytes.
  /// - Throws: `ReadError` with `rangeNotSatisfiable` for a negative offset or a range past the end, `sourceChanged`,
  ///   `closed`, or `limitExceeded` for more than 128 TiB; any error of the source or the stages; `CancellationError`
  ///   at once when cancelled.
  /// - Complexity: up to 256 KiB from the page cache of a local file cost one allocation and do not suspend (on Linux;
  ///   elsewhere, and for longer ranges, a thread switch). A hit in a memory cache costs neither.
  public nonisolated(nonsending) func read(_ range: ByteRange) async throws -> Bytes {
    var isAbsent = false
    if let bytes = core.hit(range, isAbsent: &isAbsent) { return bytes }
    return try await core.read(range, isAbsent: isAbsent)
  }

  /// Reads a range in any form: `4096...` to the current end, `..<512`, `0...3`, `...3`. You can choose what the cache
  /// may do.
  ///
  /// - Throws: as ``read(_:)-(ByteRange)``; `ReadError.Code.notCached` for `.onlyIfCached`, if the cache does not have
  ///   all of the range. Without a `.caching` stage, `.onlyIfCached` makes no difference.
  public nonisolated(nonsending) func read(
    _ range: some RangeExpression<Int> & Sendable, caching: ReadRequest.CachePolicy = .normal
  ) async throws -> Bytes {
    // Known without the size of the source.
    if let range = range as? ByteRange { return try await core.read(range, caching: caching) }
    return try await core.read(AskedRange(range), caching: caching)
  }

  /// Reads all bytes of the source as it is now: `read(...)`.
  ///
  /// - Throws: as ``read(_:)-(ByteRange)``.
  public nonisolated(nonsending) func read(_ range: UnboundedRange) async throws -> Bytes {
    try await core.read(.from(0), caching: .normal)
  }

  /// Reads `count` bytes from `offset`. Use this for numbers that come from data, where `offset..<end` could trap.
  ///
  /// - Throws: as ``read(_:caching:)->Bytes``; `rangeNotSatisfiable` also for a negative count and for a sum that
  ///   overflows.
  public nonisolated(nonsending) func read(
    offset: Int, count: Int, caching: ReadRequest.CachePolicy = .normal
  ) async throws -> Bytes {
    guard let range = ByteRanges.range(offset: offset, count: count) else {
      throw ReadError.rangeNotSatisfiable("\(count) bytes at \(offset)", byteCount: byteCount, source: source.name)
    }
    guard caching == .normal else { return try await core.read(range, caching: caching) }
    var isAbsent = false
    if let bytes = core.hit(range, isAbsent: &isAbsent) { return bytes }
    return try await core.read(range, isAbsent: isAbsent)
  }

  /// Reads `count` bytes from `offset`, of any integer types: such as the `UInt64` of a directory in a file.
  ///
  /// - Throws: as for `Int`; `rangeNotSatisfiable` also for numbers that are larger than any `Int`.
  public nonisolated(nonsending) func read(
    offset: some BinaryInteger, count: some BinaryInteger, caching: ReadRequest.CachePolicy = .normal
  ) async throws -> Bytes {
    guard let first = Int(exactly: offset), let size = Int(exactly: count) else {
      throw ReadError.rangeNotSatisfiable("\(count) bytes at \(offset)", byteCount: byteCount, source: source.name)
    }
    return try await read(offset: first, count: size, caching: caching)
  }

  /// Reads the first `count` bytes of the source as it is now, or all of it if it has fewer: a magic number, a header of which you
  /// do not know whether it is all there.
  ///
  /// - Throws: as ``read(_:caching:)->Bytes``; `rangeNotSatisfiable` for a negative count.
  public nonisolated(nonsending) func read(
    prefix count: Int, caching: ReadRequest.CachePolicy = .normal
  ) async throws -> Bytes {
    try await core.read(.prefix(count), caching: caching)
  }

  /// Reads the last `count` bytes of the source as it is now, or all of it if it has fewer (as in RFC 9110, 14.1.2).
  ///
  /// - Throws: as ``read(_:caching:)->Bytes``; `rangeNotSatisfiable` for a negative count.
  public nonisolated(nonsending) func read(
    suffix count: Int, caching: ReadRequest.CachePolicy = .normal
  ) async throws -> Bytes {
    try await core.read(.suffix(count), caching: caching)
  }

  /// Reads several ranges as one request, which the stages and the source may combine.
  ///
  /// The ranges may be in any order, overlap, and be empty. All bytes are of one version, or the read throws.
  ///
  /// - Returns: the bytes of each range, in the order of `ranges`.
  /// - Throws: as ``read(_:)-(ByteRange)``, for the first range that fails, and as ``read(_:caching:)->Bytes``.
  public nonisolated(nonsending) func read(
    _ ranges: [ByteRange], caching: ReadRequest.CachePolicy = .normal
  ) async throws -> [Bytes] {
    try await core.read(ranges, caching: caching)
  }
}

extension RangeReader {
  /// Returns the bytes of `range` without waiting, if the cache has all of them in memory now. For code that cannot
  /// `await`, such as a render loop, and for the hottest paths.
  ///
  /// ```swift
  /// if let tile = reader.cached(range) {
  ///   draw(tile)
  /// } else {
  ///   reader.advise(.willNeed, range)  // a later frame finds it
  /// }
  /// ```
  ///
  /// A cache hit counts as a read and as a use of the block, just like a hit of ``read(_:)-(ByteRange)``.
  ///
  /// - Returns: exactly `range.count` bytes, of the same version that reads return; empty bytes for an empty range
  ///   within the source. `nil` if the cache does not have all of the bytes in memory. Blocks in a compressed tier or
  ///   on a disk give `nil`; the next `read` loads them. `nil` also if there is no `.caching` stage, if a stage above
  ///   it has no ``ReadStage/answer(_:next:)``, if the range is past the end of the source, or if the reader is closed.
  /// - Complexity: within one block, a hash look-up and a slice, without allocation. Across blocks, that for each
  ///   block, and one `Bytes` that joins the pieces without copying them.
  public nonisolated func cached(_ range: ByteRange) -> Bytes? { core.cached(range) }
}

extension ReaderCore {
  /// Most hits lie in one block of a cache that is the topmost stage. They need no request, no asynchronous call, and no
  /// use of the gate, since no stage of the user's is called: the memory of a store needs nothing that closing takes.
  @inline(__always) private func hitOnTop(_ range: ByteRange, isAbsent: inout Bool) -> Bytes? {
    guard isCacheOnTop, !hasMoved.load(ordering: .acquiring), Self.holds(first, range), !range.isEmpty, !gate.isClosed,
      let bytes = topCache.hit(range, of: first, isAbsent: &isAbsent)
    else { return nil }
    counters.succeeded(range.count)
    return bytes
  }

  /// The bytes of a hit on top: ``RangeReader/read(_:)-(ByteRange)`` looks here first. `nil` proves nothing, and counts nothing.
  ///
  /// - Parameter isAbsent: set if nothing of the range's block is in the memory of the topmost cache.
  @inline(__always) func hit(_ range: ByteRange, isAbsent: inout Bool) -> Bytes? {
    isCacheOnTop && !rio_task_is_cancelled() ? hitOnTop(range, isAbsent: &isAbsent) : nil
  }

  @inline(__always) func cached(_ range: ByteRange) -> Bytes? {
    var isAbsent = false
    return hitOnTop(range, isAbsent: &isAbsent) ?? cachedBelow(range)
  }

  private func cachedBelow(_ range: ByteRange) -> Bytes? {
    // A source may also have bytes ready without waiting. Those do not count: they are not from a cache.
    hasCache ? answer(range, of: source) : nil
  }

  /// The bytes of `range` of a version, if nothing must be waited for; `nil` otherwise, and if they cannot be read.
  func answer(_ range: ByteRange, of source: SourceDescription) -> Bytes? {
    guard Self.lies(range, within: source), gate.enter() else { return nil }
    defer { gate.leave() }
    guard !range.isEmpty else { return Bytes() }
    var request = ReadRequest(plain: range, of: source)
    var answer = head.answer(request)
    if case .later = answer, hasCache {
      // The range may span several blocks.
      request.caching = .onlyIfCached
      answer = head.answer(request)
    }
    guard let bytes = answer.value?.bytes, bytes.count == range.count else { return nil }
    counters.succeeded(bytes.count)
    return bytes
  }
}

extension RangeReader {
  /// Explains where each byte of `range` would come from now, and why not from a nearer place.
  ///
  /// The result is a snapshot and may be out of date by the time you look at it. This reads nothing and changes no
  /// counters. It does not say what the system's page cache holds of a local file; only the source deals with that.
  ///
  /// - Throws: `ReadError` with `rangeNotSatisfiable` if the opened version does not have the range, `limitExceeded`
  ///   for more than 128 TiB, or `closed`.
  /// - Complexity: O(blocks), one cache lock for each. Does not suspend for up to 256 blocks. It examines longer ranges
  ///   on another thread, so that it does not block an actor, and also sources that a stage has changed.
  public nonisolated(nonsending) func explain(_ range: ByteRange) async throws -> ReadExplanation {
    guard core.gate.enter() else { throw ReadError.closed }
    defer { core.gate.leave() }
    let source = core.source
    try ReaderCore.check(range, of: source)
    try ReaderCore.checkCount(range, of: source)
    guard !range.isEmpty else { return ReadExplanation([]) }
    let head = core.head
    let caches = core.pipeline.stages.lazy.compactMap { $0 as? CachingStage }
    let blockCount = caches.reduce(0) { $0 + $1.grid(of: source).blocks(covering: range).count }
    // What a stage has changed may come from more bytes than it has, in other blocks.
    guard source.base != nil || blockCount > CachingStage.maxBlocksHere else {
      return ReadExplanation(head.explain(range, of: source))
    }
    return try await BackgroundWork.offActor { ReadExplanation(head.explain(range, of: source)) }
  }
}

extension RangeReader {
  /// Announces how you will use `range`. Returns at once. Errors are not reported.
  ///
  /// `.willNeed`: you will read it soon. The reader prefetches it into the cache in the background, after the reads
  /// that callers wait for. If the range is longer than half the cache's limit, it prefetches only the beginning. The
  /// prefetch counts against the budget of `.readAhead`, if there is one, and stops when the budget is spent. Without a
  /// cache the hint goes to the source, which may read ahead by itself; for a local file the system does. Bytes past
  /// the end are left out, and nothing is fetched from a source that has just changed (`isSettled` of its traits).
  ///
  /// `.dontNeed`: you will not read it again for a long time. The reader removes the whole blocks within it from the cache, with all
  /// its tiers, a disk included, and cancels read-ahead for it. Other readers that use the same bytes through the same cache must
  /// fetch them again.
  public nonisolated func advise(_ advice: ReadAdvice, _ range: ByteRange) { core.advise(advice, range) }
}

extension ReaderCore {
  func advise(_ advice: ReadAdvice, _ range: ByteRange) {
    guard gate.enter() else { return }
    defer { gate.leave() }
    let source = source
    guard let range = ByteRanges.intersection(range, 0..<source.byteCount), source.isSettled else { return }
    switch advice {
    case .willNeed where head.isKept:
      // The result is not reported to anyone.
      _ = head.startFlight(elsewhere: true) { [head] in await Self.fetch(range, of: source, by: head) }
    case .dontNeed:
      head.discard(range, of: source)
      fallthrough
    case .willNeed:
      guard source.base == nil else { return }
      link.source.advise(advice, range, of: source)
    }
  }

  /// The most parts of a hint in flight at once.
  private static let maxHintedParts = 4

  /// Reads the part of `range` that the cache will keep, a few parts at once. Stops when a part fails.
  private static func fetch(_ range: ByteRange, of source: SourceDescription, by head: ReadNext) async {
    let kept = head.kept(of: range, of: source)
    let length = FlightTable.maxFlightBytes
    var start = kept.lowerBound
    await withTaskGroup(of: Bool.self) { group in
      func fetchNext() {
        guard start < kept.upperBound else { return }
        var request = ReadRequest(start..<start + min(length, kept.upperBound - start), of: source)
        start = request.range.upperBound
        request.purpose = .prefetch
        group.addTask { [request] in (try? await head(request)) != nil }
      }
      for _ in 0..<maxHintedParts { fetchNext() }
      var goesOn = true
      for await isHere in group {
        goesOn = goesOn && isHere
        if goesOn { fetchNext() }
      }
    }
  }
}
