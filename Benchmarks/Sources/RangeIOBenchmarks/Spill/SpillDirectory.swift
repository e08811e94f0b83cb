import CBenchmarkPeers
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A directory of one contender: made, filled, copied, brought into the page cache, removed.
struct SpillDirectory: Sendable {
  let url: URL

  /// Makes an empty directory, whatever there was.
  init(empty url: URL) throws {
    self.url = url
    try remove()
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// One that is there.
  init(existing url: URL) { self.url = url }

  func remove() throws {
    if FileManager.default.fileExists(atPath: url.path) { try FileManager.default.removeItem(at: url) }
  }

  /// Copies it to `other`, and waits until that is on the disk.
  func copy(to other: URL) throws -> SpillDirectory {
    let copy = try SpillDirectory(empty: other)
    for (path, count) in try files() {
      let target = other.appendingPathComponent(String(path.dropFirst(url.path.count + 1)))
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      if count == 0 {
        guard FileManager.default.createFile(atPath: target.path, contents: nil) else {
          throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: target.path])
        }
      } else {
        try FileManager.default.copyItem(atPath: path, toPath: target.path)
      }
    }
    try copy.settle()
    return copy
  }

  /// Waits until the disk has nothing more to do for what was written.
  func settle() throws { try SystemFailure.check(Int64(bench_settle(url.path)), "wait for the disk") }

  /// Whether every page of its files is in the page cache.
  func isResident() throws -> Bool {
    try files().allSatisfy { path, count in try withFile(path) { try Self.isResident($0, count) } }
  }

  /// Brings every page of its files into the page cache.
  func warm() throws {
    for _ in 0..<5 {
      for (path, count) in try files() {
        try withFile(path) { if try !Self.isResident($0, count) { try Self.read($0, path) } }
      }
      if try isResident() { return }
    }
    throw Residency.Uncontrollable(temperature: .resident)
  }

  /// Takes every page of its files out of the page cache: only what is on the disk already can go.
  func chill() throws {
    try settle()
    for _ in 0..<5 {
      for (path, count) in try files() where count > 0 {
        _ = try withFile(path) {
          try SystemFailure.check(Int64(bench_drop_cache($0, Int64(count))), "drop \(path) from the page cache")
        }
      }
      if try files().allSatisfy({ path, count in try withFile(path) { try Self.residentPages($0, count) == 0 } }) {
        return
      }
    }
    throw Residency.Uncontrollable(temperature: .cold)
  }

  /// Runs something until every page of its files was in the page cache from beginning to end.
  func whileResident(_ run: () async throws -> Outcome) async throws -> Outcome {
    for _ in 0..<5 {
      try warm()
      let outcome = try await run()
      if try isResident() { return outcome }
    }
    throw Residency.Uncontrollable(temperature: .resident)
  }

  /// Its files, however deep, with their lengths.
  private func files() throws -> [(path: String, count: Int)] {
    try FileManager.default.subpathsOfDirectory(atPath: url.path).compactMap { name in
      let path = url.appendingPathComponent(name).path
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      guard attributes[.type] as? FileAttributeType == .typeRegular, let count = attributes[.size] as? Int
      else { return nil }
      return (path, count)
    }
  }

  private func withFile<Result>(_ path: String, _ body: (CInt) throws -> Result) throws -> Result {
    let descriptor = openReadOnly(path)
    guard descriptor >= 0 else { throw SystemFailure(code: errno, doing: "open \(path)") }
    defer { close(descriptor) }
    return try body(descriptor)
  }

  private static func isResident(_ descriptor: CInt, _ count: Int) throws -> Bool {
    try residentPages(descriptor, count) * bench_page_size() >= count
  }

  private static func residentPages(_ descriptor: CInt, _ count: Int) throws -> Int64 {
    guard count > 0 else { return 0 }
    return try SystemFailure.check(bench_resident_pages(descriptor, Int64(count)), "look at the page cache")
  }

  private static func read(_ descriptor: CInt, _ path: String) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var offset = 0
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      guard count >= 0 else { throw SystemFailure(code: errno, doing: "read \(path)") }
      if count == 0 { return }
      offset += count
    }
  }
}

private func openReadOnly(_ path: String) -> CInt { open(path, O_RDONLY | O_CLOEXEC) }
