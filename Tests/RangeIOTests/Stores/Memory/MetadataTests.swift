import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Metadata that comes while its version goes.
struct MetadataTests {
  private final class Interruption: Sendable {
    private let work = Locked<(@Sendable () -> Void)?>(nil)
    var isDue: Bool { work.withLock { $0 != nil } }
    func set(_ new: @escaping @Sendable () -> Void) { work.withLock { $0 = new } }
    func happen() {
      let due = work.withLock { work in
        defer { work = nil }
        return work
      }
      due?()
    }
  }

  /// Is interrupted, once, when a chunk is removed.
  private struct Interrupting: EvictionPolicy {
    var policy: LRU
    let interruption: Interruption

    var capacity: Int {
      get { policy.capacity }
      set { policy.capacity = newValue }
    }
    mutating func insert(_ slot: Int, key: UInt64, weight: Int) { policy.insert(slot, key: key, weight: weight) }
    mutating func hit(_ slot: Int) { policy.hit(slot) }
    mutating func reweigh(_ slot: Int, weight: Int) { policy.reweigh(slot, weight: weight) }
    mutating func remove(_ slot: Int) {
      interruption.happen()
      policy.remove(slot)
    }
    mutating func evict() -> Int? { policy.evict() }
  }

  @Test func `what comes while its version is retired is charged for as long as it can be found`() async throws {
    let interruption = Interruption()
    var configuration = MemoryStore.Configuration(limit: MemoryStore.charge(blocks: 64))
    configuration.shards = 64
    configuration.eviction = Eviction(name: "interrupting") {
      Interrupting(policy: LRU(capacity: $0), interruption: interruption)
    }
    let store = MemoryStore(configuration)
    func shard(_ token: UInt64) -> Int { store.shards.index(of: ChunkTable.hash(token: token, block: 0)) }
    let first = StoredSource(store, id: "going", byteCount: 100)
    #expect(first.put(0..<100))
    let second = SourceDescription(
      id: "going", validator: ModelValidator(number: 1), byteCount: 100, preferredBlockSize: .kibibytes(4))
    try #require(shard(first.token.number) != shard(first.token.number + 1), "one is locked while the other is erased")
    interruption.set {
      // The third version comes while the second erases the first.
      _ = StoredSource(store, id: "going", version: 2, byteCount: 100)
    }
    try store.setMetadata(Bytes([1, 2, 3]), of: second)
    #expect(!interruption.isDue)
    for await _ in store.removeAll() {}
    #expect(store.metadata(of: second) == nil)
    #expect(store.counts().bytes == 0)
  }
}
