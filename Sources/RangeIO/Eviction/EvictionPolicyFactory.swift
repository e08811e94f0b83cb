/// Creates policies of one kind, one for each shard of a store.
///
/// The built-in kinds are static members. For a policy of your own, pass a name and a closure:
///
/// ```swift
/// let random = EvictionPolicyFactory(name: "random") { RandomEviction(capacity: $0) }
/// ```
public struct EvictionPolicyFactory: Sendable {
  /// A word for the kind, as used in reports and on the command line.
  package let name: String
  /// Creates an empty policy for a capacity in bytes.
  public let make: @Sendable (_ capacity: Int) -> any EvictionPolicy

  /// Creates a kind of policy.
  ///
  /// - Parameters:
  ///   - name: a word for the kind, as used in reports.
  ///   - make: creates an empty policy for a capacity in bytes. Called on any thread.
  public init(name: String, make: @escaping @Sendable (_ capacity: Int) -> any EvictionPolicy) {
    self.name = name
    self.make = make
  }

  /// LRU: evicts the chunk that was not read for the longest time. For comparison.
  public static let lru = EvictionPolicyFactory(name: "lru") { LRU(capacity: $0) }
  /// SIEVE (NSDI '24), exact: cheap hits, weak against scans. For comparison.
  public static let sieve = EvictionPolicyFactory(name: "sieve") { SIEVE(capacity: $0) }
  /// S3-FIFO (SOSP '23), the default: chunks that are read once leave soon, so that scans do not empty the cache.
  public static let s3fifo = EvictionPolicyFactory(name: "s3fifo") { S3FIFO(capacity: $0) }

  /// The policy that a store uses by default: ``s3fifo``.
  package static let `default` = s3fifo

  /// The built-in kinds, each once.
  package static let all = [lru, sieve, s3fifo]
}
