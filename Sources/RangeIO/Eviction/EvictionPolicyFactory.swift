/// Makes policies of one kind, one for each shard of a store.
///
/// The built-in kinds are members. A policy of your own takes a name and a closure:
///
/// ```swift
/// let random = EvictionPolicyFactory(name: "random") { RandomEviction(capacity: $0) }
/// ```
public struct EvictionPolicyFactory: Sendable {
  /// A word for the kind, as reports and the command line spell it.
  public let name: String
  /// Makes a policy without chunks for a capacity in bytes.
  public let make: @Sendable (_ capacity: Int) -> any EvictionPolicy

  /// A kind of policy.
  ///
  /// - Parameter make: makes a policy without chunks for a capacity in bytes. Called on any thread.
  public init(name: String, make: @escaping @Sendable (_ capacity: Int) -> any EvictionPolicy) {
    self.name = name
    self.make = make
  }

  /// ``LRU``: what has not been read for longest goes first.
  public static let lru = EvictionPolicyFactory(name: "lru") { LRU(capacity: $0) }
  /// ``SIEVE``, exact.
  public static let sieve = EvictionPolicyFactory(name: "sieve") { SIEVE(capacity: $0) }
  /// ``S3FIFO``.
  public static let s3fifo = EvictionPolicyFactory(name: "s3fifo") { S3FIFO(capacity: $0) }

  /// What a store uses unless told otherwise: ``s3fifo``.
  public static let `default` = s3fifo

  /// The built-in kinds, each once.
  public static let all = [lru, sieve, s3fifo]
}
