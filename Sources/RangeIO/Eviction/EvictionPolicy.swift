/// Decides which chunk of a store makes room: a pure value, one for each shard of the store.
///
/// A policy knows chunks by their *slot*, a small number that the store gives out and uses again later, and by their
/// *key*, 64 bits that stay the same when a chunk comes back after it was evicted: a memory of evicted chunks (a
/// *ghost*) knows them by it. Weights are the bytes that a chunk is charged for.
///
/// **What the caller guarantees.** Calls come one at a time, under the shard's lock. Slots are small and dense. A slot
/// is inserted once before it is hit, reweighed, removed or evicted, and can be inserted again after it was removed or
/// evicted. Chunks that are pinned are removed for as long as they are. Weights are positive. The sum of weights may
/// exceed the capacity for a moment: the store evicts before it inserts, but reweighs afterwards.
///
/// **What you must do.** Hold no reference to anything outside. Take at most 64 steps (looks at a chunk) in any call,
/// whatever the number of chunks; `SIEVE`, kept exact for comparison, is the one exception here. Give a
/// victim whenever there is a chunk. Touch one counter in ``hit(_:)``, if you can: it is called for every read that is
/// served from memory. Allocate memory in proportion to the largest slot, not to the number of calls.
///
/// `EvictionPolicyConformance` of `RangeIOTesting` runs any policy as a shard would and says what it did wrong;
/// `EvictionPolicyTests` does so with the built-in ones. `Docs/Guides/WritingAnEvictionPolicy.md` goes through an
/// example. To let a store use a policy, wrap it in an ``EvictionPolicyFactory``.
public protocol EvictionPolicy: Sendable {
  /// How many bytes the chunks may weigh together. Changes while the policy is in use, when the store is resized.
  var capacity: Int { get set }

  /// Whether a run of chunks may enter that weighs `weight` together: asked once for a whole range, before it is read
  /// from the source, so that a large range is admitted or refused as one. By default always.
  ///
  /// - Parameter key: that of the first chunk of the run.
  mutating func admits(key: UInt64, weight: Int) -> Bool

  /// A chunk has been stored.
  mutating func insert(_ slot: Int, key: UInt64, weight: Int)

  /// A chunk has been read.
  mutating func hit(_ slot: Int)

  /// A chunk weighs something else now, since parts were added to it.
  mutating func reweigh(_ slot: Int, weight: Int)

  /// A chunk has left for another reason than ``evict()``. It is not to be remembered.
  mutating func remove(_ slot: Int)

  /// Chooses a chunk to make room, and forgets it but for what a ghost remembers. `nil` only when there is none.
  mutating func evict() -> Int?
}

extension EvictionPolicy {
  /// Always.
  public mutating func admits(key: UInt64, weight: Int) -> Bool { true }
}
