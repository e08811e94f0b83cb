#if Tool && Serve
import CRangeIOSystem

/// Tells systemd how the server is, in a service of `Type=notify`.
///
/// - Source: sd_notify(3). One datagram to the socket whose name is in `NOTIFY_SOCKET`.
enum ServiceManager {
  enum Message: String {
    case ready = "READY=1"
    case stopping = "STOPPING=1"
  }

  /// Without a service manager, tells no one.
  static func tell(_ message: Message) {
    #if os(Linux)
    guard let name = getenv("NOTIFY_SOCKET") else { return }
    do throws(ToolFailure) { try send(message.rawValue, to: String(cString: name)) } catch {
      StandardError.line("rangeio: \(error.message)")
    }
    #endif
  }

  #if os(Linux)
  private static func send(_ text: String, to name: String) throws(ToolFailure) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var path = Array(name.utf8)
    // A name that is not in the file system begins with a NUL.
    let isAbstract = path.first == UInt8(ascii: "@")
    if isAbstract { path[0] = 0 }
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    guard isAbstract || path.first == UInt8(ascii: "/"), path.count < MemoryLayout.size(ofValue: address.sun_path)
    else { throw ToolFailure("NOTIFY_SOCKET: '\(name)' is no name of a socket; systemd is not told '\(text)'") }
    withUnsafeMutableBytes(of: &address) { $0[start...].copyBytes(from: path) }
    let length = socklen_t(start + path.count + (isAbstract ? 0 : 1))
    let socket = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { if socket >= 0 { close(socket) } }
    let result = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        sendto(socket, text, text.utf8.count, CInt(MSG_NOSIGNAL), address, length)
      }
    }
    guard result >= 0 else {
      throw ToolFailure("NOTIFY_SOCKET: cannot tell systemd '\(text)': \(String(cString: strerror(errno)))")
    }
  }
  #endif
}
#endif
