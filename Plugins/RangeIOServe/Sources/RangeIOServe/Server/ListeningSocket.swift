#if Serve
  #if canImport(FoundationEssentials)
    internal import FoundationEssentials
  #else
    internal import Foundation
  #endif
  public import RangeIO
  internal import SystemPackage

  /// Sockets that another program has opened for this one.
  enum ListeningSocket {
    /// A copy of the socket that listens, which programs that this one starts do not inherit.
    ///
    /// - Throws: `ReadError` if it is another thing, or a socket that does not listen.
    static func copy(of descriptor: CInt) throws(ReadError) -> CInt {
      guard SocketCalls.listensForStreams(descriptor) else {
        throw ReadError(
          .invalidConfiguration, "descriptor \(descriptor) is no socket that listens for connections of a stream")
      }
      do throws(Errno) { return try SocketCalls.copy(of: descriptor) } catch {
        throw ReadError.errno(error, "copy descriptor \(descriptor)", source: "the server")
      }
    }
  }

  extension RangeServer.Configuration.Address {
    /// The sockets that systemd has opened for this process, in a service that a socket unit starts. They stay open while the
    /// service is replaced: connections wait, and none is refused.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration` if there are none.
    /// - Source: sd_listen_fds(3).
    public static func systemd() throws(ReadError) -> Self {
      try systemd(ProcessInfo.processInfo.environment, process: ProcessInfo.processInfo.processIdentifier)
    }

    package static func systemd(_ environment: [String: String], process: Int32) throws(ReadError) -> Self {
      let (owner, count) = (environment["LISTEN_PID"].flatMap { Int32($0) }, environment["LISTEN_FDS"])
      guard let count = count.flatMap({ CInt($0) }), count > 0, count <= 1024, owner == process else {
        throw ReadError(
          .invalidConfiguration,
          "systemd has given no sockets to this process (LISTEN_PID, LISTEN_FDS): start it by a socket unit, or name an address"
        )
      }
      // They begin behind standard input, output and error. Programs that this one starts do not inherit them.
      let descriptors = 3..<(3 + count)
      for descriptor in descriptors { SocketCalls.closeInPrograms(descriptor) }
      return .sockets(Array(descriptors))
    }
  }
#endif
