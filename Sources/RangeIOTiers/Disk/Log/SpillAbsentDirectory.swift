import RangeIO
import SystemPackage

/// Stands for a directory that could not be created because the disk was full. It is empty, and is created together
/// with its first file.
final class SpillAbsentDirectory: SpillDirectory {
  private let configuration: DiskConfiguration
  private let disk: any SpillDisk
  private let folder = Locked<SpillFolder?>(nil)

  init(_ configuration: DiskConfiguration, on disk: any SpillDisk) {
    var configuration = configuration
    // If another process has created it in between, the directory must be opened anew.
    configuration.isShared = false
    self.configuration = configuration
    self.disk = disk
  }

  var lock: (any SpillFile)? { folder.withLock { $0?.lock } }

  private var made: (any SpillDirectory)? { folder.withLock { $0?.directory } }

  private func existing() throws(Errno) -> any SpillDirectory {
    guard let made else { throw .noSuchFileOrDirectory }
    return made
  }

  /// Creates it, if it does not exist yet. Called only by the one thread that writes.
  private func make() throws(Errno) -> any SpillDirectory {
    if let made { return made }
    let new: SpillFolder
    do throws(ReadError) {
      new = try SpillFolder.openNow(configuration, on: disk)
      try new.sign(configuration.processNumber)
    } catch {
      throw error.cause as? Errno ?? .noSpace
    }
    // What another process has put into it in between is found when the directory is opened the next time.
    guard try new.directory.names().filter({ !SpillFormat.isOfSystem($0) }) == [SpillFolder.lockName] else {
      throw .noSpace
    }
    folder.withLock { $0 = new }
    return new.directory
  }

  func status() throws(Errno) -> DiskStatus { try existing().status() }
  func setMode(_ mode: UInt32) throws(Errno) { try existing().setMode(mode) }
  func names() throws(Errno) -> [String] { try made?.names() ?? [] }
  func status(of name: String) throws(Errno) -> DiskStatus { try existing().status(of: name) }
  func create(_ name: String) throws(Errno) -> any SpillFile { try make().create(name) }
  func open(_ name: String, writing: Bool) throws(Errno) -> any SpillFile {
    try existing().open(name, writing: writing)
  }
  func remove(_ name: String) throws(Errno) { try existing().remove(name) }
  func rename(_ name: String, to new: String) throws(Errno) { try existing().rename(name, to: new) }
  func makeDirectory(_ name: String) throws(Errno) { try make().makeDirectory(name) }
  func openDirectory(_ name: String) throws(Errno) -> any SpillDirectory { try existing().openDirectory(name) }
  func removeDirectory(_ name: String) throws(Errno) { try existing().removeDirectory(name) }
  func sync() throws(Errno) { try made?.sync() }
  /// Unknown until the directory exists: the writer gets the error then.
  func freeByteCount() throws(Errno) -> Int { try made?.freeByteCount() ?? .max }
}
