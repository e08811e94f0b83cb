#if Tool
import RangeIO
import SystemPackage

/// A file that appears under its name only when it is complete.
///
/// The bytes go to a temporary file in the same directory, which is renamed at the end. If the target is not a regular
/// file, for example a device, the bytes are written to it directly. After a crash of the program there is nothing
/// under the name. After a crash of the machine shortly after the end, there may be an incomplete file, unless it was forced
/// to the disk.
struct OutputFile: ~Copyable {
  private let path: String
  /// `nil` if the target is written directly.
  private let temporary: String?
  private let replaces: Bool
  private var descriptor: CInt

  private init(path: String, temporary: String?, replaces: Bool, descriptor: CInt) {
    self.path = path
    self.temporary = temporary
    self.replaces = replaces
    self.descriptor = descriptor
  }

  /// Prepares to write to `path`.
  ///
  /// - Parameter force: whether an existing file of that name may be replaced.
  static func create(_ path: String, force: Bool) throws(ToolFailure) -> OutputFile {
    var status = stat()
    // `lstat` first: a dangling link is also a file of that name.
    let exists = lstat(path, &status) == 0
    let leadsSomewhere = exists && stat(path, &status) == 0
    if leadsSomewhere, status.st_mode & S_IFMT == S_IFDIR {
      throw .isDirectory(path)
    }
    guard !exists || force else { throw .exists(path) }
    switch leadsSomewhere ? status.st_mode & S_IFMT : S_IFREG {
    case S_IFREG:
      let path = leadsSomewhere ? resolved(path) : path
      let temporary = temporarySibling(of: path)
      let descriptor = try opened(temporary, O_CREAT | O_EXCL | O_NOFOLLOW, for: path)
      Interrupts.shared.guardTemporary(temporary)
      // The new file gets the permissions of the file it replaces. If that fails, the result is still what the user
      // asked for.
      // Not what runs a file with the rights of its owner: that may be another user now.
      if leadsSomewhere { fchmod(descriptor, status.st_mode & 0o777) }
      return OutputFile(path: path, temporary: temporary, replaces: exists, descriptor: descriptor)
    default:
      return OutputFile(path: path, temporary: nil, replaces: true, descriptor: try opened(path, 0, for: path))
    }
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    discard()
  }

  /// Appends `part`: zeros as a hole, if it is a file.
  func write(_ part: SourcePart) throws {
    try writing { (writer) throws(Errno) in
      switch part {
      case .bytes(let bytes, _): try writer.write(bytes)
      case .zeros(let range): try writer.writeZeros(range.count)
      }
    }
  }

  private func writing(_ body: (DescriptorWriter) throws(Errno) -> Void) throws {
    do {
      try OutputWait.during { () throws(Errno) in try body(DescriptorWriter(descriptor: descriptor)) }
    } catch .brokenPipe where temporary == nil {
      throw BrokenPipe()
    } catch {
      throw ToolFailure.writing(to: path, error)
    }
  }

  /// Renames the file to its final name.
  ///
  /// - Parameter isForced: whether bytes and name are on the disk when this returns.
  mutating func finish(isForced: Bool = false) throws(ToolFailure) {
    // Not closed yet: what comes to an end without a name removes it.
    if isForced, temporary != nil { try OwnFile.syncFile(descriptor, path) }
    // Some file systems report only now that they had no space.
    let result = close(descriptor)
    descriptor = -1
    guard result == 0 || errno == EINTR else {
      let error = Errno(rawValue: errno)
      discard()
      throw .writing(to: path, error)
    }
    guard let temporary else { return }
    try Interrupts.shared.releaseTemporary { () throws(ToolFailure) in try putInPlace(temporary) }
    guard isForced else { return }
    let directory = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    try OwnFile.syncDirectory(directory)
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

  /// A `rename` that fails if `path` was created in between.
  static func renameWithoutReplacing(_ temporary: String, _ path: String) -> CInt {
    if link(temporary, path) == 0 {
      unlink(temporary)
      return 0
    }
    guard errno != EEXIST else { return -1 }
    // This file system has no hard links (FAT, some network file systems): creates a file with the name, then replaces
    // it.
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

  /// The file that `path` leads to. So a link stays a link, and the file behind it is replaced.
  static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// A new name in the directory of `path`. Short, because `path` may already have the maximum length.
  private static func temporarySibling(of path: String) -> String {
    let directory = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    return "\(directory).rangeio-\(getpid())-\(String(UInt32.random(in: 0 ... .max), radix: 16)).partial"
  }
}

extension ToolFailure {
  static func isDirectory(_ path: String) -> ToolFailure {
    ToolFailure("cannot write to \(path): it is a directory; name a file in it")
  }

  static func exists(_ path: String) -> ToolFailure {
    ToolFailure("\(path) exists: choose another name, or add --force to replace it")
  }
}

/// Prevents the tool from overwriting the file that it reads.
enum SourceGuard {
  /// Throws if the file at `path` is `source`, under this or another name.
  static func check(
    _ path: String, isNot source: SourceDescription,
    complaint: String = "--output names the source itself: choose another file"
  ) async throws {
    // A source that grows has a different id, so both must be opened in the same way.
    try await check(FileSource(path, isAppendOnly: source.mayGrow), complaint, source)
  }

  /// Throws if standard output is the file at `path`. A shell opens it for writing only, so it cannot be opened as a
  /// source.
  static func checkStandardOutput(isNotFileAt path: String) throws {
    var (output, source) = (stat(), stat())
    guard StandardOutputKind.isRegularFile, fstat(STDOUT_FILENO, &output) == 0,
      try PathArgument.withSystemPath(of: path, { stat($0, &source) }) == 0,
      output.st_dev == source.st_dev, output.st_ino == source.st_ino
    else { return }
    throw ToolFailure("standard output is the source itself: write to another file")
  }

  private static func check(_ output: FileSource, _ complaint: String, _ source: SourceDescription) async throws {
    let id: String?
    do {
      id = try await output.describe().id
    } catch is ReadError {
      // If it cannot be opened as a source, it is not the file that was.
      id = nil
    }
    await output.close()
    if id == source.id { throw ToolFailure(complaint) }
  }
}

/// The kind of file that standard output is connected to.
enum StandardOutputKind {
  static var isRegularFile: Bool {
    var status = stat()
    return fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
#endif
