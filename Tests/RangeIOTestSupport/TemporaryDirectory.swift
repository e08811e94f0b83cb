import Foundation
import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO

/// A directory that goes with the test.
final class TemporaryDirectory: Sendable {
  let path: String
  /// One that this is a part of, and goes with.
  private let outer: TemporaryDirectory?

  init(in outer: TemporaryDirectory? = nil) throws {
    self.outer = outer
    var template = Array(((outer?.path ?? NSTemporaryDirectory()) + "/rangeio-test-XXXXXX").utf8CString)
    guard let made = mkdtemp(&template) else { throw POSIXError(.EIO) }
    path = String(cString: made)
  }

  deinit { if outer == nil { remove() } }

  /// Removes it with all that is in it.
  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// A path in the directory.
  func path(_ name: String) -> String { path + "/" + name }

  /// A file with `contents`, whose version is settled.
  func file(_ name: String = "file", _ contents: [UInt8]) async throws -> String {
    let path = path(name)
    try write(contents, to: path)
    try await settle(path)
    return path
  }

  /// A file of `count` bytes in which no two places look alike, and those bytes.
  func file(_ name: String = "file", count: Int, seed: UInt64 = 0) async throws -> (path: String, bytes: [UInt8]) {
    let bytes = [UInt8](SyntheticSource.bytes(0..<count, version: seed))
    return (try await file(name, bytes), bytes)
  }

  /// A file of `byteCount` bytes that takes no room.
  func sparseFile(_ name: String = "sparse", byteCount: Int) throws -> String {
    let path = path(name)
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    try #require(ftruncate(descriptor, off_t(byteCount)) == 0)
    return path
  }
}

/// Replaces the contents of the file at `path`, in place.
func write(_ contents: [UInt8], to path: String, at offset: Int = 0, truncating: Bool = true) throws {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (truncating ? O_TRUNC : 0), 0o600)
  try #require(descriptor >= 0)
  defer { close(descriptor) }
  try contents.withUnsafeBytes { buffer in
    var written = 0
    while written < buffer.count {
      let count = pwrite(descriptor, buffer.baseAddress! + written, buffer.count - written, off_t(offset + written))
      try #require(count > 0)
      written += count
    }
  }
}

/// Makes it as if the file at `path` had been written a second ago, and waits until a further change would show in its
/// times.
///
/// The tests of versions need files whose version is settled; the kernel's clock, a few milliseconds a tick, decides.
func settle(_ path: String) async throws {
  var isBefore = false
  while true {
    let opened = try FileOpening.open(FilePath(path), .system)
    let (now, tick) = Syscalls.system.call.wallClock()
    let version = FileVersion(try opened.file.status())
    if version.isSettled(at: now, tick: tick) { return }
    if !isBefore {
      let time = timespec(tv_sec: Int(version.modified.seconds) - 1, tv_nsec: Int(version.modified.nanoseconds))
      try #require(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
      isBefore = true
    }
    try await Task.sleep(for: .nanoseconds(tick))
  }
}

/// Makes the file at `path` cold: what is read next comes from disk.
func dropPages(of path: String) throws {
  #if os(Linux)
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    try #require(fsync(descriptor) == 0)
    try #require(posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0)
  #endif
}
