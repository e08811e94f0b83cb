/// A policy together with the tuner of its kind, if it has one: a cache with one shard and no store around it. For
/// simulations and tests; a store has a tuner for all its shards.
package struct SelfTuned: EvictionPolicy {
  /// The insertions after which a policy consults its tuner.
  static let insertionsPerConsultation = 8

  package private(set) var policy: any EvictionPolicy
  package private(set) var tuner: PolicyTuner?
  private var insertions = 0

  /// - Parameter tunes: `false` for one that keeps the parameters that it begins with.
  package init(_ factory: Eviction, capacity: Int, tunes: Bool = true) {
    policy = factory.make(capacity)
    if tunes { tuner = factory.makeTuner?(capacity) }
  }

  package var capacity: Int {
    get { policy.capacity }
    set {
      policy.capacity = newValue
      tuner?.capacity = newValue
    }
  }

  package mutating func admits(key: UInt64, weight: Int) -> Bool { policy.admits(key: key, weight: weight) }

  package mutating func insert(_ slot: Int, key: UInt64, weight: Int) {
    policy.insert(slot, key: key, weight: weight)
    insertions += 1
    guard insertions % Self.insertionsPerConsultation == 0, tuner != nil, var queues = policy as? S3FIFO else { return }
    queues.consult(&tuner!)
    policy = queues
  }

  package mutating func hit(_ slot: Int) { policy.hit(slot) }
  package mutating func reweigh(_ slot: Int, weight: Int) { policy.reweigh(slot, weight: weight) }
  package mutating func remove(_ slot: Int) { policy.remove(slot) }
  package mutating func evict() -> Int? { policy.evict() }
}
