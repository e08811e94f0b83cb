import Foundation
import RangeIO
import RangeIOTesting
import Testing

@testable import RangeIOMapped
@testable import RangeIOTestSupport

/// A directory that goes with the test.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    var template = Array((NSTemporaryDirectory() + "/rangeio-mapped-XXXXXX").utf8CString)
    guard let made = mkdtemp(&template), let real = realpath(made, nil) else { throw POSIXError(.EIO) }
    defer { free(real) }
    // As the system names it, to find it again among mappings and descriptors.
    path = String(cString: real)
  }

  // `try?`: what stays behind is the system's to clean.
  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// A path in the directory.
  func path(_ name: String) -> String { path + "/" + name }

  /// A file of `count` bytes in which no two places look alike, and those bytes.
  func file(_ name: String = "file", count: Int, seed: UInt64 = 0) throws -> (path: String, bytes: Bytes) {
    let bytes = SyntheticSource.bytes(0..<count, version: seed)
    try write(bytes, to: path(name))
    return (path(name), bytes)
  }
}

/// Writes `contents` into the file at `path`, in place.
func write(_ contents: Bytes, to path: String, at offset: Int = 0, truncating: Bool = true) throws {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (truncating ? O_TRUNC : 0), 0o600)
  try #require(descriptor >= 0)
  defer { close(descriptor) }
  let all = Array(contents)
  try all.withUnsafeBytes { buffer in
    var written = 0
    while written < buffer.count {
      let count = pwrite(descriptor, buffer.baseAddress! + written, buffer.count - written, off_t(offset + written))
      try #require(count > 0)
      written += count
    }
  }
}

/// A reader of the file at `path`, whose version is settled.
func mappedReader(
  _ path: String, _ configuration: MappedSource.Configuration = .init(), _ pipeline: ReadPipeline = []
) async throws -> RangeReader {
  try await settle(path)
  return try await RangeReader(MappedSource(path, configuration: configuration), pipeline)
}

/// Where the first of the bytes lies in memory.
func address(of bytes: Bytes) -> UInt { bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }

/// The number of mappings of the file at `path` in this process. On Linux only.
func mappings(of path: String) throws -> Int {
  // Read to the end: the kernel makes the file up in parts, and says that it is empty.
  let maps = try #require(fopen("/proc/self/maps", "r"))
  defer { fclose(maps) }
  var line = [CChar](repeating: 0, count: 8192)
  var count = 0
  while fgets(&line, CInt(line.count), maps) != nil {
    if strstr(line, path + "\n") != nil { count += 1 }
  }
  return count
}

/// The number of open descriptors of the file at `path` in this process. On Linux only.
func descriptors(of path: String) throws -> Int {
  try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
    // `try?`: a descriptor that was closed meanwhile leads nowhere.
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)) == path
  }
}

/// Waits until `condition` holds: a thread of the library may keep what it worked for a moment longer than its caller.
func until(_ condition: () throws -> Bool) async throws {
  while try !condition() { try await Task.sleep(for: .milliseconds(1)) }
}

/// Expects `body` to throw a `ReadError` of `code`.
func expectError(_ code: ReadError.Code, _ body: () async throws -> Void) async {
  await #expect { try await body() } throws: { ($0 as? ReadError)?.code == code }
}

let pageSize = sysconf(Int32(_SC_PAGESIZE))
