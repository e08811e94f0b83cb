import CRangeIOSystem
import SystemPackage

/// Opens files, and refuses files that cannot be read at random offsets.
enum FileOpening {
  /// A file that has been opened and checked.
  struct Opened: Sendable {
    let file: OpenFile
    let kind: Kind
    /// Its status then. If it was opened by name, it still had a name.
    var status: FileStatus
    /// The name that it had just before.
    let name: String?
    /// The id of its file system.
    let fileSystem: UInt64
    /// The path used to open it, if any: absolute, if the current directory had a name.
    var path: FilePath?
  }

  enum Kind: Sendable {
    case regular
    case blockDevice
  }

  /// The most openings of a file that loses its name in between. A file that the path names by its descriptor, as in `/dev/fd`, may
  /// have no name.
  private static let maxOpenings = 8

  /// Opens the file at `path`. May wait for a disk or a server.
  ///
  /// A file that lost its name while it was opened is opened again: another file may have the name now, which no later
  /// check would show. So is a relative path if the process changed its directory in between.
  ///
  /// - Parameter name: the path as the user gave it, for errors. Default: `path`.
  static func open(_ path: FilePath, name: String? = nil, _ syscalls: Syscalls) throws(ReadError) -> Opened {
    let name = name ?? path.string
    for _ in 1..<maxOpenings {
      let absolute = FilePathExpansion.absolute(path)
      // Use the path unchanged: this process may lack permission for directories above the current one.
      var opened = try openOnce(path, name, syscalls)
      opened.path = absolute
      if opened.status.links > 0, FilePathExpansion.absolute(path) == absolute { return opened }
      opened.file.close()
    }
    let absolute = FilePathExpansion.absolute(path)
    var opened = try openOnce(absolute, name, syscalls)
    opened.path = absolute
    return opened
  }

  private static func openOnce(_ path: FilePath, _ name: String, _ syscalls: Syscalls) throws(ReadError) -> Opened {
    var result = syscalls.call.open(path)
    // Does not wait for a FIFO. Only a process that holds a write lease on the file remains to wait for.
    if result == -Int(Errno.wouldBlock.rawValue) { result = syscalls.call.openWaiting(path) }
    guard result >= 0 else {
      // Opening a socket, or a device without a driver, fails before the descriptor could tell its kind.
      let mode = path.withPlatformString { rio_mode_of_path($0) }
      if mode >= 0, let refusal = refusal(UInt32(mode), name) { throw refusal }
      if result == -Int(Errno.noSuchFileOrDirectory.rawValue), let reader = readerOfURL(name) {
        throw ReadError(
          .notFound, "there is no file of this name, which is a URL: read it with \(reader)",
          context: .init(source: name), cause: Errno.noSuchFileOrDirectory)
      }
      throw .errno(
        Errno(result: result), "open the file", .init(source: name), isRemote: isRemote(beside: path, syscalls))
    }
    let file = OpenFile(descriptor: CInt(result), syscalls: syscalls, name: name)
    do throws(ReadError) {
      return try withBytes(inspect(file))
    } catch {
      file.close()
      throw error
    }
  }

  /// True if the directory of `path` may be on a server. May wait.
  private static func isRemote(beside path: FilePath, _ syscalls: Syscalls) -> Bool {
    let directory = path.removingLastComponent()
    let descriptor = syscalls.call.open(directory.isEmpty ? "." : directory)
    defer { if descriptor >= 0 { _ = syscalls.call.close(CInt(descriptor)) } }
    return syscalls.call.isRemote(CInt(clamping: descriptor))
  }

  /// What reads the URL that `name` looks like; `nil` if it looks like none.
  private static func readerOfURL(_ name: String) -> String? {
    let name = name.lowercased()
    let readers = [
      (["http://", "https://", "s3://"], "RangeReader(contentsOf:) of RangeIOHTTP or RangeIOS3"),
      (["az://", "abfss://"], "RangeReader(azure:) of RangeIOAzure"), (["gs://"], "RangeReader(gcs:) of RangeIOGCS"),
    ]
    return readers.first { $0.0.contains { name.hasPrefix($0) } }?.1
  }

