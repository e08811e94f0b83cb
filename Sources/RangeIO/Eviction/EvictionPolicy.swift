/// Decides which chunk of a store to evict. A pure value; each shard of the store has one.
///
/// A policy knows a chunk by its *slot* and its *key*. The slot is a small number that the store assigns and reuses.
/// The key is 64 bits that stay the same when an evicted chunk comes back; a memory of evicted chunks (a *ghost*)
/// recognises chunks by it. A chunk's weight is the number of bytes it is charged for.
///
/// **What the caller guarantees.** Calls come one at a time, under the shard's lock. Slots are small and dense. A slot
/// is inserted once before it is hit, reweighed, removed or evicted, and can be inserted again after it was removed or
/// evicted. Pinned chunks are removed while they are pinned. Weights are positive. The sum of weights may exceed the
/// capacity for a moment: the store evicts before it inserts, but reweighs afterwards.
///
/// **What you must do.** Hold no reference to anything outside the policy. Look at no more than 64 chunks in any call,
/// however many there are; SIEVE, kept exact for comparison, is the one exception here. Return a victim whenever
/// there is a chunk. In ``hit(_:)``, touch only one counter if you can: it is called for every read served from memory.
/// Allocate memory in proportion to the largest slot, not to the number of calls.
///
/// `EvictionPolicyConformance` of `RangeIOTesting` runs any policy as a shard would and reports what it did wrong;
/// `EvictionPolicyTests` does so with the built-in ones. `Docs/Guides/WritingAnEvictionPolicy.md` walks through an
/// example. To use a policy in a store, wrap it in an ``Eviction``.
public protocol EvictionPolicy: Sendable {
  /// The limit for the sum of all weights, in bytes. Changes while the policy is in use, when the store is resized.
  var capacity: Int { get set }

  /// Decides whether to admit a run of chunks with a total weight of `weight`. Asked once for a whole range, before it is read from
  /// the source, so that a large range is admitted or refused as a whole. By default always `true`.
  ///
  /// - Parameters:
  ///   - key: the key of the first chunk of the run.
  ///   - weight: the weight of all chunks of the run together.
  mutating func admits(key: UInt64, weight: Int) -> Bool

  /// A chunk was stored.
  mutating func insert(_ slot: Int, key: UInt64, weight: Int)

  /// A chunk was read.
  mutating func hit(_ slot: Int)

  /// A chunk's weight has changed because parts were added to it.
  mutating func reweigh(_ slot: Int, weight: Int)

  /// A chunk left for another reason than ``evict()``. Do not remember it.
  mutating func remove(_ slot: Int)

  /// Chooses a chunk to evict and forgets it, except for what a ghost remembers. Returns `nil` only if there is no
  /// chunk.
  mutating func evict() -> Int?
}

extension EvictionPolicy {
  /// Always `true`.
  public mutating func admits(key: UInt64, weight: Int) -> Bool { true }
}

/// Creates policies of one kind, one for each shard of a store.
///
/// The built-in kinds are static members. For a policy of your own, pass a name and a closure:
///
/// ```swift
/// let random = Eviction(name: "random") { RandomEviction(capacity: $0) }
/// ```
public struct Eviction: Sendable {
  /// A word for the kind, as used in reports and on the command line.
  package let name: String
  /// Creates an empty policy for a capacity in bytes.
  let make: @Sendable (_ capacity: Int) -> any EvictionPolicy
  /// Creates the tuner that all policies of a store share, for the store's capacity in bytes; `nil` for fixed policies.
  package let makeTuner: (@Sendable (_ capacity: Int) -> PolicyTuner)?

  /// Creates a kind of policy.
  ///
  /// - Parameters:
  ///   - name: a word for the kind, as used in reports.
  ///   - make: creates an empty policy for a capacity in bytes. Called on any thread.
  public init(name: String, make: @escaping @Sendable (_ capacity: Int) -> any EvictionPolicy) {
    self.init(name: name, make: make, makeTuner: nil)
  }

  private init(
    name: String, make: @escaping @Sendable (_ capacity: Int) -> any EvictionPolicy,
    makeTuner: (@Sendable (_ capacity: Int) -> PolicyTuner)?
  ) {
    self.name = name
    self.make = make
    self.makeTuner = makeTuner
  }

  /// LRU: evicts the chunk that was not read for the longest time. For comparison.
  public static let lru = Eviction(name: "lru") { LRU(capacity: $0) }
  /// SIEVE (NSDI '24), exact: cheap hits, weak against scans. For comparison.
  public static let sieve = Eviction(name: "sieve") { SIEVE(capacity: $0) }
  /// S3-FIFO (SOSP '23): chunks that are read once leave soon, so that scans do not empty the cache.
  public static let s3fifo = Eviction(name: "s3fifo") { S3FIFO(capacity: $0) }
  /// S3-FIFO whose parameters follow the load, the default: small simulations of a few variants tell which would hit
  /// most.
  public static let adaptive = adaptive(PolicyTuner.Settings())

  package static func adaptive(_ settings: PolicyTuner.Settings) -> Eviction {
    Eviction(name: "adaptive") {
      S3FIFO.tuned(capacity: $0, settings)
    } makeTuner: {
      PolicyTuner(capacity: $0, settings)
    }
  }

  /// The policy that a store uses by default: ``adaptive``.
  package static let `default` = adaptive

  /// The built-in kinds, each once.
  package static let all = [lru, sieve, s3fifo, adaptive]
}
