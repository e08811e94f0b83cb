import Synchronization

/// The ways by which the bytes of a file come.
enum FileLane: Int, CaseIterable {
  case resident, positional, dispatchIO
}

/// What came by which lane. Counting is two relaxed additions.
final class LaneCounters: Sendable {
  private struct Counter: ~Copyable {
    let reads = Atomic<Int>(0)
    let bytes = Atomic<Int>(0)

    func add(_ count: Int) {
      guard count > 0 else { return }
      reads.wrappingAdd(1, ordering: .relaxed)
      bytes.wrappingAdd(count, ordering: .relaxed)
    }

    func snapshot(_ lane: FileLane) -> SourceStatistics.Lane {
      .init(name: "\(lane)", reads: reads.load(ordering: .relaxed), bytes: bytes.load(ordering: .relaxed))
    }
  }

  private let resident = Counter()
  private let positional = Counter()
  private let dispatchIO = Counter()

  func add(_ count: Int, to lane: FileLane) {
    switch lane {
    case .resident: resident.add(count)
    case .positional: positional.add(count)
    case .dispatchIO: dispatchIO.add(count)
    }
  }

  func snapshot() -> SourceStatistics {
    SourceStatistics(lanes: [
      resident.snapshot(.resident), positional.snapshot(.positional), dispatchIO.snapshot(.dispatchIO),
    ])
  }
}
