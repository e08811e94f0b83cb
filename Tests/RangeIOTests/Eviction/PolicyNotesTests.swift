import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// A store keeps what its policy knows of a block in the block's own memory. A policy that it does not know has arrays.
@Suite struct PolicyNotesTests {
  /// Behind another type, so that a store does not know it.
  private struct Wrapped: EvictionPolicy {
    var inner: S3FIFO

    var capacity: Int {
      get { inner.capacity }
      set { inner.capacity = newValue }
    }
    mutating func insert(_ slot: Int, key: UInt64, weight: Int) { inner.insert(slot, key: key, weight: weight) }
    mutating func hit(_ slot: Int) { inner.hit(slot) }
    mutating func reweigh(_ slot: Int, weight: Int) { inner.reweigh(slot, weight: weight) }
    mutating func remove(_ slot: Int) { inner.remove(slot) }
    mutating func evict() -> Int? { inner.evict() }
  }

  private struct Side {
    let store: MemoryStore
    let sources: [StoredSource]

    init(_ eviction: Eviction) {
      var configuration = MemoryStore.Configuration(limit: .bytes(60 * MemoryStore.charge(of: 512)))
      configuration.shards = 1
      configuration.eviction = eviction
      let store = MemoryStore(configuration)
      self.store = store
      sources = (0..<3).map {
        StoredSource(store, id: "\($0)", version: $0, byteCount: 1 << 18, blockSize: 512, reading: true)
      }
    }

    var held: [[ByteRange]] { sources.map { store.cachedRanges(of: $0.source) } }

    /// One operation of those that `random` chooses; what came of it.
    func operate(_ random: inout TestRandom) -> String {
      let source = sources[random.below(3)]
      let block = source.block(min(random.below(120), random.below(120)))
      let lower = block.lowerBound + random.below(400)
      let part = lower..<lower + 1 + random.below(100)
      let (choice, one, limit) = (random.below(100), random.below(2) == 0, 30 + random.below(60))
      switch choice {
      case 0..<45: return "\(source.read(one ? block : part)?.count ?? 0)"
      case 45..<80: return "\(source.put(block))"
      case 80..<90: return "\(source.put(part))"
      case 90, 91: store.remove(block, of: source.source)
      case 92 where one: store.remove(source: source.source.id)
      case 93, 94: return "\((try? store.pin(block, of: source.source)) != nil)"
      case 95..<98: store.unpin(0..<1 << 18, of: source.source)
      case 98:
        store.setLimit(MemoryStore.charge(of: 512) * limit)
        store.shed(to: MemoryStore.charge(of: 512) * limit)
      default: break
      }
      return ""
    }
  }

  @Test(arguments: 0...6) func `a policy with notes does what one with arrays does`(_ kind: Int) {
    let parameters = ([.s3fifo] + PolicyTuner.Settings().candidates)[kind]
    for seed in UInt64(1)...3 {
      let notes = Side(Eviction(name: "notes") { S3FIFO(capacity: $0, parameters) })
      let arrays = Side(Eviction(name: "arrays") { Wrapped(inner: S3FIFO(capacity: $0, parameters)) })
      var (random, same) = (TestRandom(seed), TestRandom(seed))
      for step in 0..<1500 {
        let (a, b) = (notes.operate(&random), arrays.operate(&same))
        let isSame = step % 10 > 0 || notes.held == arrays.held && notes.store.ledger.bytes == arrays.store.ledger.bytes
        guard a == b, isSame else {
          Issue.record("\(parameters.name), seed \(seed): they differ at step \(step): \(a), \(b)")
          return
        }
      }
      #expect(notes.store.counts().evictions > 100)
    }
  }
}
