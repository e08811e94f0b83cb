import SystemPackage

/// The file `lock`: shows which process has the directory.
extension SpillFolder {
  /// Tries to lock the directory.
  ///
  /// - Returns: the lock file, and whether this process now holds the lock.
  static func takeLock(
    _ directory: any SpillDirectory, on disk: any SpillDisk, _ context: ReadError.Context
  ) throws(ReadError) -> (file: any SpillFile, isLocked: Bool) {
    while true {
      let file = try lockFile(directory, on: disk, context)
      let (isLocked, status) = try attempt("lock the spill directory", context) { () throws(Errno) in
        (try file.lock(exclusively: true), try file.status())
      }
      // Another process cleared the directory between opening and locking, and removed this file: it would keep no
      // process out.
      if status.linkCount > 0 { return (file, isLocked) }
    }
  }

  private static func lockFile(
    _ directory: any SpillDirectory, on disk: any SpillDisk, _ context: ReadError.Context
  ) throws(ReadError) -> any SpillFile {
    let file = try attempt("open the lock of the spill directory", context) { () throws(Errno) -> any SpillFile in
      while true {
        // First try what needs no disk space.
        do throws(Errno) {
          return try directory.open(lockName, writing: true)
        } catch .noSuchFileOrDirectory {}
        do throws(Errno) {
          return try directory.create(lockName)
        } catch .fileExists {}
      }
    }
    let status = try attempt("look at the lock of the spill directory", context) { () throws(Errno) in
      try file.status()
    }
    guard status.linkCount == 0 || isOurs(status, on: disk) else {
      throw ReadError(
        .permissionDenied, "the spill directory's file `lock` is not one that this library made: remove the directory",
        context: context)
    }
    return file
  }

  /// Writes into `lock` which process has the directory.
  func sign(_ configuration: SpillStore.Configuration, _ context: ReadError.Context) throws(ReadError) {
    guard let lock else { return }
    let text = Array("\(Self.mark) process \(configuration.processNumber)\n".utf8)
    do throws(Errno) {
      try lock.truncate(0)
      try lock.writeAll(text, at: 0)
    } catch {
      // On a full disk the lock is valid without a name.
      guard SpillTrouble.failed(error).concernsWritesOnly else {
        throw .errno(error, "lock the spill directory", context)
      }
    }
  }

  static func owner(_ lock: any SpillFile) -> String {
    var text = [UInt8](repeating: 0, count: 64)
    let count = text.withUnsafeMutableBytes { buffer -> Int in
      // `try?`: if the name cannot be read, it is still some other process.
      (try? lock.read(into: buffer, at: 0)) ?? 0
    }
    let words = String(decoding: text.prefix(count).filter { (32..<127).contains($0) }, as: UTF8.self)
    let name = words.hasPrefix(mark) ? words.dropFirst(mark.count + 1) : words[...]
    return name.isEmpty ? "another process" : String(name)
  }
}
