#if SharedCache

  /// Where a node listens.
  public struct SharedCacheNode: Hashable, Sendable {
    enum Endpoint: Hashable, Sendable {
      case host(String, Int)
      case socket(String)
    }
    let endpoint: Endpoint
    /// Chooses the node's keys. The same in every process, whatever its address is called there.
    let name: String

    /// A node at a host and a port.
    ///
    /// - Parameters:
    ///   - host: a name, or an IP address.
    ///   - port: the port.
    ///   - name: chooses the keys of the node, so it must be the same in every process. Default: `host:port`.
    public static func host(_ host: String, port: Int, name: String? = nil) -> SharedCacheNode {
      SharedCacheNode(endpoint: .host(host, port), name: name ?? "\(host):\(port)")
    }

    /// A node at a unix socket.
    ///
    /// - Parameters:
    ///   - path: the socket in the file system.
    ///   - name: chooses the keys of the node, so it must be the same in every process. Default: the path.
    public static func socket(_ path: String, name: String? = nil) -> SharedCacheNode {
      SharedCacheNode(endpoint: .socket(path), name: name ?? path)
    }
  }

  extension SharedCacheNode: CustomStringConvertible {
    /// The name.
    public var description: String { name }
  }
#endif
