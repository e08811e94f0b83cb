package import RangeIO
import RangeIOTiers
import SystemPackage

/// Removes what a store has left in a directory. No process may be using the directory.
package struct SpillClearing: Equatable, Sendable {
  /// The number of segments removed.
  package var segments = 0
  /// The disk space that all removed files took.
  package var byteCount = 0
  /// Directories below it that stay: other processes use them, or have put files into them.
  package var privateDirectoriesLeft = 0
  /// Entries that the library did not make, which stay.
  package var foreignLeft = 0

  /// Removes the library's files from a directory, and nothing else. The directory stays.
  ///
  /// - Throws: `ReadError` of the code ``ReadError/Code/inUse`` if a process has the directory open for writing;
  ///   `unsupportedFormat` if another version of this library made it, with nothing touched; and as
  ///   ``SpillInspection/init(_:on:)``. An empty directory is no error.
  package static func clear(_ path: String, on disk: any SpillDisk = SystemDisk()) throws(ReadError) -> SpillClearing {
    let folder = try SpillFolder.openToRead(path, on: disk)
    let names = try folder.names()
    guard !names.isEmpty else { return SpillClearing() }
    // Before `lock` is created, in case it is missing.
    _ = try folder.readRoot()
    try folder.refuseOtherVersions(names)
    let (lock, isLocked) = try folder.takeLock()
    guard isLocked else {
      throw ReadError(
        .inUse, "the cache directory is used by \(SpillFolder.owner(lock)): close that first",
        context: folder.context)
    }
    defer { withExtendedLifetime(lock) {} }
    var cleared = SpillClearing()
    // `store` first: without it, the rest is ignored if this is interrupted. `lock` last.
    let fixed = [SpillFolder.storeName, SpillFolder.nextStoreName, SpillFolder.quotaName]
    for name in fixed { try cleared.remove(name, from: folder) }
    try folder.sync()
    for name in names.sorted() where SpillFormat.segmentNumber(name) != nil {
      if try cleared.remove(name, from: folder) { cleared.segments += 1 }
    }
    for name in names.sorted() where SpillFormat.isPrivateName(name) {
      if let byteCount = folder.removePrivate(name) {
        cleared.byteCount += byteCount
      } else {
        cleared.privateDirectoriesLeft += 1
      }
    }
    try cleared.remove(SpillFolder.lockName, from: folder)
    cleared.foreignLeft = try folder.names().count { !SpillFormat.isPrivateName($0) }
    return cleared
  }

  /// Returns whether there was a file of ours with that name.
  @discardableResult private mutating func remove(_ name: String, from folder: SpillFolder) throws(ReadError) -> Bool {
    guard let status = folder.status(of: name), folder.isOurs(name) else { return false }
    try folder.remove(name)
    byteCount += max(status.size, status.allocatedSize)
    return true
  }
}
