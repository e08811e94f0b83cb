#if SharedCache

  /// A node that cannot be used, or is not as it should be, and why.
  public struct SharedCacheFault: Hashable, Sendable, CustomStringConvertible {
    /// The node.
    public let node: SharedCacheNode
    /// For a person.
    public let reason: String

    /// The node's name, and the reason.
    public var description: String { "\(node): \(reason)" }
  }
#endif
