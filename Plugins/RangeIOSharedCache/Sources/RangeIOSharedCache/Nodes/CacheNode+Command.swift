#if SharedCache
  internal import RangeIO

  extension CacheNode {
    /// A command to a node.
    enum Command: Sendable {
      case get(SharedBlockKey, lease: Duration?)
      case set(SharedBlockKey, Bytes, lifetime: Duration)

      /// The key of which a lease is wanted.
      var leased: (key: SharedBlockKey, lease: Duration)? {
        if case .get(let key, let lease?) = self { (key, lease) } else { nil }
      }

      /// About what it takes on the wire.
      var byteCount: Int {
        switch self {
        case .get: 160
        case .set(_, let value, _): value.count + 160
        }
      }
    }
  }
#endif
