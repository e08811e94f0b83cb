#if SharedCache
  internal import NIOCore
  internal import NIOPosix
  internal import NIOSSL

  /// The faults of a node in words for a person, with what to do about them where that is known.
  enum FaultText {
    /// - Parameter refusal: what the node says.
    static func of(refusal: String) -> String {
      let words = refusal.lowercased()
      if words.hasPrefix("noauth") || words.contains("unauthenticated") {
        return "it wants a password: set 'password' of the connection (\(refusal))"
      }
      if words.hasPrefix("wrongpass") || words.contains("authentication failure") || words.contains("invalid password")
      {
        return "it does not take the password: check 'user' and 'password' of the connection (\(refusal))"
      }
      for (beginning, text) in refusals where words.hasPrefix(beginning) { return "\(text) (\(refusal))" }
      return refusal
    }

    /// By the beginnings of what nodes say.
    private static let refusals = [
      ("moved ", elsewhere), ("ask ", elsewhere), ("tryagain", elsewhere),
      ("clusterdown", "its cluster is down: mend it, or name nodes that are in no cluster"),
      ("oom ", "its memory is full, and it evicts nothing: set its 'maxmemory-policy' to allkeys-lru"),
      (
        "server_error out of memory",
        "its memory is full, and it evicts nothing: start it without -M, or with a larger -m"
      ),
      ("server_error object too large", "it takes no value of this size: set 'valueLimit' of the connection to its -I"),
      ("readonly", "it is a replica, which takes no values: name its primary"),
      ("loading", "it still reads its data from a disk"),
    ]
    private static let elsewhere =
      "it is a node of a Redis Cluster, which has a part of the keys elsewhere: name nodes that are in no cluster"

    /// - Parameter error: what kept a connection from being made, or ended it.
    static func of(_ error: any Error) -> String {
      let error = (error as? NIOConnectionError).map { $0.connectionErrors.first?.error ?? $0.dnsAError ?? $0 } ?? error
      switch error {
      case is SocketAddressError.UnknownHost: return "there is no host of this name, or no name server that knows it"
      case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
        return
          "TLS cannot be begun: is this the node's port for TLS, and its certificate of a trusted issuer? (\(error))"
      case let system as IOError: return of(system)
      default: return "its connection fails: \(error)"
      }
    }

    private static func of(_ error: IOError) -> String {
      switch error.errnoCode {
      case ECONNREFUSED: "it refuses connections: is it running, and is the port right?"
      case ENOENT: "there is no such socket"
      default: "its connection fails: \(String(cString: strerror(error.errnoCode)))"
      }
    }
  }
#endif
