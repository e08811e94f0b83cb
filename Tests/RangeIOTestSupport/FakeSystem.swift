import Foundation
import SystemPackage
import Testing

@testable import RangeIO

/// A made-up tree of the kernel's files, in a directory that goes with the test.
final class FakeSystem: Sendable {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// A system with these files, by their paths.
  convenience init(_ texts: [String: String]) throws {
    try self.init()
    for (path, text) in texts { try set(path, text) }
  }

  var files: SystemFiles { SystemFiles(root: FilePath(directory.path)) }

  func set(_ path: String, _ text: String) throws { try set(path, Array(text.utf8)) }

  func set(_ path: String, _ bytes: [UInt8]) throws {
    let path = directory.path + path
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try write(bytes, to: path)
  }

  func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: directory.path + path) }

  /// A group of version 2, all numbers in bytes.
  func setGroup(
    _ path: String, max: String = "max", high: String = "max", current: Int = 0, inactiveFile: Int = 0
  ) throws {
    try set(path + "/memory.max", max + "\n")
    try set(path + "/memory.high", high + "\n")
    try set(path + "/memory.current", "\(current)\n")
    try set(path + "/memory.stat", "anon 1\nfile 2\ninactive_anon 3\ninactive_file \(inactiveFile)\nactive_file 4\n")
  }

  /// A group of version 1, all numbers in bytes.
  func setOldGroup(
    _ path: String, limit: Int, usage: Int = 0, inactiveFile: Int = 0, limitAbove: Int = FakeSystem.unlimited
  ) throws {
    try set(path + "/memory.limit_in_bytes", "\(limit)\n")
    try set(path + "/memory.usage_in_bytes", "\(usage)\n")
    try set(
      path + "/memory.stat",
      "cache 5\ninactive_file 1\nhierarchical_memory_limit \(limitAbove)\ntotal_inactive_file \(inactiveFile)\n")
  }

  /// What version 1 says when there is no limit, with pages of 4 KiB.
  static let unlimited = 9_223_372_036_854_771_712

  /// The table of a system with version 2 only.
  static let mounts = """
    22 27 0:21 / /proc rw,relatime - proc proc rw
    27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
    31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate

    """

  static func stalls(some: String, full: String) -> String {
    "some avg10=\(some) avg60=0.00 avg300=0.00 total=12\nfull avg10=\(full) avg60=0.00 avg300=0.00 total=3\n"
  }
}
