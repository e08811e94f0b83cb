import CRangeIOSystem
package import RangeIO
import SystemPackage

/// A spill directory before it becomes a store: created if it is missing, closed to others, and locked.
package struct SpillFolder {
  package let directory: any SpillDirectory
  let disk: any SpillDisk
  /// Names it in errors.
  package let context: ReadError.Context
  /// Locked for as long as this object is kept; `nil` for a reader.
  private(set) var lock: (any SpillFile)?
  /// The shared directory, if this is a private one below it.
  private(set) var shared: (any SpillDirectory)?
  private(set) var privateName: String?

  init(_ directory: any SpillDirectory, on disk: any SpillDisk, _ context: ReadError.Context) {
    self.directory = directory
    self.disk = disk
    self.context = context
  }

  // MARK: opening

  /// Opens a directory. If the disk is too full to create it, it is created when there is room.
  static func open(_ configuration: DiskConfiguration, on disk: any SpillDisk) throws(ReadError) -> SpillFolder {
    do throws(ReadError) {
      return try openNow(configuration, on: disk)
    } catch {
      guard !configuration.isReadOnly, let errno = error.cause as? Errno,
        [.noSpace, .diskQuotaExceeded].contains(errno)
      else { throw error }
      let absent = SpillAbsentDirectory(configuration, on: disk)
      return SpillFolder(absent, on: disk, .init(source: configuration.directory))
    }
  }

  /// Opens a directory to read it, without a lock.
  package static func openToRead(_ path: String, on disk: any SpillDisk) throws(ReadError) -> SpillFolder {
    var configuration = DiskConfiguration(directory: path, limit: .bytes(0))
    configuration.isReadOnly = true
    return try openNow(configuration, on: disk)
  }

  static func openNow(
    _ configuration: DiskConfiguration, on disk: any SpillDisk
  ) throws(ReadError) -> SpillFolder {
    guard !configuration.directory.isEmpty else {
      throw ReadError(.invalidConfiguration, "a cache directory needs a path")
    }
    let path = FilePath(try FilePathExpansion.expand(configuration.directory))
    let context = ReadError.Context(source: configuration.directory)
    let directory = try directory(at: path, makes: !configuration.isReadOnly, on: disk, context)
    var folder = SpillFolder(directory, on: disk, context)
    try folder.check(closes: !configuration.isReadOnly)
    guard !configuration.isReadOnly else { return folder }
    let (lock, isLocked) = try folder.takeLock()
    if isLocked {
      folder.lock = lock
      return folder
    }
    guard configuration.isShared else {
      throw ReadError(
        .inUse,
        "the cache directory is used by \(owner(lock)): close that, choose another directory, or let each process have "
          + "one of its own below it (isShared)", context: context)
    }
    return try folder.makePrivate(configuration.random)
  }

  /// Opens the directory at `path`. If it belongs to another user, as the root of a volume often does, or others use it
  /// too, opens one of this user's own below it.
  private static func directory(
    at path: FilePath, makes: Bool, on disk: any SpillDisk, _ context: ReadError.Context
  ) throws(ReadError) -> any SpillDirectory {
    let directory: any SpillDirectory
    let owner: UInt32
    let isCommon: Bool
    do throws(Errno) {
      if makes { try disk.makeDirectory(path) }
      directory = try disk.openDirectory(path)
      let status = try directory.status()
      owner = status.owner
      isCommon = owner == disk.user ? try SpillFolder(directory, on: disk, context).isCommon(status) : false
    } catch {
      // For the message alone: another process might have put a link there, so none is followed.
      let mode = path.withPlatformString { rio_mode_of_path($0) }
      guard error == .notDirectory, mode >= 0, rio_file_kind_of(UInt32(mode)) == rio_directory else {
        throw .errno(error, "open the cache directory", context)
      }
      throw ReadError(
        .notFound, "the cache directory is behind a symbolic link, which is not followed: name the directory itself",
        context: context, cause: error)
    }
    guard owner != disk.user || isCommon else { return directory }
    do throws(Errno) {
      return try own(in: directory, makes: makes, on: disk)
    } catch {
      // There is nothing to read, and what is wrong with the directory itself is told.
      if isCommon, !makes, error == .noSuchFileOrDirectory { return directory }
      let whose = isCommon ? "is one that others use too" : "belongs to user \(owner)"
      throw ReadError(
        .permissionDenied,
        "the cache directory \(whose), and user \(disk.user), who runs this, has none below it "
          + "(\(error.description.lowercased())): choose a directory of your own", context: context, cause: error)
    }
  }

  private static func own(
    in directory: any SpillDirectory, makes: Bool, on disk: any SpillDisk
  ) throws(Errno) -> any SpillDirectory {
    let name = "rangeio-\(disk.user)"
    var isNew = false
    if makes {
      do throws(Errno) {
        try directory.makeDirectory(name)
        isNew = true
        // `try?`: not every file system can, and what is lost otherwise is a cache.
        try? directory.sync()
      } catch .fileExists {}
    }
    do throws(Errno) {
      let own = try directory.openDirectory(name)
      guard try own.status().owner == disk.user else { throw .permissionDenied }
      return own
    } catch {
      // A server may have given it to another user. `try?`: an empty directory more does no harm.
      if isNew { try? directory.removeDirectory(name) }
      throw error
    }
  }

  /// Checks whether others use a directory of this user too, as they do `/dev/shm` and the root of a volume: it is not
  /// closed to them. Once a store has closed a directory, it is that store's, also if it is opened to others.
  private func isCommon(_ status: DiskStatus) throws(Errno) -> Bool {
    guard status.mode & 0o077 != 0, case let names = try directory.names(),
      status.mode & 0o1002 != 0 || names.contains(where: { SpillFormat.isOfVolume($0) })
    else { return false }
    return !hasMarked(names)
  }

  private func makePrivate(_ random: () -> UInt64) throws(ReadError) -> SpillFolder {
    // A process that cleans up after crashes may take a new directory before it is locked.
    for _ in 0..<16 {
      let name = SpillFormat.segmentName(random()) + SpillFormat.segmentName(random())
      let made = try attempt("make a private cache directory") { () throws(Errno) -> SpillFolder? in
        do throws(Errno) {
          try directory.makeDirectory(name)
          var own = SpillFolder(try directory.openDirectory(name), on: disk, context)
          let lock = try own.directory.create(Self.lockName)
          guard try lock.lock(exclusively: true), try lock.status().linkCount == 1 else {
            // `try?`, twice: what cannot be removed here, the process that took it over removes.
            try? own.directory.remove(Self.lockName)
            try? directory.removeDirectory(name)
            return nil
          }
          (own.lock, own.shared, own.privateName) = (lock, directory, name)
          return own
        } catch .noSuchFileOrDirectory {
          return nil
        }
      }
      if let made { return made }
    }
    throw ReadError(
      .inUse,
      "new private directories are locked by others: try again; if that does not help, the locks of its file system do "
        + "not work: name a directory on a local disk", context: context)
  }

  /// Checks that this is a spill directory, and closes it to others.
  ///
  /// Container platforms and service managers open it to a group, or to all, between two runs. What others may have
  /// changed meanwhile is told by the modes of the files: ``SpillDisk/trusts(_:)``.
  private func check(closes: Bool) throws(ReadError) {
    let (status, names) = try attempt("look at the cache directory") { () throws(Errno) in
      (try directory.status(), try directory.names())
    }
    guard isSpillDirectory(names) else {
      throw ReadError(
        .invalidConfiguration,
        "the directory has other files in it, and no cache files: choose one that is empty, or a new one",
        context: context)
    }
    guard closes, status.mode & 0o077 != 0 else { return }
    try attempt("make the cache directory private") { () throws(Errno) in try directory.setMode(0o700) }
  }

  // MARK: what others also need

  /// Runs `body`, and describes its failure in words.
  @discardableResult func attempt<Value>(
    _ action: String, _ body: () throws(Errno) -> Value
  ) throws(ReadError) -> Value {
    do throws(Errno) {
      return try body()
    } catch {
      throw .errno(error, action, context)
    }
  }

  package func names() throws(ReadError) -> [String] {
    try attempt("list the cache directory") { () throws(Errno) in try directory.names() }
  }

  package func sync() throws(ReadError) {
    try attempt("sync the cache directory") { () throws(Errno) in try directory.sync() }
  }

  package func remove(_ name: String) throws(ReadError) {
    try attempt("remove \(name) from the cache directory") { () throws(Errno) in try directory.remove(name) }
  }

  /// The number of bytes that the user may still write to the file system.
  package func freeByteCount() throws(ReadError) -> Int {
    try attempt("ask for the free space of the disk") { () throws(Errno) in try directory.freeByteCount() }
  }

  /// The status of a file; `nil` if it is gone, or not one of ours.
  package func status(of name: String) -> DiskStatus? {
    (try? directory.status(of: name)).flatMap { disk.owns($0) ? $0 : nil }
  }

  /// Removes a private directory that is no longer used. Returns the size of its files; `nil` if it still exists: in
  /// use, or not all ours.
  @discardableResult package func removePrivate(_ name: String) -> Int? {
    // Whatever fails here belongs to another process, or is tried again at the next opening.
    guard let below = (try? directory.openDirectory(name)).map({ SpillFolder($0, on: disk, context) }),
      let status = try? below.directory.status(), status.owner == disk.user,
      let names = try? below.directory.names(), below.isSpillDirectory(names)
    else { return nil }
    var lock: (any SpillFile)?
    defer { withExtendedLifetime(lock) {} }
    if names.contains(Self.lockName) {
      lock = try? below.directory.open(Self.lockName, writing: true)
      guard let lock, (try? lock.lock(exclusively: true)) == true else { return nil }
    }
    // No others: a process that is starting may have made its lock since, and then its directory stays.
    let byteCount = below.removeFiles(names)
    // `try?`: it is not empty if something in it is not ours.
    return (try? directory.removeDirectory(name)) == nil ? nil : byteCount
  }

  /// Removes those of the files that stores have made, as far as that is possible. Returns their size.
  @discardableResult func removeFiles(_ names: [String]) -> Int {
    // `try?`: what cannot be removed is tried again at the next opening.
    var byteCount = 0
    for name in names
    where SpillFormat.segmentNumber(name) != nil || Self.fileNames.contains(name) {
      guard let status = status(of: name), isOurs(name) else { continue }
      if (try? directory.remove(name)) != nil { byteCount += max(status.size, status.allocatedSize) }
    }
    return byteCount
  }
}

extension SpillDisk {
  /// Checks whether a file is a regular file of the user, with one name.
  func owns(_ status: DiskStatus) -> Bool {
    status.kind == .file && status.owner == user && status.linkCount == 1
  }

  /// Checks whether it is one that no one else can have written to.
  func trusts(_ status: DiskStatus) -> Bool { owns(status) && status.mode & 0o022 == 0 }
}
