/// The counters of a ``ReadAhead``.
final class ReadAheadCounters: Sendable {
  enum Counter: Int {
    case runs, asked, used, wasted, cached, refused, failed
  }
  private let counts = Stripes()

  func add(_ value: Int, _ counter: Counter) { if value != 0 { counts.add(value, to: counter.rawValue) } }

  func snapshot() -> ReadCounts {
    func sum(_ counter: Counter) -> Int { counts.sum(counter.rawValue) }
    return ReadCounts(
      "ReadAhead",
      counts: [
        .init("runs", sum(.runs)), .init("bytes asked for", sum(.asked)), .init("bytes used", sum(.used)),
        .init("bytes cached already", sum(.cached)), .init("bytes beyond the budget", sum(.refused)),
        .init("bytes that failed", sum(.failed)),
      ], wastedBytes: sum(.wasted))
  }
}
