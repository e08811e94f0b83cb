import SystemPackage

/// Removes what a store has left in a directory. No process may be using the directory.
package struct SpillClearing: Equatable, Sendable {
  /// The number of segments removed.
  package var segments = 0
  /// The disk space that all removed files took.
  package var byteCount = 0
  /// Directories below it that stay: other processes use them, or have put files into them.
  package var privateDirectoriesLeft = 0

  /// Removes the library's files from a directory, and nothing else. The directory stays.
  ///
  /// - Throws: `ReadError` of the code ``ReadError/Code/inUse`` if a process has the directory open for writing;
  ///   ``ReadError/Code/unsupportedFormat`` if another version of this library made it, with nothing touched; and as
  ///   ``SpillInspection/init(_:on:)``. An empty directory is no error.
  package static func clear(_ path: String, on disk: any SpillDisk = SystemDisk()) throws(ReadError) -> SpillClearing {
    let context = ReadError.Context(source: path)
    let expanded = FilePath(try FilePathExpansion.expand(path))
    let directory = try SpillFolder.attempt("open the spill directory", context) { () throws(Errno) in
      try disk.openDirectory(expanded)
    }
    try SpillFolder.check(directory, on: disk, context, mends: false)
    let names = try SpillFolder.attempt("list the spill directory", context) { () throws(Errno) in
      try directory.names()
    }
    guard !names.isEmpty else { return SpillClearing() }
    // Before `lock` is created, in case it is missing.
    _ = try SpillFolder.readRoot(directory, on: disk, context)
    try SpillFolder.refuseOtherVersions(names, in: directory, on: disk, context)
    let (lock, isLocked) = try SpillFolder.takeLock(directory, on: disk, context)
    guard isLocked else {
      throw ReadError(
        .inUse, "the spill directory is used by \(SpillFolder.owner(lock)): close that first", context: context)
    }
    defer { withExtendedLifetime(lock) {} }
    var cleared = SpillClearing()
    // `store` first: without it, the rest is ignored if this is interrupted. `lock` last.
    let fixed = [SpillFolder.storeName, SpillFolder.nextStoreName, SpillFolder.quotaName]
    for name in fixed { try cleared.remove(name, in: directory, on: disk, context) }
    try SpillFolder.attempt("sync the spill directory", context) { () throws(Errno) in try directory.sync() }
    for name in names.sorted() where SpillFormat.segmentNumber(name) != nil {
      if try cleared.remove(name, in: directory, on: disk, context) { cleared.segments += 1 }
    }
    for name in names.sorted() where SpillFormat.isPrivateName(name) {
      if let byteCount = SpillFolder.removePrivate(name, below: directory, on: disk) {
        cleared.byteCount += byteCount
      } else {
        cleared.privateDirectoriesLeft += 1
      }
    }
    try cleared.remove(SpillFolder.lockName, in: directory, on: disk, context)
    return cleared
  }

  /// - Returns: whether there was a file of ours with that name.
  @discardableResult private mutating func remove(
    _ name: String, in directory: any SpillDirectory, on disk: any SpillDisk, _ context: ReadError.Context
  ) throws(ReadError) -> Bool {
    guard let status = try? directory.status(of: name), SpillFolder.isOurs(status, on: disk) else { return false }
    try SpillFolder.attempt("remove \(name) from the spill directory", context) { () throws(Errno) in
      try directory.remove(name)
    }
    byteCount += max(status.size, status.allocatedSize)
    return true
  }
}
