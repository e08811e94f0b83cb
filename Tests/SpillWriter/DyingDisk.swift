import RangeIO
import RangeIOTesting
import Synchronization
import SystemPackage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The disk of this machine, on which the process dies in the middle of a write.
struct DyingDisk: SpillDisk {
  private let death: Death
  private let disk = SystemDisk()

  init(inWrite number: Int, seed: UInt64) { death = Death(number, seed) }

  var user: UInt32 { disk.user }

  func makeDirectory(_ path: FilePath) throws(Errno) { try disk.makeDirectory(path) }

  func openDirectory(_ path: FilePath) throws(Errno) -> any SpillDirectory {
    DyingDirectory(try disk.openDirectory(path), death)
  }
}

/// Counts writes, and kills.
private final class Death: Sendable {
  private let number: Int
  private let seed: UInt64
  private let count = Atomic<Int>(0)

  init(_ number: Int, _ seed: UInt64) {
    self.number = number
    self.seed = seed
  }

  /// How much of a write there is time for, if it is the last one: not nothing, and not all.
  func share(of byteCount: Int) -> Int? {
    guard count.wrappingAdd(1, ordering: .relaxed).newValue >= number, byteCount > 1 else { return nil }
    var random = SeededGenerator(seed: seed)
    return Int.random(in: 1..<byteCount, using: &random)
  }

  func strike() -> Never {
    kill(getpid(), SIGKILL)
    while true { pause() }
  }
}

private final class DyingDirectory: SpillDirectory {
  private let directory: any SpillDirectory
  private let death: Death

  init(_ directory: any SpillDirectory, _ death: Death) {
    self.directory = directory
    self.death = death
  }

  func status() throws(Errno) -> DiskStatus { try directory.status() }
  func setMode(_ mode: UInt32) throws(Errno) { try directory.setMode(mode) }
  func names() throws(Errno) -> [String] { try directory.names() }
  func status(of name: String) throws(Errno) -> DiskStatus { try directory.status(of: name) }
  func create(_ name: String) throws(Errno) -> any SpillFile { DyingFile(try directory.create(name), death) }
  func open(_ name: String, writing: Bool) throws(Errno) -> any SpillFile {
    DyingFile(try directory.open(name, writing: writing), death)
  }
  func remove(_ name: String) throws(Errno) { try directory.remove(name) }
  func rename(_ name: String, to new: String) throws(Errno) { try directory.rename(name, to: new) }
  func makeDirectory(_ name: String) throws(Errno) { try directory.makeDirectory(name) }
  func openDirectory(_ name: String) throws(Errno) -> any SpillDirectory {
    DyingDirectory(try directory.openDirectory(name), death)
  }
  func removeDirectory(_ name: String) throws(Errno) { try directory.removeDirectory(name) }
  func sync() throws(Errno) { try directory.sync() }
  func freeByteCount() throws(Errno) -> Int { try directory.freeByteCount() }
}

private final class DyingFile: SpillFile {
  private let file: any SpillFile
  private let death: Death

  init(_ file: any SpillFile, _ death: Death) {
    self.file = file
    self.death = death
  }

  func write(_ parts: [UnsafeRawBufferPointer], at offset: Int) throws(Errno) {
    guard let share = death.share(of: parts.reduce(0) { $0 + $1.count }) else {
      return try file.write(parts, at: offset)
    }
    let all = parts.flatMap { Array($0) }
    try all.withUnsafeBytes { bytes -> Result<Void, Errno> in
      Result { () throws(Errno) in try file.write([UnsafeRawBufferPointer(rebasing: bytes[..<share])], at: offset) }
    }.get()
    death.strike()
  }

  func status() throws(Errno) -> DiskStatus { try file.status() }
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int {
    try file.read(into: buffer, at: offset)
  }
  func readResident(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int? {
    try file.readResident(into: buffer, at: offset)
  }
  func allocate(_ count: Int) throws(Errno) { try file.allocate(count) }
  func truncate(_ count: Int) throws(Errno) { try file.truncate(count) }
  func sync() throws(Errno) { try file.sync() }
  func lock(exclusively: Bool) throws(Errno) -> Bool { try file.lock(exclusively: exclusively) }
  func unlock() throws(Errno) { try file.unlock() }
  func beginWriting(_ count: Int, at offset: Int) { file.beginWriting(count, at: offset) }
}
