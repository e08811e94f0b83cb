import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What policies decide at the borders of their numbers.
struct EvictionBordersTests {
  private let rare = QueueParameters(smallShare: 10, promotion: .reads(2))

  @Test(arguments: [2, 63, 64, 65])
  func `below 64 chunks the small queue has room for one, from there on for its share`(count: Int) {
    var policy = S3FIFO(capacity: 1_000_000, rare)
    for slot in 0..<count { policy.insert(slot, key: UInt64(slot), weight: 1000) }
    let small = count < 64 ? 1000 : 10 * count
    #expect(policy.mainTarget == 1000 * count - small)
  }

  @Test func `a policy that compares frequencies looks at 64 chunks, though all were read`() {
    var policy = S3FIFO(capacity: 1000, QueueParameters(smallShare: 10, promotion: .frequency(lead: 0)))
    for slot in 0..<200 { policy.insert(slot, key: UInt64(slot), weight: 1) }
    for slot in 0..<200 { for _ in 0..<3 { policy.hit(slot) } }
    #expect(policy.evict() != nil)
    #expect(policy.looks == 64)
  }

  @Test func `the memory that a policy tells is that of its parts`() {
    var policy = S3FIFO(capacity: 1000)
    for slot in 0..<1200 {
      policy.insert(slot, key: UInt64(slot), weight: 1)
      if slot >= 1000 { _ = policy.evict() }
    }
    #expect(policy.rememberedByteCount > 0)
    let own = policy.queues.byteCount + policy.marks.capacity + 8 * policy.details.capacity
    #expect(policy.byteCount == own + policy.rememberedByteCount)
    // At most a quarter in reserve, and what the allocator rounds up.
    #expect(own >= 1200 * 17 && own <= 1600 * 17)
  }

  @Test func `the tuner hears of the chunks that were missed; of none if there is none, and of all if none was`() {
    var settings = PolicyTuner.Settings()
    settings.smallestSample = 16
    var policy = S3FIFO.tuned(capacity: 64_000, settings)
    var tuner = PolicyTuner(capacity: 64_000, settings)
    policy.consult(&tuner)
    #expect(tuner.byteCount == 0)
    policy.insert(0, key: 0, weight: 1, isRead: false, .none)
    var alone = tuner
    var copy = policy
    copy.consult(&alone)
    #expect(alone.byteCount > 0)
    for slot in 1...4 { policy.insert(slot, key: UInt64(slot), weight: 1, isRead: false, .none) }
    policy.insert(5, key: 5, weight: 1000, .none)
    policy.consult(&tuner)
    // 64 chunks of the weight that was missed, a quarter of which is the least sample; not 383 of what is held on average.
    #expect(tuner.level == 2)
    policy.consult(&tuner)
    #expect(tuner.level == 2)
  }
}
