// One long range, read by connections that would be idle.

extension MergingStage {
  /// A part takes about as long as the request for it at least, and is about this long at least: streams ask for a mebibyte at
  /// a time, and would have many requests for nothing where they read more slowly than a connection.
  private static let minPartBytes = 1 << 20

  /// The parts in which the range of `request` is read soonest. `nil` if that is the range itself: if it is short, if the source
  /// has not measured its rate, or while other reads are under way.
  func parts(of request: ReadRequest) -> [ByteRange]? {
    let (range, source) = (request.range, request.source)
    guard measures, range.count >= 2 * Self.minPartBytes, request.purpose == .demand, permits.isIdle,
      let measured = source.measuredCost, !measured.isGuess, !source.isReadForward
    else { return nil }
    let planner = planner(for: source)
    let count = min(planner.connections, range.count / max(planner.gap, Self.minPartBytes))
    guard count > 1 else { return nil }
    // Blocks of a cache are not cut.
    let size = request.grid?.blockSize ?? 65_536
    let bounds = (1..<count).map { (range.lowerBound + range.count / count * $0) / size * size }
      .filter { $0 > range.lowerBound }
    let parts = zip([range.lowerBound] + bounds, bounds + [range.upperBound]).map { $0..<$1 }.filter { !$0.isEmpty }
    return parts.count > 1 ? parts : nil
  }

  /// Reads the range of `request` in parts beside each other. If one fails, the others are cancelled and the read fails.
  nonisolated(nonsending) func read(
    _ parts: [ByteRange], of request: ReadRequest, _ next: ReadNext
  ) async throws -> ReadResponse {
    var pieces = [Bytes](repeating: Bytes(), count: parts.count)
    try await withThrowingTaskGroup(of: (Int, Bytes).self) { group in
      for (number, part) in parts.enumerated() {
        var one = request
        one.range = part
        one.isOneOfMany = true
        group.addTask { [one] in
          let response = try await self.readWithPermit(one, next)
          try response.check(one)
          return (number, response.bytes)
        }
      }
      for try await (number, bytes) in group { pieces[number] = bytes }
    }
    return ReadResponse(Bytes(concatenating: pieces))
  }
}
