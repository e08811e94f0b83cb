import SystemPackage

/// A spill directory before it becomes a store: created if it is missing, owned by us alone, and locked.
struct SpillFolder {
  let directory: any SpillDirectory
  /// Locked for as long as this object is kept; `nil` for a reader.
  let lock: (any SpillFile)?
  /// The shared directory, if this is a private one below it.
  let shared: (any SpillDirectory)?
  /// The name of the private directory.
  let privateName: String?

  static let lockName = "lock"
  static let storeName = "store"
  static let nextStoreName = "store.new"
  static let quotaName = "quota"

  /// Opens a directory. If the disk is too full to create it, it is created when there is room.
  static func open(_ configuration: SpillStore.Configuration, on disk: any SpillDisk) throws(ReadError) -> SpillFolder {
    do throws(ReadError) {
      return try openNow(configuration, on: disk)
    } catch {
      guard !configuration.isReadOnly, let errno = error.cause as? Errno,
        [.noSpace, .diskQuotaExceeded].contains(errno)
      else { throw error }
      return SpillFolder(
        directory: SpillAbsentDirectory(configuration, on: disk), lock: nil, shared: nil, privateName: nil)
    }
  }

  static func openNow(
    _ configuration: SpillStore.Configuration, on disk: any SpillDisk
  ) throws(ReadError) -> SpillFolder {
    guard !configuration.directory.isEmpty else {
      throw ReadError(.invalidConfiguration, "a spill directory needs a path")
    }
    let path = FilePath(try FilePathExpansion.expand(configuration.directory))
    let context = ReadError.Context(source: configuration.directory)
    let directory: any SpillDirectory
    do throws(Errno) {
      if !configuration.isReadOnly { try disk.makeDirectory(path) }
      directory = try disk.openDirectory(path)
    } catch {
      throw .errno(error, "open the spill directory", context)
    }
    try check(directory, on: disk, context, mends: !configuration.isReadOnly)
    guard !configuration.isReadOnly else {
      return SpillFolder(directory: directory, lock: nil, shared: nil, privateName: nil)
    }
    let (lock, isLocked) = try takeLock(directory, on: disk, context)
    if isLocked {
      return SpillFolder(directory: directory, lock: lock, shared: nil, privateName: nil)
    }
    guard configuration.isShared else {
      throw ReadError(
        .inUse,
        "the spill directory is used by \(owner(lock)): close that, choose another directory, or let each process have "
          + "one of its own below it (isShared)", context: context)
    }
    return try makePrivate(below: directory, configuration, on: disk, context)
  }

  private static func makePrivate(
    below shared: any SpillDirectory, _ configuration: SpillStore.Configuration, on disk: any SpillDisk,
    _ context: ReadError.Context
  ) throws(ReadError) -> SpillFolder {
    // A process that cleans up after crashes may take a new directory before it is locked.
    for _ in 0..<16 {
      let name = hex(configuration.random()) + hex(configuration.random())
      let made = try attempt("make a private spill directory", context) {
        () throws(Errno) -> (any SpillDirectory, any SpillFile)? in
        try shared.makeDirectory(name)
        do throws(Errno) {
          let own = try shared.openDirectory(name)
          let lock = try own.create(lockName)
          guard try lock.lock(exclusively: true) else { return nil }
          return try lock.status().linkCount == 1 ? (own, lock) : nil
        } catch .noSuchFileOrDirectory {
          return nil
        }
      }
      if let (own, lock) = made {
        return SpillFolder(directory: own, lock: lock, shared: shared, privateName: name)
      }
    }
    throw ReadError(
      .inUse, "other processes keep taking the private directory over: try again, or name another directory",
      context: context)
  }

  private static func hex(_ number: UInt64) -> String { SpillFormat.segmentName(number) }

  // MARK: ownership

  /// Checks that a directory belongs to the user, and is closed to others.
  static func check(
    _ directory: any SpillDirectory, on disk: any SpillDisk, _ context: ReadError.Context, mends: Bool
  ) throws(ReadError) {
    let (status, names) = try attempt("look at the spill directory", context) { () throws(Errno) in
      (try directory.status(), try directory.names())
    }
    guard status.owner == disk.user else {
      throw ReadError(
        .permissionDenied,
        "the spill directory belongs to user \(status.owner), not to \(disk.user) who runs this: choose a directory of "
          + "your own", context: context)
    }
    guard isSpillDirectory(directory, names, on: disk) else {
      throw ReadError(
        .invalidConfiguration,
        "the directory has other files in it, and no spill files: choose one that is empty, or a new one",
        context: context)
    }
    guard status.mode & 0o077 != 0 else { return }
    // An empty directory has no files of others.
    guard names.isEmpty, mends else {
      throw ReadError(
        .permissionDenied,
        "the spill directory is open to other users, who may have changed it: make it private (chmod 700), or remove it",
        context: context)
    }
    try attempt("make the spill directory private", context) { () throws(Errno) in try directory.setMode(0o700) }
  }

