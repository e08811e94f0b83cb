import CRangeIOSystem
import SystemPackage

/// A file that appears under its name only when it is complete.
///
/// The bytes go to a temporary file in the same directory, which is renamed at the end. All calls may block. Nothing is
/// forced to disk: after a crash of the machine shortly after the end, the file may be incomplete.
final class NewFile: Sendable {
  private enum Phase { case written, finished, abandoned }

  /// The path as the user gave it, for errors.
  private let path: String
  private let directory: SystemDirectory
  private let temporary: String
  private let name: String
  private let file: FileDescriptor
  private let phase = Locked(Phase.written)

  /// Prepares to write the file at `path`, or to replace it. The new file gets the permissions of the one it replaces.
  /// A symbolic link stays, and the file that it leads to is replaced.
  init(_ path: FilePath) throws(ReadError) {
    self.path = path.string
    let resolved = FilePathExpansion.resolved(try FilePathExpansion.expand(path))
    guard let last = resolved.lastComponent, last.kind == .regular, let text = String(validating: last) else {
      throw Self.refusal(path.string)
    }
    name = text
    let parent = resolved.removingLastComponent()
    temporary = ".rangeio-\(String(UInt64.random(in: 0 ... .max), radix: 16)).partial"
    do {
      let descriptor = try FileDescriptor.open(
        parent.isEmpty ? "." : parent, .readOnly, options: [.directory, .closeOnExec])
      directory = SystemDirectory(descriptor: descriptor.rawValue)
      let mode = try Self.mode(of: name, in: directory, path.string)
      file = try FileDescriptor.open(
        parent.appending(temporary), .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
        permissions: FilePermissions(rawValue: 0o666))
      if let mode { try rio_disk_set_mode(file.rawValue, mode).orThrow() }
    } catch let error as ReadError {
      throw error
    } catch {
      throw Self.failure(error, "create the file", path.string)
    }
  }

  deinit {
    abandon()
    guard phase.withLock({ $0 }) != .finished else { return }
    // `try?`: the file is of no use.
    try? file.close()
  }

  /// The permissions of the file to be replaced; `nil` if there is none.
  private static func mode(of name: String, in directory: SystemDirectory, _ path: String) throws -> UInt32? {
    let status: DiskStatus
    do throws(Errno) {
      status = try directory.status(of: name)
    } catch {
      guard error == .noSuchFileOrDirectory else { throw error }
      return nil
    }
    guard status.kind == .file else { throw refusal(path) }
    return status.mode
  }

  /// Writes `bytes` from `offset` on.
  package func write(_ bytes: Bytes, at offset: Int) throws(ReadError) {
    var runs: [UnsafeRawBufferPointer] = []
    bytes.forEachRun { _, run in runs.append(run) }
    defer { _fixLifetime(bytes) }
    do throws(Errno) {
      try GatheredBuffers(runs).write(at: offset) {
        Int(rio_disk_pwritev(file.rawValue, $0.baseAddress, CInt($0.count), Int64($1)))
      }
    } catch {
      throw Self.failure(error, "write the file", path)
    }
  }

  /// Gives the file its name. Call it after the last write has returned. Does nothing once the file is abandoned.
  func finish() throws(ReadError) {
    guard end(.finished) else { return }
    do {
      // Some file systems report only now that they had no space. An interrupted `close` has closed.
      do { try file.close() } catch Errno.interrupted {}
      try directory.rename(temporary, to: name)
    } catch {
      remove()
      throw Self.failure(error, "write the file", path)
    }
  }

  /// Removes what was written, unless the file has its name by now.
  func abandon() {
    if end(.abandoned) { remove() }
  }

  /// Ends the writing, once.
  private func end(_ new: Phase) -> Bool {
    phase.withLock { phase in
      guard phase == .written else { return false }
      phase = new
      return true
    }
  }

  private func remove() {
    // `try?`: the writer already throws why it failed; that the temporary file stays would hide this reason.
    try? directory.remove(temporary)
  }

  private static func refusal(_ path: String) -> ReadError {
    ReadError(
      .unsupportedSource,
      "cannot write the file: it is a directory, a device, a dangling link, or a name that is not UTF-8: name a file",
      context: .init(source: path))
  }

  private static func failure(_ error: any Error, _ action: String, _ path: String) -> ReadError {
    .errno(error as? Errno ?? .ioError, action, .init(source: path))
  }
}
