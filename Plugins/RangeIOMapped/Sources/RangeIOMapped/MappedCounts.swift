internal import RangeIO
internal import Synchronization

/// Counts the bytes that reads returned.
final class MappedCounts: Sendable {
  struct Counter: ~Copyable, Sendable {
    private let reads = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)

    func add(_ count: Int) {
      reads.wrappingAdd(1, ordering: .relaxed)
      bytes.wrappingAdd(count, ordering: .relaxed)
    }

    func lane(_ name: String) -> ReadCounts {
      ReadCounts(
        name, counts: ["reads": reads.load(ordering: .relaxed), "bytes": bytes.load(ordering: .relaxed)])
    }
  }
  let mapped = Counter()
  let copied = Counter()
}
