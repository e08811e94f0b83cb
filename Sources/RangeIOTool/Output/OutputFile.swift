import RangeIO
import SystemPackage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file that appears under its name when it is complete, and never before.
///
/// Bytes go to a temporary file in the same directory, which takes the name at the end. What is not a regular file, such as a
/// device, is written to directly. A crash of the program leaves nothing under the name; a crash of the machine soon
/// after the end may, since nothing is forced to disk.
struct OutputFile: ~Copyable {
  private let path: String
  /// `nil` when written to directly.
  private let temporary: String?
  private let replaces: Bool
  private var descriptor: CInt

  private init(path: String, temporary: String?, replaces: Bool, descriptor: CInt) {
    self.path = path
    self.temporary = temporary
    self.replaces = replaces
    self.descriptor = descriptor
  }

  /// Prepares to write `path`.
  ///
  /// - Parameter force: whether a file of that name may be replaced.
  static func create(_ path: String, force: Bool) throws(ToolFailure) -> OutputFile {
    var status = stat()
    // Not followed first: a dangling link is a file of that name too.
    let exists = lstat(path, &status) == 0
    guard !exists || force else { throw .exists(path) }
    let leadsSomewhere = exists && stat(path, &status) == 0
    switch leadsSomewhere ? status.st_mode & S_IFMT : S_IFREG {
    case S_IFREG:
      let path = leadsSomewhere ? resolved(path) : path
      let temporary = temporarySibling(of: path)
      let descriptor = try opened(temporary, O_CREAT | O_EXCL | O_NOFOLLOW, for: path)
      Interrupts.shared.guardTemporary(temporary)
      // The file that is replaced hands on its permissions; failing that costs nothing that was asked for.
      if leadsSomewhere { fchmod(descriptor, status.st_mode & 0o7777) }
      return OutputFile(path: path, temporary: temporary, replaces: exists, descriptor: descriptor)
    case S_IFDIR:
      throw ToolFailure("cannot write to \(path): it is a directory; name a file in it")
    default:
      return OutputFile(path: path, temporary: nil, replaces: true, descriptor: try opened(path, 0, for: path))
    }
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    discard()
  }

  /// Appends `piece`.
  func write(_ piece: Bytes) throws {
    do {
      try DescriptorWriter(descriptor: descriptor).write(piece)
    } catch .brokenPipe where temporary == nil {
      throw BrokenPipe()
    } catch {
      throw ToolFailure.writing(to: path, error)
    }
  }

  /// Gives the file its name.
  mutating func finish() throws(ToolFailure) {
    // Some file systems tell only now that they had no room.
    let result = close(descriptor)
    descriptor = -1
    guard result == 0 || errno == EINTR else {
      let error = Errno(rawValue: errno)
      discard()
      throw .writing(to: path, error)
    }
    guard let temporary else { return }
    try Interrupts.shared.releaseTemporary { () throws(ToolFailure) in try putInPlace(temporary) }
  }

  private func discard() {
    guard let temporary else { return }
    Interrupts.shared.releaseTemporary { _ = unlink(temporary) }
  }

  private func putInPlace(_ temporary: String) throws(ToolFailure) {
    let result = replaces ? rename(temporary, path) : Self.renameWithoutReplacing(temporary, path)
    guard result != 0 else { return }
    let error = Errno(rawValue: errno)
    unlink(temporary)
    throw error == .fileExists ? .exists(path) : .writing(to: path, error)
  }

  /// `rename` that fails if `path` was made meanwhile.
  private static func renameWithoutReplacing(_ temporary: String, _ path: String) -> CInt {
    if link(temporary, path) == 0 {
      unlink(temporary)
      return 0
    }
    guard errno != EEXIST else { return -1 }
    // No hard links here (FAT, some network file systems): claim the name, then replace the claim.
    let claim = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard claim >= 0 else { return -1 }
    close(claim)
    return rename(temporary, path)
  }
}

extension OutputFile {
  private static func opened(_ path: String, _ flags: CInt, for name: String) throws(ToolFailure) -> CInt {
    while true {
      let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | flags, 0o666)
      if descriptor >= 0 { return descriptor }
      let error = Errno(rawValue: errno)
      if error != .interrupted { throw .writing(to: name, error) }
    }
  }

  /// The file that `path` leads to, so that a link stays a link to the file that is replaced.
  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// A new name in the directory of `path`; short, since `path` may have the longest name there can be.
  private static func temporarySibling(of path: String) -> String {
    let directory = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    return "\(directory).rangeio-\(getpid())-\(String(UInt32.random(in: 0 ... .max), radix: 16)).partial"
  }
}

extension ToolFailure {
  fileprivate static func exists(_ path: String) -> ToolFailure {
    ToolFailure("\(path) exists: choose another name, or add --force to replace it")
  }
}
