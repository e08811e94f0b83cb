import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// A file system in memory of so many bytes, where the tests may mount one: as root, on Linux.
final class MountedDisk {
  private let directory: TemporaryDirectory
  var path: String { directory.path("disk") }

  static let isPossible: Bool = {
    #if os(Linux)
      guard geteuid() == 0 else { return false }
      return (try? MountedDisk(byteCount: 1 << 20)) != nil
    #else
      return false
    #endif
  }()

  init(byteCount: Int, options: String = "mode=0700") throws {
    directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try #require(Self.run("mount", ["-t", "tmpfs", "-o", "size=\(byteCount),\(options)", "tmpfs", path]) == 0)
  }

  deinit { _ = try? Self.run("umount", ["-l", path]) }

  /// Mounts it again, with other options.
  func remount(_ options: String) throws { try #require(Self.run("mount", ["-o", "remount,\(options)", path]) == 0) }

  private static func run(_ program: String, _ arguments: [String]) throws -> CInt {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
