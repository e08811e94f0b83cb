#if Tool
import CRangeIOSystem
import RangeIO
import SystemPackage

/// A file that a copy keeps beside its target, open for reading and writing. Errors name it. Any thread may use it.
final class OwnFile: Sendable {
  private static let portion = 1 << 20

  let path: String
  private let descriptor: FileDescriptor

  /// Opens or creates the file at `path`.
  ///
  /// Links are not followed, and files of others not used: in a directory that others may write to, they could choose
  /// what we write to, or the bytes that we go on from.
  init(_ path: String, permissions: FilePermissions) throws(ToolFailure) {
    self.path = path
    do {
      descriptor = try FileDescriptor.open(
        path, .readWrite, options: [.create, .noFollow, .closeOnExec, .nonBlocking], permissions: permissions)
    } catch {
      throw .writing(to: path, error as? Errno ?? .ioError)
    }
    let status = try status()
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_nlink <= 1 else {
      throw .foreign(path)
    }
  }

  deinit {
    // `sync` has reported what there is to report.
    do { try descriptor.close() } catch {}
  }

  var byteCount: Int { get throws(ToolFailure) { Int(try status().st_size) } }

  /// It has no name any more.
  var isRemoved: Bool { get throws(ToolFailure) { try status().st_nlink == 0 } }

  /// Locks the file for this process.
  ///
  /// - Returns: `false` if another process has locked it. Some network file systems have no locks: there it is `true`.
  func lock() -> Bool { rio_disk_lock(descriptor.rawValue, true) != 0 }

  func resize(to byteCount: Int) throws(ToolFailure) {
    try writing { try descriptor.resize(to: Int64(byteCount)) }
  }

  /// Writes all of `bytes` at `offset`.
  func write(_ bytes: [UInt8], at offset: Int) throws(ToolFailure) {
    try writing { _ = try descriptor.writeAll(toAbsoluteOffset: Int64(offset), bytes) }
  }

  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(ToolFailure) {
    try writing { _ = try descriptor.writeAll(toAbsoluteOffset: Int64(offset), buffer) }
  }

  /// Calls `body` with the bytes of `range`, in order. Stops at the end of the file.
  func forEachPortion(of range: ByteRange, _ body: (UnsafeRawBufferPointer) -> Void) throws(ToolFailure) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: min(max(range.count, 1), Self.portion), alignment: ZeroBlocks.size)
    defer { buffer.deallocate() }
    var position = range.lowerBound
    while position < range.upperBound {
      let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(range.upperBound - position))
      let count: Int
      do {
        count = try descriptor.read(fromAbsoluteOffset: Int64(position), into: wanted)
      } catch {
        throw ToolFailure("cannot read \(path): \(error)")
      }
      guard count > 0 else { return }
      body(UnsafeRawBufferPointer(rebasing: wanted.prefix(count)))
      position += count
    }
  }

  /// `false` if `range` is a hole, and so has zeros only.
  func mayHaveData(in range: ByteRange) -> Bool {
    // Moves the position, which nothing here uses.
    let data = rio_next_data(descriptor.rawValue, Int64(range.lowerBound))
    return data >= 0 ? data < range.upperBound : data != -Int64(Errno.noSuchAddressOrDevice.rawValue)
  }

  /// The first bytes, at most `limit` of them.
  func contents(upTo limit: Int) throws(ToolFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    try forEachPortion(of: 0..<min(byteCount, limit)) { bytes += $0 }
    return bytes
  }

  /// Has the system begin to write `range` to the disk.
  func beginWriting(_ range: ByteRange) {
    rio_disk_begin_writing(descriptor.rawValue, Int64(range.count), Int64(range.lowerBound))
  }

  /// Sets the permissions as far as that works.
  func setPermissions(_ permissions: UInt16) { fchmod(descriptor.rawValue, .init(permissions)) }

  /// Makes bytes and length durable.
  func sync() throws(ToolFailure) { try Self.syncFile(descriptor.rawValue, path) }

  /// Makes bytes and length of the open file at `path` durable.
  static func syncFile(_ descriptor: CInt, _ path: String) throws(ToolFailure) {
    let result = rio_disk_sync_file(descriptor)
    if result < 0 { throw .writing(to: path, Errno(rawValue: -result)) }
  }

  /// Makes the names in the directory at `path` durable, where the file system can.
  static func syncDirectory(_ path: String) throws(ToolFailure) {
    do {
      let directory = try FileDescriptor.open(path, .readOnly, options: [.directory, .closeOnExec])
      let result = rio_disk_sync_directory(directory.rawValue)
      try directory.close()
      let error = Errno(rawValue: -result)
      if result < 0, error != .invalidArgument, error != .notSupported { throw error }
    } catch Errno.permissionDenied {
      // A directory that may be written to and not read cannot be opened.
    } catch {
      throw .writing(to: path, error as? Errno ?? .ioError)
    }
  }

  private func status() throws(ToolFailure) -> stat {
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0 else { throw .writing(to: path, Errno(rawValue: errno)) }
    return status
  }

  private func writing(_ body: () throws -> Void) throws(ToolFailure) {
    do { try body() } catch { throw .writing(to: path, error as? Errno ?? .ioError) }
  }
}

extension ToolFailure {
  static func foreign(_ path: String) -> ToolFailure {
    ToolFailure("\(path) is not a file that rangeio has left: move it away, or choose another target")
  }
}
#endif
