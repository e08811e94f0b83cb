import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What the guide to writing a policy shows.
@Suite struct EvictionGuideTests {
  @Test func `the policy of the guide keeps to the contract`() throws {
    let random = Eviction(name: "random") { RandomEviction(capacity: $0) }
    for seed in 0..<300 as Range<UInt64> { try EvictionPolicyConformance.check(random, seed: seed) }
  }
}

private struct RandomEviction: EvictionPolicy {
  var capacity: Int
  /// All chunks there are, and where in this list each is.
  private var slots: [Int] = []
  private var places: [Int] = []
  private var state: UInt64 = 1

  init(capacity: Int) { self.capacity = capacity }

  mutating func insert(_ slot: Int, key: UInt64, weight: Int) {
    while places.count <= slot { places.append(-1) }
    places[slot] = slots.count
    slots.append(slot)
  }
  mutating func hit(_ slot: Int) {}
  mutating func reweigh(_ slot: Int, weight: Int) {}
  mutating func remove(_ slot: Int) {
    // The last of the list takes the place of the one that leaves.
    let last = slots.removeLast()
    if last == slot { return }
    slots[places[slot]] = last
    places[last] = places[slot]
  }
  mutating func evict() -> Int? {
    guard !slots.isEmpty else { return nil }
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let slot = slots[Int((state >> 33) % UInt64(slots.count))]
    remove(slot)
    return slot
  }
}
