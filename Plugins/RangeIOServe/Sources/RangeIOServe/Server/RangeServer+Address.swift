#if Serve
  #if canImport(FoundationEssentials)
    internal import FoundationEssentials
  #else
    internal import Foundation
  #endif
  internal import Logging
  internal import NIOCore
  internal import NIOPosix
  internal import RangeIO
  internal import SystemPackage

  extension RangeServer.Configuration.Address {
    /// A socket to listen at.
    enum Place: Sendable {
      case host(String, port: Int)
      case unixSocket(String)
      /// One that listens.
      case descriptor(CInt)
    }

    /// - Throws: `ReadError.Code.inUse` if another program listens to the socket.
    func places(_ group: any EventLoopGroup) async throws -> [Place] {
      switch self {
      // What listens to IPv6 alone, on all addresses, takes connections of IPv4 as well.
      case .host("*", let port): return [.host(Self.hasIPv6 ? "::" : "0.0.0.0", port: port)]
      case .host(let host, let port): return [.host(host, port: port)]
      case .unixSocket(let path):
        // Binding removes the socket that is there.
        if try await Self.isListenedTo(path, group) { throw ReadError.listening(at: self, .addressInUse) }
        return [.unixSocket(path)]
      case .sockets(let descriptors):
        guard !descriptors.isEmpty else { throw ReadError(.invalidConfiguration, "there is no socket to listen at") }
        return descriptors.map { .descriptor($0) }
      }
    }

    private static func isListenedTo(_ path: String, _ group: any EventLoopGroup) async throws -> Bool {
      do {
        let channel = try await ClientBootstrap(group: group).connect(unixDomainSocketPath: path).result()
        try await channel.close()
        return true
      } catch let error as IOError {
        // Busy, of another type, or not ours: another program uses it.
        return ![Errno.connectionRefused, .noSuchFileOrDirectory].contains(Errno(rawValue: error.errnoCode))
      }
    }

    private static var hasIPv6: Bool { machineAddresses.contains { $0.contains(":") } }

    /// The addresses of this machine, in digits; those of one link only are left out.
    package static var machineAddresses: [String] {
      // `try?`: a system that does not list its devices has some nevertheless.
      let devices = (try? System.enumerateDevices()) ?? []
      return devices.compactMap { $0.address?.ipAddress }.filter { !$0.hasPrefix("fe80:") }
    }

    var text: String {
      switch self {
      case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
      case .unixSocket(let path): "unix:\(path)"
      case .sockets(let descriptors):
        "the sockets that it was given (\(descriptors.map(String.init).joined(separator: ", ")))"
      }
    }
  }

  extension RangeServer.Configuration {
    /// Lets those connect to the socket that may. Before, with a usual mask, only its owner may.
    func applySocketMode(_ logger: Logger) {
      guard case .unixSocket(let path) = address, let socketMode else { return }
      do {
        try FileManager.default.setAttributes([.posixPermissions: Int(socketMode)], ofItemAtPath: path)
      } catch {
        logger.error(
          "cannot set the mode of the socket", metadata: ["path": "\(LoggedText.line(path))", "error": "\(error)"])
      }
    }
  }

  extension ReadError {
    /// The server cannot listen at `address`.
    static func listening(at address: RangeServer.Configuration.Address, _ errno: Errno) -> ReadError {
      let why = "cannot listen at \(address.text): \(errno.description.lowercased())"
      return switch (errno, address) {
      case (.addressInUse, .host):
        ReadError(.inUse, "\(why); choose another port, or stop the program that listens there", cause: errno)
      case (.addressInUse, .unixSocket):
        ReadError(.inUse, "\(why); choose another path, or stop the program that listens there", cause: errno)
      case (.permissionDenied, .host), (.notPermitted, .host):
        ReadError(.permissionDenied, "\(why); ports below 1024 are for the system's administrator", cause: errno)
      case (.addressNotAvailable, _):
        ReadError(.invalidConfiguration, "\(why); name an address of this machine, or * for all", cause: errno)
      default: ReadError(.invalidConfiguration, why, cause: errno)
      }
    }
  }
#endif
