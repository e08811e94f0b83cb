import CRangeIOSystem
package import RangeIO
import SystemPackage

/// The files of a directory: `lock`, which shows which process has it; `store`; and whose files they are.
extension SpillFolder {
  package static let lockName = "lock"
  package static let storeName = "store"
  package static let nextStoreName = "store.new"
  package static let quotaName = "quota"
  static let fileNames = [lockName, storeName, nextStoreName, quotaName]

  // MARK: `lock`

  /// Tries to lock the directory. Returns the lock file, and whether this process now holds the lock.
  package func takeLock() throws(ReadError) -> (file: any SpillFile, isLocked: Bool) {
    for _ in 0..<16 {
      let file = try lockFile()
      let isLocked = try lock(file)
      let status = try attempt("look at the lock of the cache directory") { () throws(Errno) in try file.status() }
      // Another process cleared the directory between opening and locking, and removed this file: it would keep no
      // process out.
      if status.linkCount > 0 { return (file, isLocked) }
    }
    throw ReadError(
      .inUse,
      "the cache directory's file `lock` has no name as soon as it is opened: try again; if that does not help, its file "
        + "system does not count names: name a directory on a local disk", context: context)
  }

  private func lock(_ file: any SpillFile) throws(ReadError) -> Bool {
    do throws(Errno) {
      return try file.lock(exclusively: true)
    } catch {
      // Without locks, two processes could have the directory.
      throw ReadError(
        .inputOutput,
        "cannot lock the cache directory: \(error.description.lowercased()) (\(error.rawValue)); not every network file "
          + "system has locks: name a directory on a local disk", context: context, cause: error)
    }
  }

  private func lockFile() throws(ReadError) -> any SpillFile {
    let file = try attempt("open the lock of the cache directory") { () throws(Errno) -> any SpillFile in
      while true {
        // First try what needs no disk space.
        do throws(Errno) {
          return try directory.open(Self.lockName, writing: true)
        } catch .noSuchFileOrDirectory {}
        do throws(Errno) {
          return try directory.create(Self.lockName)
        } catch .fileExists {}
      }
    }
    let status = try attempt("look at the lock of the cache directory") { () throws(Errno) in try file.status() }
    guard status.linkCount == 0 || disk.owns(status) else {
      throw ReadError(
        .permissionDenied, "the cache directory's file `lock` is not one that this library made: remove the directory",
        context: context)
    }
    return file
  }

  /// Writes into `lock` which process has the directory.
  func sign(_ processNumber: Int) throws(ReadError) {
    guard let lock else { return }
    let text = Array("\(Self.mark) process \(processNumber)\n".utf8)
    do throws(Errno) {
      try lock.truncate(0)
      try lock.writeAll(text, at: 0)
    } catch {
      // On a full disk the lock is valid without a name.
      guard SpillTrouble.failed(error).concernsWritesOnly else {
        throw .errno(error, "lock the cache directory", context)
      }
    }
  }

  /// Which process has locked the directory, in words.
  ///
  /// A lock belongs to an open file, which a process shares with its forks. So one of these may have it.
  package static func owner(_ lock: any SpillFile) -> String {
    // `try?`: if the name cannot be read, it is still some other process.
    let text = (try? lock.bytes(at: 0, 64)) ?? []
    let words = String(decoding: text.filter { (32..<127).contains($0) }, as: UTF8.self)
    let name = words.hasPrefix(mark) ? words.dropFirst(mark.count + 1) : words[...]
    let signed = Int(name.drop { !$0.isNumber })
    let holders = lock.holders
    guard signed.map({ !holders.contains($0) }) ?? true, let heir = holders.first(where: { $0 != rio_process_number() })
    else {
      if signed == Int(rio_process_number()) { return "another store of this process" }
      return name.isEmpty ? "another process" : String(name)
    }
    return "process \(heir)" + (name.isEmpty ? "" : ", which \(name) has forked")
  }

  // MARK: `store`

