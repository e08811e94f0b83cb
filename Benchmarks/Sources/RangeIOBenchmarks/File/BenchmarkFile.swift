import CBenchmarkPeers
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file that all contenders read: made once, its contents a formula.
struct BenchmarkFile: Sendable {
  struct Size: Sendable {
    /// What the goals speak of: too large for any processor's cache, small enough to be resident on most machines.
    static let standard = gibibytes(1)
    /// As much as the largest store of the cache's cells: a million blocks of 4 KiB.
    static let millionBlocks = Size(rawValue: 4_096_000_000, name: "range-io-million-blocks.bin")

    static func gibibytes(_ count: Int) -> Size { Size(rawValue: count << 30, name: "range-io-\(count)GiB.bin") }

    let rawValue: Int
    fileprivate let name: String
  }

  let path: String
  let byteCount: Int

  /// The file of that size in `directory`, made now unless it is there.
  ///
  /// - Throws: if there is not space for twice its size: a benchmark must not fill somebody's disk.
  init(_ size: Size, in directory: URL, progress: Progress) throws {
    byteCount = size.rawValue
    path = directory.appendingPathComponent(size.name).path
    if try isComplete() { return }
    try Self.requireSpace(2 * byteCount, in: directory)
    progress.show("making a file of \(byteCount >> 20) MiB")
    try create()
  }

  /// Whether the file is there and is ours: its size, and words all over it.
  private func isComplete() throws -> Bool {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
      attributes[.size] as? Int == byteCount
    else { return false }
    let descriptor = try open()
    defer { close(descriptor) }
    return stride(from: 4096 - 8, to: byteCount, by: byteCount / 64).allSatisfy { offset in
      var word: UInt64 = 0
      let count = pread(descriptor, &word, 8, off_t(offset))
      return count == 8 && UInt64(littleEndian: word) == bench_word(UInt64(offset) / 8)
    }
  }

  /// Writes under another name, so that an interrupted run leaves no half a file under this one.
  private func create() throws {
    let unfinished = path + ".unfinished"
    let descriptor = creat(unfinished, 0o644)
    guard descriptor >= 0 else { throw SystemFailure(code: errno, doing: "create the benchmark's file") }
    defer { close(descriptor) }
    let piece = 4 << 20
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 8)
    defer { buffer.deallocate() }
    for offset in stride(from: 0, to: byteCount, by: piece) {
      let count = min(piece, byteCount - offset)
      bench_fill(buffer.baseAddress, count, Int64(offset))
      guard pwrite(descriptor, buffer.baseAddress, count, off_t(offset)) == count else {
        throw SystemFailure(code: errno, doing: "write the benchmark's file")
      }
    }
    try SystemFailure.check(Int64(bench_sync(descriptor)), "write the benchmark's file to disk")
    guard rename(unfinished, path) == 0 else { throw SystemFailure(code: errno, doing: "name the benchmark's file") }
  }

  /// A new descriptor, with a position, read-ahead and advice of its own.
  func open() throws -> CInt {
    let descriptor = openReadOnly(path)
    guard descriptor >= 0 else { throw SystemFailure(code: errno, doing: "open \(path)") }
    return descriptor
  }

  /// Throws unless `directory` has `byteCount` bytes free.
  static func requireSpace(_ byteCount: Int, in directory: URL) throws {
    let attributes = try FileManager.default.attributesOfFileSystem(forPath: directory.path)
    let free = (attributes[.systemFreeSize] as? NSNumber)?.int64Value ?? .max
    guard free >= Int64(byteCount) else {
      throw TooLittleSpace(directory: directory.path, free: Int(free), needed: byteCount)
    }
  }
}

/// There is not enough room for the benchmark's files.
struct TooLittleSpace: Error, CustomStringConvertible {
  let directory: String
  let free: Int
  let needed: Int

  var description: String {
    "\(directory) has \(free >> 20) MiB free and the benchmark wants \(needed >> 20): name another with --directory"
  }
}

private func openReadOnly(_ path: String) -> CInt { open(path, O_RDONLY | O_CLOEXEC) }
