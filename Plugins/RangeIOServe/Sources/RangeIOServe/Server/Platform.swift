#if Serve
  #if canImport(Darwin)
    internal import Darwin
  #elseif canImport(Musl)
    internal import Musl
  #else
    internal import Glibc
  #endif
  internal import SystemPackage

  /// What is asked of the system about sockets that others have opened.
  enum SocketCalls {
    /// `true` if it listens for connections of a stream: TCP, or its like between programs of one machine.
    static func listensForStreams(_ descriptor: CInt) -> Bool {
      value(of: SO_TYPE, descriptor) == streamType && value(of: SO_ACCEPTCONN, descriptor) ?? 0 != 0
    }

    /// A copy, which programs that this one starts do not inherit.
    static func copy(of descriptor: CInt) throws(Errno) -> CInt {
      let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
      guard copy >= 0 else { throw Errno(rawValue: errno) }
      return copy
    }

    /// Programs that this one starts do not inherit it.
    static func closeInPrograms(_ descriptor: CInt) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

    private static var streamType: CInt {
      #if canImport(Glibc)
        CInt(SOCK_STREAM.rawValue)
      #else
        SOCK_STREAM
      #endif
    }

    private static func value(of option: CInt, _ descriptor: CInt) -> CInt? {
      var (value, size) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
      return getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : nil
    }
  }
#endif
