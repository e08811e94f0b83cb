import Synchronization
import SystemPackage

/// One open descriptor of a file. Everything that hands the descriptor to the kernel keeps a reference and has entered
/// the source's gate, so that it cannot be closed, and its number used again, under a call.
final class OpenFile: Sendable {
  let descriptor: CInt
  let syscalls: Syscalls
  /// For errors: the path as it was given.
  let name: String
  private let isClosed = Atomic<Bool>(false)

  init(descriptor: CInt, syscalls: Syscalls, name: String) {
    self.descriptor = descriptor
    self.syscalls = syscalls
    self.name = name
  }

  deinit { close() }

  /// Closes the descriptor, once. To be called when the gate has drained; else the last reference does.
  func close() {
    if !isClosed.exchange(true, ordering: .acquiringAndReleasing) { _ = syscalls.close(descriptor) }
  }

  func status() throws(ReadError) -> FileStatus {
    var status = FileStatus()
    let result = syscalls.status(descriptor, &status)
    guard result >= 0 else { throw .errno(Errno(result: result), "look at the file", .init(source: name)) }
    return status
  }

  /// Throws `sourceChanged` unless the file is still `version`, or has only grown.
  ///
  /// Called after every read and before its bytes are handed out: they were read between two looks that agree.
  func check(_ version: FileVersion, after range: ByteRange) throws(ReadError) {
    let now = FileVersion(try status())
    if now != version, version.change(to: now) == .other {
      throw .changed(version.difference(to: now), context(range))
    }
  }

  /// The error for a read that met the end of the file early.
  func shrank(_ version: FileVersion?, at range: ByteRange, got count: Int) -> ReadError {
    if let version, let now = try? status(), FileVersion(now) != version {
      return .changed(version.difference(to: FileVersion(now)), context(range))
    }
    return .changed("the file ended \(range.count - count) bytes early", context(range))
  }

  func context(_ range: ByteRange) -> ReadError.Context {
    ReadError.Context(source: name, offset: range.lowerBound, count: range.count)
  }
}
