import Synchronization

extension RangeReader {
  /// The counts of a reader since it was created.
  public struct Statistics: Hashable, Sendable, Encodable {
    /// Reads that returned bytes, including windows of streams.
    public package(set) var reads = 0
    /// Bytes returned.
    public package(set) var bytes = 0
    /// Reads that threw an error other than `CancellationError`. Reads from a reader that was already closed are not
    /// counted.
    public package(set) var failures = 0
    /// Reads that were cancelled while they ran.
    public package(set) var cancellations = 0
    /// The number of `reads` that a cache answered alone, no matter which reader had filled it. `nil` without a cache.
    ///
    /// A read that waits for another read's fetch is not a hit, nor is a read of which a part was missing.
    public package(set) var cacheHits: Int?
    /// The counts of the stages, from the top down. Stages that count nothing are left out.
    public package(set) var stages: [Counters] = []
    /// The counts of the source, for each of its ways to read.
    public package(set) var source: [Counters] = []

    init() {}
  }
}

extension RangeReader.Statistics: CustomStringConvertible {
  /// Text for people: one line for the reads, and one for each stage.
  public var description: String {
    ([line] + stages.map { "  \($0)" }).joined(separator: "\n")
  }

  var line: String {
    let lanes = source.map { "\($0.name) \($0.bytes ?? 0)" }.joined(separator: ", ")
    return "\(reads) reads, \(bytes) bytes, \(failures) failures, \(cancellations) cancelled"
      + (lanes.isEmpty ? "" : "; bytes by lane: \(lanes)")
  }
}

/// The counters of one reader. A read costs no atomic addition where each thread has a stripe of its own.
final class ReaderCounters: Sendable {
  private let successes = ThreadTallies()
  private let failures = Atomic<Int>(0)
  private let cancellations = Atomic<Int>(0)

  func succeeded(_ byteCount: Int) { successes.add(byteCount) }

  func failed(_ error: any Error) {
    if error is CancellationError {
      cancellations.wrappingAdd(1, ordering: .relaxed)
    } else {
      failures.wrappingAdd(1, ordering: .relaxed)
    }
  }

  func snapshot(_ stages: [Counters], source: [Counters]) -> RangeReader.Statistics {
    var all = RangeReader.Statistics()
    (all.reads, all.bytes) = successes.sums()
    all.failures = failures.load(ordering: .relaxed)
    all.cancellations = cancellations.load(ordering: .relaxed)
    all.stages = stages
    all.source = source
    return all
  }
}