  /// Whether a file is a regular file of the user, which no one else can write to.
  static func isOurs(_ status: DiskStatus, on disk: any SpillDisk) -> Bool {
    status.kind == .file && status.owner == disk.user && status.linkCount == 1 && status.mode & 0o077 == 0
  }

  // MARK: `store`

  /// The result of reading `store`.
  enum RootState {
    case good(SpillRoot)
    case missing
    case damaged
  }

  static func readRoot(
    _ directory: any SpillDirectory, on disk: any SpillDisk, _ context: ReadError.Context
  ) throws(ReadError) -> RootState {
    let file: any SpillFile
    do throws(Errno) {
      file = try directory.open(storeName, writing: false)
      guard isOurs(try file.status(), on: disk) else { return .damaged }
    } catch {
      switch error {
      case .noSuchFileOrDirectory: return .missing
      case .tooManySymbolicLinkLevels, .isDirectory: return .damaged
      default: throw .errno(error, "read the spill directory", context)
      }
    }
    var memory = [UInt8](repeating: 0, count: SpillFormat.headerCount)
    let result = memory.withUnsafeMutableBytes { buffer in
      Result { () throws(Errno) in try file.read(into: buffer, at: 0) }
    }
    switch result {
    case .failure(let errno): throw .errno(errno, "read the spill directory", context)
    case .success(let count):
      memory.removeLast(memory.count - count)
      if case .otherVersion(let version) = memory.withUnsafeBytes({ SpillPrefix($0) }) {
        throw unsupportedFormat(version, context)
      }
      return memory.withUnsafeBytes { SpillRoot($0) }.map { .good($0) } ?? .damaged
    }
  }

  /// Replaces `store` durably.
  static func write(_ root: SpillRoot, to directory: any SpillDirectory) throws(Errno) {
    var memory = [UInt8](repeating: 0, count: SpillFormat.headerCount)
    memory.withUnsafeMutableBytes { root.write(to: $0) }
    do throws(Errno) {
      try directory.remove(nextStoreName)
    } catch .noSuchFileOrDirectory {}
    let file = try directory.create(nextStoreName)
    try file.writeAll(memory, at: 0)
    try file.sync()
    try directory.rename(nextStoreName, to: storeName)
    try directory.sync()
  }

  // MARK: removing

  /// Removes a private directory that is no longer used.
  ///
  /// - Returns: the size of its files; `nil` if it still exists: in use, or not all ours.
  @discardableResult static func removePrivate(
    _ name: String, below directory: any SpillDirectory, on disk: any SpillDisk
  ) -> Int? {
    // Whatever fails here belongs to another process, or is tried again at the next opening.
    guard let below = try? directory.openDirectory(name), let status = try? below.status(),
      status.owner == disk.user, let names = try? below.names(), isSpillDirectory(below, names, on: disk)
    else { return nil }
    var lock: (any SpillFile)?
    defer { withExtendedLifetime(lock) {} }
    if names.contains(lockName) {
      lock = try? below.open(lockName, writing: true)
      guard let lock, (try? lock.lock(exclusively: true)) == true else { return nil }
    }
    var byteCount = 0
    for file in names where SpillFormat.segmentNumber(file) != nil || fileNames.contains(file) {
      guard let status = try? below.status(of: file), isOurs(status, on: disk) else { continue }
      if (try? below.remove(file)) != nil { byteCount += max(status.size, status.allocatedSize) }
    }
    return (try? directory.removeDirectory(name)) == nil ? nil : byteCount
  }

  /// Throws if another version of this library has written a segment. Then nothing may be changed, whatever `store`
  /// says.
  static func refuseOtherVersions(
    _ names: [String], in directory: any SpillDirectory, on disk: any SpillDisk, _ context: ReadError.Context
  ) throws(ReadError) {
    for name in names where SpillFormat.segmentNumber(name) != nil {
      guard let status = try? directory.status(of: name), isOurs(status, on: disk),
        let file = try? directory.open(name, writing: false),
        let start = try? SpillScan.bytes(of: file, at: 0, SpillFormat.prefixCount)
      else { continue }
      if case .otherVersion(let version) = start.withUnsafeBytes({ SpillPrefix($0) }) {
        throw unsupportedFormat(version, context)
      }
    }
  }

  private static func unsupportedFormat(_ version: UInt16, _ context: ReadError.Context) -> ReadError {
    ReadError(
      .unsupportedFormat,
      "the spill directory is of format version \(version), and this library writes version "
        + "\(SpillFormat.version): open it with the library that made it, or remove the directory",
      context: context)
  }

  /// Runs `body`, and describes its failure in words.
  @discardableResult static func attempt<Value>(
    _ action: String, _ context: ReadError.Context, _ body: () throws(Errno) -> Value
  ) throws(ReadError) -> Value {
    do throws(Errno) {
      return try body()
    } catch {
      throw .errno(error, action, context)
    }
  }
}
