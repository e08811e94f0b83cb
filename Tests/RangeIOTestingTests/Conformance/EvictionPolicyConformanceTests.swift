import RangeIO
import RangeIOTesting
import Testing

struct EvictionPolicyConformanceTests {
  private func check(_ fault: Faulty.Fault?) throws {
    let factory = Eviction(name: "faulty") { Faulty(capacity: $0, fault: fault) }
    for seed in 0..<20 as Range<UInt64> { try EvictionPolicyConformance.check(factory, seed: seed) }
  }

  @Test func `first in, first out keeps the contract`() throws { try check(nil) }

  @Test(arguments: Faulty.Fault.allCases) func `each fault of a policy is found`(fault: Faulty.Fault) {
    #expect(throws: EvictionPolicyConformance.Violation.self) { try check(fault) }
  }
}

/// First in, first out, with a fault.
struct Faulty: EvictionPolicy {
  enum Fault: CaseIterable, Sendable {
    case givesTwice, givesUp, keepsRemoved, invents, forgetsHits, forgetsReweighed, ignoresCapacity, insertsTwice
  }

  let fault: Fault?
  var capacity: Int { didSet { if fault == .ignoresCapacity { capacity = oldValue } } }
  private var slots: [Int] = []
  private var evictions = 0

  init(capacity: Int, fault: Fault?) { (self.capacity, self.fault) = (capacity, fault) }

  mutating func insert(_ slot: Int, key: UInt64, weight: Int) {
    slots.append(slot)
    if fault == .insertsTwice, key == 0 { slots.append(slot) }
  }

  mutating func hit(_ slot: Int) { if fault == .forgetsHits { forget(slot) } }

  mutating func reweigh(_ slot: Int, weight: Int) { if fault == .forgetsReweighed { forget(slot) } }

  mutating func remove(_ slot: Int) { if fault != .keepsRemoved { forget(slot) } }

  mutating func evict() -> Int? {
    evictions += 1
    switch fault {
    case .givesTwice where evictions % 5 == 0: return slots.first
    case .givesUp where evictions % 5 == 0: return nil
    case .invents where evictions % 5 == 0: return 1 << 20
    default: return slots.isEmpty ? nil : slots.removeFirst()
    }
  }

  private mutating func forget(_ slot: Int) { slots.removeAll { $0 == slot } }
}
