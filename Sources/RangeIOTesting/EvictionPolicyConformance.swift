public import RangeIO

/// Runs a policy as a shard of a store would, with random chunks, and checks that it fulfils the contract of
/// `EvictionPolicy`.
///
/// ```swift
/// @Test(arguments: 0..<1000) func `my policy keeps to the contract`(seed: UInt64) throws {
///   try EvictionPolicyConformance.check(Eviction(name: "mine") { Mine(capacity: $0) }, seed: seed)
/// }
/// ```
///
/// It cannot check how many steps a call takes: count them yourself, with the longest queue you can think of.
public enum EvictionPolicyConformance {
  /// A violation of the contract by a policy.
  public struct Violation: Error, CustomStringConvertible {
    /// The policy, the seed, and what happened.
    public let description: String
  }

  /// Creates a policy and runs a shard with random events, which `seed` repeats. Drains the policy at the end.
  public static func check(_ factory: Eviction, seed: UInt64, events: Int = 400) throws(Violation) {
    var random = SeededGenerator(seed: seed)
    let capacity = [1, 7, 40, 300, 4000].randomElement(using: &random) ?? 40
    let keys = UInt64.random(in: 1...200, using: &random)
    let heaviest = Bool.random(using: &random) ? 1 : Int.random(in: 1...capacity, using: &random)
    var shard = PolicyShard(SelfTuned(factory, capacity: capacity))
    do {
      for _ in 0..<events {
        let key = UInt64.random(in: 0..<keys, using: &random)
        let weight = Int.random(in: 1...heaviest, using: &random)
        switch UInt8.random(in: 0..<20, using: &random) {
        case 0: try shard.remove(key)
        case 1: try shard.reweigh(key, weight: weight)
        case 2 where Int.random(in: 0..<10, using: &random) == 0:
          try shard.resize(Int.random(in: 1...capacity * 2, using: &random))
        case 3 where Int.random(in: 0..<50, using: &random) == 0: try shard.drain()
        default: try shard.access(key, weight: weight)
        }
      }
      try shard.drain()
    } catch {
      throw Violation(description: "\(factory.name), seed \(seed): \(error.description)")
    }
  }
}

/// Does with a policy what a shard of a store does, but without the bytes. For tests of policies.
public struct PolicyShard {
  private struct Chunk {
    var key: UInt64
    var weight: Int
  }

  /// The policy in its current state.
  public private(set) var policy: any EvictionPolicy
  /// The total weight of all chunks.
  public private(set) var weight = 0
  /// The number of accesses that found their chunk.
  public private(set) var hits = 0
  private var slots: [UInt64: Int] = [:]
  private var chunks: [Chunk?] = []
  private var free: [Int] = []

  /// Creates a shard without chunks.
  public init(_ policy: some EvictionPolicy) { self.policy = policy }

  /// The number of stored chunks.
  public var count: Int { slots.count }
  /// Returns `true` if the chunk of `key` is stored.
  public func contains(_ key: UInt64) -> Bool { slots[key] != nil }

  /// Reads the chunk of `key`. If it is missing and fits, stores it.
  public mutating func access(_ key: UInt64, weight: Int = 1) throws(EvictionPolicyConformance.Violation) {
    if let slot = slots[key] {
      hits += 1
      return policy.hit(slot)
    }
    guard weight <= policy.capacity, policy.admits(key: key, weight: weight) else { return }
    try makeRoom(weight)
    let slot = free.popLast() ?? chunks.count
    if slot == chunks.count { chunks.append(nil) }
    chunks[slot] = Chunk(key: key, weight: weight)
    slots[key] = slot
    self.weight += weight
    policy.insert(slot, key: key, weight: weight)
  }

  /// Changes the weight of the chunk of `key`, if it is stored.
  public mutating func reweigh(_ key: UInt64, weight: Int) throws(EvictionPolicyConformance.Violation) {
    guard let slot = slots[key], let old = chunks[slot]?.weight else { return }
    chunks[slot]?.weight = weight
    self.weight += weight - old
    policy.reweigh(slot, weight: weight)
    try makeRoom(0)
  }

  /// Removes the chunk of `key`, if it is stored.
  public mutating func remove(_ key: UInt64) throws(EvictionPolicyConformance.Violation) {
    guard let slot = slots[key] else { return }
    policy.remove(slot)
    try release(slot)
  }

  /// Changes the capacity and evicts chunks that no longer fit.
  public mutating func resize(_ capacity: Int) throws(EvictionPolicyConformance.Violation) {
    policy.capacity = capacity
    guard policy.capacity == capacity else {
      throw violation("has a capacity of \(policy.capacity) after it was set to \(capacity)")
    }
    try makeRoom(0)
  }

  /// Evicts everything.
  public mutating func drain() throws(EvictionPolicyConformance.Violation) {
    while count > 0 { try evict() }
    if let victim = policy.evict() { throw violation("gives slot \(victim) when there is no chunk") }
  }

  private mutating func makeRoom(_ wanted: Int) throws(EvictionPolicyConformance.Violation) {
    while weight + wanted > policy.capacity, count > 0 { try evict() }
  }

  private mutating func evict() throws(EvictionPolicyConformance.Violation) {
    guard let victim = policy.evict() else { throw violation("gives no victim with \(count) chunks left") }
    try release(victim)
  }

  private mutating func release(_ slot: Int) throws(EvictionPolicyConformance.Violation) {
    guard chunks.indices.contains(slot), let chunk = chunks[slot] else {
      throw violation("gives slot \(slot), which holds no chunk")
    }
    chunks[slot] = nil
    slots[chunk.key] = nil
    weight -= chunk.weight
    free.append(slot)
  }

  private func violation(_ description: String) -> EvictionPolicyConformance.Violation {
    EvictionPolicyConformance.Violation(description: description)
  }
}
