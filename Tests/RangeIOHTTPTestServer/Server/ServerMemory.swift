#if HTTP
  import RangeIOSupport

  /// What a server counts across requests, by names.
  public final class ServerMemory: Sendable {
    private let counts = Guarded<[String: Int]>([:])

    /// Creates an empty memory.
    public init() {}

    /// How often ``count(_:)`` was called with `name`.
    public func calls(_ name: String) -> Int { counts.withLock { $0[name, default: 0] } }

    /// How often this was called with `name` before.
    public func count(_ name: String) -> Int {
      counts.withLock { counts in
        defer { counts[name, default: 0] += 1 }
        return counts[name, default: 0]
      }
    }
  }

#endif
