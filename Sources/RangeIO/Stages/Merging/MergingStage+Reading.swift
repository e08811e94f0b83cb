extension MergingStage {
  /// Reads one range when a permit is free; demands go before prefetches.
  nonisolated(nonsending) func readWithPermit(_ request: ReadRequest, _ next: ReadNext) async throws -> ReadResponse {
    try await permits.enter(next.link.bottom.waiting, urgency: request.urgency)
    defer { permits.leave() }
    return try await readMeasured(request, next)
  }

  nonisolated(nonsending) func readSeveral(_ request: ReadRequest, _ next: ReadNext) async throws -> ReadResponse {
    let ranges = Array(request.ranges)
    let plan = plan(ranges, request)
    count(ranges, plan)
    // Only a cache that has room sends a grid. Without such a cache, over-read bytes would only keep all spans in
    // memory until the last one arrives.
    var answer = SpannedAnswer(ranges, plan, keepsSurplus: request.grid != nil)
    if plan.spans.count == 1 {
      answer.add(try await readSpan(plan.spans[0], request, next), of: plan.spans[0])
    } else {
      try await withThrowingTaskGroup(of: (Int, Bytes).self) { group in
        // Starts no more than may be read at once, so that after an error nothing new is started.
        var started = 0
        func start() {
          guard started < plan.spans.count else { return }
          let (number, span) = (started, plan.spans[started])
          started += 1
          group.addTask { (number, try await self.readSpan(span, request, next)) }
        }
        for _ in 0..<min(concurrentSpans, plan.spans.count) { start() }
        while let (number, bytes) = try await group.next() {
          answer.add(bytes, of: plan.spans[number])
          start()
        }
      }
    }
    return answer.response
  }

  private func plan(_ ranges: [ByteRange], _ request: ReadRequest) -> SpanPlanner.Plan {
    var planner = planner(for: request.source)
    // This is one part of a plan that the cache above has already made, for all connections and within the waste limit for all
    // of it.
    if request.isOneOfMany { (planner.maxWaste, planner.haveOwnRate) = (.infinity, false) }
    return planner.plan(ranges)
  }

  private func count(_ ranges: [ByteRange], _ plan: SpanPlanner.Plan) {
    let merged = plan.spans.reduce(0) { $0 + ($1.asked.count > 1 ? $1.asked.count : 0) }
    counts.withLock { counts in
      counts.requests += 1
      counts.ranges += ranges.count
      counts.spans += plan.spans.count
      counts.merged += merged
      counts.overReadBytes += plan.overReadBytes
    }
  }

  private nonisolated(nonsending) func readSpan(
    _ span: SpanPlanner.Span, _ request: ReadRequest, _ next: ReadNext
  ) async throws -> Bytes {
    var one = request
    one.range = span.range
    one.moreRanges = []
    let response = try await readWithPermit(one, next)
    // The response is cut by the requested range, so it must have exactly that length.
    try response.check(one)
    return response.bytes
  }
}

/// The response to a read of several ranges, assembled from spans as they arrive.
private struct SpannedAnswer {
  private let ranges: [ByteRange]
  private let order: [Int]
  private let keepsSurplus: Bool
  private var pieces: [Bytes]
  private var overRead: [RangedBytes] = []
  /// Of a span of which more than this many times the requested bytes are over-read, the over-read is not kept: it would evict
  /// what is of use.
  private static let maxKeptWaste = 32

  init(_ ranges: [ByteRange], _ plan: SpanPlanner.Plan, keepsSurplus: Bool) {
    self.ranges = ranges
    order = plan.order
    self.keepsSurplus = keepsSurplus
    pieces = [Bytes](repeating: Bytes(), count: ranges.count)
  }

  var response: ReadResponse {
    // A request has a range at least.
    var response = ReadResponse(OneOrMore(pieces)!)
    if !overRead.isEmpty { response.overRead = overRead }
    return response
  }

  mutating func add(_ bytes: Bytes, of span: SpanPlanner.Span) {
    let whole = RangedBytes(span.range, bytes)
    var between: [ByteRange] = []
    var cursor = span.range.lowerBound
    for number in order[span.asked] {
      let range = ranges[number]
      if range.lowerBound > cursor { between.append(cursor..<range.lowerBound) }
      cursor = max(cursor, range.upperBound)
    }
    let unasked = between.reduce(0) { $0 + $1.count }
    let asked = bytes.count - unasked
    if keepsSurplus, unasked / Self.maxKeptWaste <= max(asked, SpanPlanner.minAskedBytes) {
      overRead += between.map { RangedBytes($0, whole.bytes(of: $0)) }
    }
    let isSparse = 2 * asked < bytes.count
    for number in order[span.asked] {
      let piece = whole.bytes(of: ranges[number])
      // First cuts a rope to the blocks that the range touches: each has its own memory.
      pieces[number] = isSparse ? Bytes(concatenating: CollectionOfOne(piece)).compacted() : piece
    }
  }
}