  package func readRoot() throws(ReadError) -> SpillRoot.Reading {
    let file: any SpillFile
    let isTrusted: Bool
    do throws(Errno) {
      file = try directory.open(Self.storeName, writing: false)
      let status = try file.status()
      guard disk.owns(status) else { return .damaged }
      isTrusted = disk.trusts(status)
    } catch {
      switch error {
      case .noSuchFileOrDirectory: return .missing
      case .tooManySymbolicLinkLevels, .isDirectory: return .damaged
      default: throw .errno(error, "read the cache directory", context)
      }
    }
    // An error here does not mean that there is no store.
    let memory = try attempt("read the cache directory") { () throws(Errno) in
      try file.bytes(at: 0, SpillFormat.headerCount)
    }
    try refuseOtherVersion(memory)
    guard isTrusted else { return .damaged }
    return memory.withUnsafeBytes { SpillRoot($0) }.map { .good($0) } ?? .damaged
  }

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

  // MARK: whose they are

  /// The first bytes of `lock`, `store` and segments. Names alone prove nothing, since others may also use the names
  /// `lock` and `store`.
  private static let mark = "RIOSPILL"

  /// Checks whether a store made the directory, or it is still empty.
  ///
  /// A store made it if a file with one of our names begins with ``mark``. Before that, a process that is killed leaves
  /// files that are empty, or cut short.
  func isSpillDirectory(_ names: [String]) -> Bool {
    let names = names.filter { !SpillFormat.isOfSystem($0) }
    return hasMarked(names)
      || names.allSatisfy { Self.fileNames.contains($0) && start(of: $0).map(Self.isUnfinished) ?? false }
  }

  /// Checks whether a store has written one of the files.
  func hasMarked(_ names: [String]) -> Bool {
    names.contains {
      (Self.fileNames.contains($0) || SpillFormat.segmentNumber($0) != nil) && start(of: $0).map(Self.isMarked) ?? false
    }
  }

  /// Checks whether a store has written the file, or was about to. If a segment's first bytes are damaged, its number tells.
  package func isOurs(_ name: String) -> Bool { start(of: name).map { isOurs(name, $0) } ?? false }

  /// Checks whether a file with a segment's name is known to be of others. One that cannot be read may be ours.
  func isForeign(_ name: String, _ status: DiskStatus) -> Bool {
    guard status.kind == .file, status.owner == disk.user else { return true }
    return contents(of: name).map { !isOurs(name, $0) } ?? false
  }

  private func isOurs(_ name: String, _ start: [UInt8]) -> Bool {
    Self.isMarked(start) || Self.isUnfinished(start) || Self.hasItsNumber(name, start)
  }

  private static func hasItsNumber(_ name: String, _ start: [UInt8]) -> Bool {
    guard start.count == SpillFormat.headerCount, let number = SpillFormat.segmentNumber(name), number > 0
    else { return false }
    return start.withUnsafeBytes { $0.number(32, UInt64.self) } == number
  }

  private static func isMarked(_ start: [UInt8]) -> Bool { start.starts(with: mark.utf8) }

  /// Checks whether the first write of the file did not happen or was cut short: it begins as the mark does, and nothing follows.
  package static func isUnfinished(_ start: [UInt8]) -> Bool {
    let written = zip(start, mark.utf8).prefix { $0 == $1 }.count
    return start[written...].allSatisfy { $0 == 0 }
  }

  /// Throws if another version of this library has written a segment. Then nothing may be changed, whatever `store`
  /// says.
  package func refuseOtherVersions(_ names: [String]) throws(ReadError) {
    for name in names where SpillFormat.segmentNumber(name) != nil {
      if let start = start(of: name) { try refuseOtherVersion(start) }
    }
  }

  private func refuseOtherVersion(_ start: [UInt8]) throws(ReadError) {
    guard case .otherVersion(let version) = start.withUnsafeBytes({ SpillPrefix($0) }) else { return }
    throw ReadError(
      .unsupportedFormat,
      "the cache directory is of format version \(version), and this library writes version "
        + "\(SpillFormat.version): open it with the library that made it, or remove the directory",
      context: context)
  }

  /// `nil` if it is no file of ours. A file that cannot be read proves nothing; the other files may.
  private func start(of name: String) -> [UInt8]? {
    status(of: name) == nil ? nil : contents(of: name)
  }

  /// The first bytes of a file; `nil` if it cannot be read.
  private func contents(of name: String) -> [UInt8]? {
    // `try?`, twice: what cannot be opened or read proves nothing, whatever the error is.
    (try? directory.open(name, writing: false)).flatMap { try? $0.bytes(at: 0, SpillFormat.headerCount) }
  }
}
