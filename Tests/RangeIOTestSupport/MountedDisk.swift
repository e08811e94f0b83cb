import Foundation
import Testing

/// A file system in memory of so many bytes, where the tests may mount one: as root, on Linux.
final class MountedDisk {
  private let directory: TemporaryDirectory
  var path: String { directory.path("disk") }

  static let isPossible: Bool = {
    guard geteuid() == 0 else { return false }
    return (try? MountedDisk(byteCount: 1 << 20)) != nil
  }()

  init(byteCount: Int, options: String = "mode=0700") throws {
    directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try #require(Self.mount(path, "size=\(byteCount),\(options)"))
  }

  deinit {
    #if os(Linux)
      umount2(path, CInt(MNT_DETACH))
    #endif
  }

  /// Mounts it again, with other options.
  func remount(_ options: String = "", isReadOnly: Bool = false) throws {
    #if os(Linux)
      try #require(Self.mount(path, options, MS_REMOUNT | (isReadOnly ? MS_RDONLY : 0)))
    #endif
  }

  private static func mount(_ path: String, _ options: String, _ flags: Int = 0) -> Bool {
    systemMount(path, options, flags) == 0
  }
}

#if os(Linux)
  private func systemMount(_ path: String, _ options: String, _ flags: Int) -> CInt {
    mount("tmpfs", path, "tmpfs", UInt(flags), options)
  }
#else
  private func systemMount(_ path: String, _ options: String, _ flags: Int) -> CInt { -1 }
#endif
