import Foundation
import RangeIO
import RangeIOTesting
import Testing

@testable import RangeIOExecutor

/// A directory that goes with the test.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    var template = Array((NSTemporaryDirectory() + "/rangeio-executor-XXXXXX").utf8CString)
    guard let made = mkdtemp(&template) else { throw POSIXError(.EIO) }
    path = String(cString: made)
  }

  // `try?`: what stays behind is the system's to clean.
  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// A file of `count` bytes in which no two places look alike, and those bytes.
  func file(_ name: String = "file", count: Int, seed: UInt64 = 0) throws -> (path: String, bytes: Bytes) {
    let bytes = SyntheticSource.bytes(0..<count, version: seed)
    try write(bytes, to: path + "/" + name)
    return (path + "/" + name, bytes)
  }
}

/// Writes `contents` into the file at `path`, in place.
func write(_ contents: Bytes, to path: String, truncating: Bool = true) throws {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (truncating ? O_TRUNC : 0), 0o600)
  try #require(descriptor >= 0)
  defer { close(descriptor) }
  let all = Array(contents)
  try all.withUnsafeBytes { buffer in
    var written = 0
    while written < buffer.count {
      let count = pwrite(descriptor, buffer.baseAddress! + written, buffer.count - written, off_t(written))
      try #require(count > 0)
      written += count
    }
  }
}

extension [Counters] {
  /// The bytes read by the threads of the library, or from the page cache.
  var bytesElsewhere: Int { ["resident", "positional", "dispatchIO"].reduce(0) { $0 + (self[$1]?.bytes ?? 0) } }
}

/// This thread is one of an executor's.
var isOnExecutor: Bool { ReadingExecutor.Worker.current != nil }