  /// Checks a descriptor that the user has opened, and refuses one that is not for reading. May wait.
  static func adopt(_ file: OpenFile) throws(ReadError) -> Opened {
    let opened = try inspect(file)
    let reason: String
    switch rio_why_unreadable(file.descriptor) {
    case rio_path_only: reason = "was opened for its path alone (O_PATH): open the file for reading"
    case rio_write_only: reason = "was opened for writing only (O_WRONLY): open the file for reading"
    case rio_direct:
      reason =
        "was opened past the page cache (O_DIRECT), and reads only what is aligned: open the file without that flag"
    default: return try withBytes(opened)
    }
    throw ReadError(.unsupportedSource, "this descriptor " + reason, context: .init(source: file.name))
  }

  /// Checks a descriptor. May wait.
  private static func inspect(_ file: OpenFile) throws(ReadError) -> Opened {
    file.locate()
    let name = file.nameNow
    let fileSystem = file.syscalls.call.fileSystem(file.descriptor)
    let status = try file.status()
    if let refusal = refusal(status.mode, file.name) { throw refusal }
    if rio_file_kind_of(status.mode) == rio_block_device {
      return Opened(file: file, kind: .blockDevice, status: status, name: name, fileSystem: fileSystem)
    }
    if rio_is_synthetic_filesystem(file.descriptor) {
      throw ReadError(
        .unsupportedSource,
        "the kernel makes this file up as it is read, so it has no size and no stable bytes: copy it first",
        context: .init(source: file.name))
    }
    return Opened(file: file, kind: .regular, status: status, name: name, fileSystem: fileSystem)
  }

  /// The most looks at a file that says it is empty, has bytes, and changes all the time.
  private static let maxLooks = 8

  /// Refuses a file that says it is empty and has bytes all the same. Files are like that which are made up as they are
  /// read: below a FUSE mount with direct I/O, in pseudo file systems of which this library does not know. May wait.
  private static func withBytes(_ opened: Opened) throws(ReadError) -> Opened {
    var opened = opened
    for _ in 0..<maxLooks {
      guard opened.kind == .regular, opened.status.size == 0, try hasBytes(opened.file) else { return opened }
      // It may be written just now, or emptied.
      let now = try opened.file.status()
      if now == opened.status { break }
      opened.status = now
    }
    throw ReadError(
      .unsupportedSource,
      "this file says that it is empty, and is not: it is made up as it is read, as some mounts do. Copy it first, as "
        + "by: cat FILE >COPY", context: .init(source: opened.file.name))
  }

  /// True if there is something to read at offset 0, or if the file refuses to be read at offsets.
  private static func hasBytes(_ file: OpenFile) throws(ReadError) -> Bool {
    let result = withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { buffer in
      Result { () throws(Errno) in try file.syscalls.readFully(file.descriptor, buffer, at: 0) > 0 }
    }
    switch result {
    case .success(let isThere): return isThere
    case .failure(.illegalSeek), .failure(.invalidArgument): return true
    case .failure(let errno): throw file.failure(errno, of: 0..<1)
    }
  }

  /// The error for a kind of file that has no random access.
  private static func refusal(_ mode: UInt32, _ name: String) -> ReadError? {
    let kind: String
    switch rio_file_kind_of(mode) {
    case rio_regular_file, rio_block_device: return nil
    case rio_directory: kind = "this is a directory: name a file in it"
    case rio_fifo: kind = "this is a FIFO, which can be read only once and in order: copy it to a file first"
    case rio_socket: kind = "this is a socket, which cannot be read at offsets: copy what it sends to a file first"
    case rio_character_device:
      kind = "this is a character device, which cannot be read at offsets: copy it to a file first"
    default: kind = "this is neither a regular file nor a block device"
    }
    return ReadError(.unsupportedSource, kind, context: .init(source: name))
  }
}
