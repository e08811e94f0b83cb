#if SharedCache
  internal import NIOCore
  internal import NIOPosix
  internal import NIOSSL

  /// What is wrong with a node, for a person: what to do about it, where that is known.
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
      return refusal
    }

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
