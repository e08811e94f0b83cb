#if Tool
import Foundation

/// A file as a block device, for as long as this lives.
final class LoopDevice {
  let path: String

  init(of file: String) throws { path = try Self.losetup("--show", "-f", file) }

  deinit { _ = try? Self.losetup("-d", path) }

  /// Whether this user can make one.
  static let canBeMade: Bool = {
    // `try?`: where that fails, there are none.
    guard let directory = try? TemporaryDirectory(),
      let file = try? directory.sparseFile("disk", byteCount: 4096), let device = try? LoopDevice(of: file)
    else { return false }
    return !device.path.isEmpty
  }()

  private static func losetup(_ arguments: String...) throws -> String {
    let (process, output) = (Process(), Foundation.Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/sbin/losetup")
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = nil
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.featureUnsupported) }
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
  }
}
#endif
