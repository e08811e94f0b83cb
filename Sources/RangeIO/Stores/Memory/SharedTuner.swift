/// The tuner of a store, which the policies of all its shards consult. Its lock is taken inside a shard's lock, and
/// nothing is locked inside it.
final class SharedTuner: Sendable {
  private let tuner: Locked<PolicyTuner>

  init(_ tuner: PolicyTuner) { self.tuner = Locked(tuner) }

  /// Has a policy consult the tuner, unless another shard's does so just now. Returns whether it did.
  func advise(_ policy: inout ShardPolicy) -> Bool { tuner.withLockIfFree { policy.consult(&$0) } }

  func setCapacity(_ capacity: Int) { tuner.withLock { $0.capacity = capacity } }

  var state: PolicyTuner.State { tuner.withLock { $0.state } }
}
