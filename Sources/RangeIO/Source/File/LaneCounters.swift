/// The lanes of a file.
enum FileLane: Int, CaseIterable {
  case resident, positional, dispatchIO
}

/// Counts reads and bytes by lane. Counting takes two relaxed additions.
final class LaneCounters: Sendable {
  /// Reads and bytes of each lane, alternating.
  private let counts = Stripes()

  func add(_ count: Int, to lane: FileLane) {
    guard count > 0 else { return }
    counts.add(1, to: lane.rawValue * 2)
    counts.add(count, to: lane.rawValue * 2 + 1)
  }

  func snapshot() -> [ReadCounts] {
    FileLane.allCases.map { lane in
      ReadCounts(
        "\(lane)", counts: ["reads": counts.sum(lane.rawValue * 2), "bytes": counts.sum(lane.rawValue * 2 + 1)])
    }
  }
}
