#if Tool
import SystemPackage

/// A terminal that nobody sits at. See pty(7).
final class Terminal {
  /// The end that a program takes for a terminal.
  let descriptor: FileDescriptor
  private let controller: FileDescriptor

  init() throws {
    let controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard controller >= 0 else { throw Errno(rawValue: errno) }
    self.controller = FileDescriptor(rawValue: controller)
    #if os(Linux)
    // What unlockpt(3) and ptsname(3) do, which the C library hides from Swift.
    var unlock: CInt = 0
    var number: CUnsignedInt = 0
    guard ioctl(controller, 0x4004_5431, &unlock) == 0, ioctl(controller, 0x8004_5430, &number) == 0 else {
      throw Errno(rawValue: errno)
    }
    let name = "/dev/pts/\(number)"
    #else
    guard grantpt(controller) == 0, unlockpt(controller) == 0, let found = ptsname(controller) else {
      throw Errno(rawValue: errno)
    }
    let name = String(cString: found)
    #endif
    descriptor = FileDescriptor(rawValue: open(name, O_RDWR | O_NOCTTY | O_CLOEXEC))
  }

  /// Reads what was written to it, to the end of a line. The programs that have it must still be there.
  func line() async throws -> String {
    let controller = controller
    return try await blocking {
      var line: [UInt8] = []
      while line.last != UInt8(ascii: "\n") {
        var byte: UInt8 = 0
        guard try withUnsafeMutableBytes(of: &byte, { try controller.read(into: $0) }) == 1 else { break }
        line.append(byte)
      }
      return String(decoding: line, as: UTF8.self)
    }
  }

  deinit {
    try? descriptor.close()
    try? controller.close()
  }
}
#endif
