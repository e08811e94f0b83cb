#if Tool
import Foundation

/// A directory that goes away with its last reference.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "rangeio-tool-tests-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of `name` in this directory.
  func callAsFunction(_ name: String) -> String { path + "/" + name }

  /// Makes a file of `bytes`.
  func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: self(name)))
    try age(name)
    return self(name)
  }

  /// Makes it as if the file had been written two seconds ago: what is younger may be in the middle of a write.
  private func age(_ name: String) throws {
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -2)], ofItemAtPath: self(name))
  }

  /// Makes a file of `byteCount` bytes, all zero, that takes no space.
  func sparseFile(_ name: String, byteCount: Int) throws -> String {
    let path = try file(name, [])
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.truncate(atOffset: UInt64(byteCount))
    try handle.close()
    try age(name)
    return path
  }

  /// What is in it, sorted.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }
}

/// The contents of a file.
func contents(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

/// `count` bytes without a pattern, the same in every run.
func noise(_ count: Int) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
    var state: UInt64 = 0x9E37_79B9
    for position in 0..<count {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      buffer[position] = UInt8(truncatingIfNeeded: state >> 33)
    }
    filled = count
  }
}

/// Whether `bytes` are those of `expected`: what `==` says, quickly in a debug build too.
func areEqual(_ bytes: [UInt8], _ expected: ArraySlice<UInt8>) -> Bool {
  guard bytes.count == expected.count else { return false }
  return bytes.withUnsafeBytes { left in
    expected.withUnsafeBytes { right in left.isEmpty || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0 }
  }
}
#endif
