import Synchronization

/// What a reader has done since it was made.
public struct ReaderStatistics: Hashable, Sendable, Codable {
  /// Reads that returned bytes, windows of streams among them.
  public var reads = 0
  /// Bytes returned.
  public var bytes = 0
  /// Reads that threw anything but `CancellationError`.
  public var failures = 0
  /// Reads that were cancelled under way.
  public var cancellations = 0
  /// What the source says of itself.
  public var source = SourceStatistics()

  /// Nothing done yet.
  public init() {}
}

extension ReaderStatistics: CustomStringConvertible {
  /// One line for people.
  public var description: String {
    let lanes = source.lanes.map { "\($0.name) \($0.bytes)" }.joined(separator: ", ")
    return "\(reads) reads, \(bytes) bytes, \(failures) failures, \(cancellations) cancelled"
      + (lanes.isEmpty ? "" : "; bytes by lane: \(lanes)")
  }
}

/// Counts of one reader; two relaxed additions a read.
final class ReaderCounters: Sendable {
  private let reads = Atomic<Int>(0)
  private let bytes = Atomic<Int>(0)
  private let failures = Atomic<Int>(0)
  private let cancellations = Atomic<Int>(0)

  func succeeded(_ byteCount: Int) {
    reads.wrappingAdd(1, ordering: .relaxed)
    bytes.wrappingAdd(byteCount, ordering: .relaxed)
  }

  func failed(_ error: any Error) {
    if error is CancellationError {
      cancellations.wrappingAdd(1, ordering: .relaxed)
    } else {
      failures.wrappingAdd(1, ordering: .relaxed)
    }
  }

  func snapshot(source: SourceStatistics) -> ReaderStatistics {
    var all = ReaderStatistics()
    all.reads = reads.load(ordering: .relaxed)
    all.bytes = bytes.load(ordering: .relaxed)
    all.failures = failures.load(ordering: .relaxed)
    all.cancellations = cancellations.load(ordering: .relaxed)
    all.source = source
    return all
  }
}
