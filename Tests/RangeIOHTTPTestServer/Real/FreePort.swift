#if HTTP

  import Foundation

  /// Ports of 127.0.0.1.
  enum FreePort {
    /// A port that nothing listens at now. Another process may take it before its user does, so users try again.
    static func find() throws -> Int {
      let descriptor = try socket()
      defer { close(descriptor) }
      var address = self.address(0)
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      // Unsafe: how the system takes addresses.
      let result = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
          var length = size
          guard bind(descriptor, address, size) == 0 else { return -1 }
          return getsockname(descriptor, address, &length)
        }
      }
      guard result == 0 else { throw POSIXError(.EADDRINUSE) }
      return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Whether something accepts connections at `port`.
    static func accepts(_ port: Int) throws -> Bool {
      let descriptor = try socket()
      defer { close(descriptor) }
      var address = self.address(port)
      // Unsafe: how the system takes addresses.
      return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
    }

    private static func socket() throws -> Int32 {
      #if os(Linux)
        let descriptor = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      #else
        let descriptor = Foundation.socket(AF_INET, SOCK_STREAM, 0)
      #endif
      guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
      return descriptor
    }

    private static func address(_ port: Int) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return address
    }
  }

#endif
