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

  func context(_ range: ByteRange) -> ReadError.Context {
    ReadError.Context(source: name, offset: range.lowerBound, count: range.count)
  }
}
