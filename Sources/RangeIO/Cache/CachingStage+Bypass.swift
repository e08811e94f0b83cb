/// Reads that bypass the store: they keep nothing, and share nothing with other reads.
extension CachingStage {
  /// Reads without the store, if that is allowed.
  func readBypassing(_ request: ReadRequest, _ next: ReadNext) async throws -> ReadResponse {
    guard request.caching != .onlyIfCached else { throw ReadError.notCached(request) }
    let response: ReadResponse
    // Without an asynchronous call, if that can be.
    if let ready = readBypassingAtHand(request, next) { response = ready } else { response = try await next(request) }
    countMiss(request, next)
    return response
  }

  /// Counts a reader's read that the store could not answer alone. Hits are not counted: they are the difference, so
  /// they cost nothing.
  func countMiss(_ request: ReadRequest, _ next: ReadNext) {
    // A read that a cache above makes for its flights is counted there.
    guard request.purpose == .demand, !EnclosingRead.isFlight(through: next) else { return }
    next.bottom.countCacheMiss()
  }

  /// Reads the missing part without keeping it and without sharing it with other reads.
  func readBypassing(_ found: CachedParts, _ request: ReadRequest, _ next: ReadNext) async throws -> ReadResponse {
    guard !found.pieces.isEmpty else { return try await readBypassing(request, next) }
    var found = found
    var missing = request
    missing.range = found.gaps[0]
    if found.gaps.count > 1 { missing.moreRanges = Array(found.gaps[1...]) }
    let response = try await readBypassing(missing, next)
    try response.check(missing)
    for (gap, bytes) in zip(found.gaps, response.pieces) {
      found.pieces.append(RangedBytes(gap, bytes))
    }
    return found.response(to: request)
  }

  /// Reads exactly the requested ranges, one by one, after a wider read failed. Throws `error` if it cannot come from
  /// the bytes that were not requested, or if there are too many ranges.
  func readExactly(_ request: ReadRequest, _ next: ReadNext, instead error: any Error) async throws
    -> ReadResponse
  {
    guard let known = error as? ReadError, Self.mayConcernTheRest(known),
      request.moreRanges.count < Self.maxExactReads
    else { throw error }
    var all: [Bytes] = []
    for range in request.ranges {
      var one = request
      (one.range, one.moreRanges) = (range, [])
      let response = try await readBypassing(one, next)
      try response.check(one)
      all.append(response.bytes)
    }
    return ReadResponse(OneOrMore(all)!)  // a request has a range at least
  }

  /// The most ranges to read one by one: each is a request.
  private static let maxExactReads = 16

  /// True if the fetch reads only requested bytes. False for several ranges: a fetch may read the bytes between them.
  func isExact(_ request: ReadRequest, _ fetched: ByteRange) -> Bool {
    request.moreRanges.isEmpty && request.range.lowerBound <= fetched.lowerBound
      && fetched.upperBound <= request.range.upperBound
  }

  /// True if a read of exactly the requested bytes may succeed after a wider read failed with `error`.
  private static func mayConcernTheRest(_ error: ReadError) -> Bool {
    error.mayConcernAPart || [.limitExceeded, .resourcesExhausted].contains(error.code) && !error.isTransient
  }
}
