#if Tool
import RangeIO
import Synchronization
import SystemPackage

/// A disk in memory with a single directory, which never fails and never waits. With it a replay counts only what a
/// store writes and reads. It has no users, modes or locks.
final class MemoryDisk: SpillDisk {
  private let directory = MemoryDirectory()

  var user: UInt32 { 0 }

  func makeDirectory(_ path: FilePath) throws(Errno) {}

  func openDirectory(_ path: FilePath) throws(Errno) -> any SpillDirectory { directory }
}

private final class MemoryDirectory: SpillDirectory {
  private let files = Mutex<[String: MemoryFile]>([:])

  func status() throws(Errno) -> DiskStatus { DiskStatus(kind: .directory, mode: 0o700) }

  func setMode(_ mode: UInt32) throws(Errno) {}

  func names() throws(Errno) -> [String] { files.withLock { Array($0.keys) } }

  func status(of name: String) throws(Errno) -> DiskStatus { try file(name).status() }

  func create(_ name: String) throws(Errno) -> any SpillFile {
    let made = files.withLock { files -> MemoryFile? in
      guard files[name] == nil else { return nil }
      let file = MemoryFile()
      files[name] = file
      return file
    }
    guard let made else { throw .fileExists }
    return made
  }

  func open(_ name: String, writing: Bool) throws(Errno) -> any SpillFile { try file(name) }

  private func file(_ name: String) throws(Errno) -> MemoryFile {
    guard let file = files.withLock({ $0[name] }) else { throw .noSuchFileOrDirectory }
    return file
  }

  func remove(_ name: String) throws(Errno) {
    guard files.withLock({ $0.removeValue(forKey: name) }) != nil else { throw .noSuchFileOrDirectory }
  }

  func rename(_ name: String, to new: String) throws(Errno) {
    let file = try file(name)
    files.withLock { files in
      files[name] = nil
      files[new] = file
    }
  }

  func makeDirectory(_ name: String) throws(Errno) { throw .notSupported }

  func openDirectory(_ name: String) throws(Errno) -> any SpillDirectory { throw .noSuchFileOrDirectory }

  func removeDirectory(_ name: String) throws(Errno) { throw .noSuchFileOrDirectory }

  func sync() throws(Errno) {}

  /// More than any caller needs.
  func freeByteCount() throws(Errno) -> Int { Int.max / 2 }
}

private final class MemoryFile: SpillFile {
  private let contents = Mutex<[UInt8]>([])

  func status() throws(Errno) -> DiskStatus {
    let count = contents.withLock { $0.count }
    return DiskStatus(kind: .file, size: count, allocatedSize: count)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int {
    contents.withLock { contents in
      let end = min(offset + buffer.count, contents.count)
      guard offset < end else { return 0 }
      contents.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<end])) }
      return end - offset
    }
  }

  func readResident(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int? {
    try read(into: buffer, at: offset)
  }

  func write(_ parts: [UnsafeRawBufferPointer], at offset: Int) throws(Errno) {
    contents.withLock { contents in
      var place = offset
      for part in parts where !part.isEmpty {
        Self.grow(&contents, to: place + part.count)
        contents.withUnsafeMutableBytes { bytes in
          UnsafeMutableRawBufferPointer(rebasing: bytes[place..<place + part.count]).copyMemory(from: part)
        }
        place += part.count
      }
    }
  }

  func allocate(_ count: Int) throws(Errno) { contents.withLock { Self.grow(&$0, to: count) } }

  func truncate(_ count: Int) throws(Errno) {
    contents.withLock { contents in
      contents.removeLast(max(0, contents.count - count))
      Self.grow(&contents, to: count)
    }
  }

  private static func grow(_ contents: inout [UInt8], to count: Int) {
    if count > contents.count { contents += repeatElement(0, count: count - contents.count) }
  }

  func sync() throws(Errno) {}

  func lock(exclusively: Bool) throws(Errno) -> Bool { true }

  func unlock() throws(Errno) {}

  func beginWriting(_ count: Int, at offset: Int) {}
}
#endif
