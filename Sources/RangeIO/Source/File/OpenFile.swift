import Synchronization
import SystemPackage

/// One open descriptor of a file. Code that passes the descriptor to the kernel keeps a reference and has entered the
/// source's gate. So the descriptor cannot be closed, and its number reused, during a call.
final class OpenFile: Sendable {
  let descriptor: CInt
  let syscalls: Syscalls
  /// The path as it was given, for errors.
  let name: String
  private let isClosed = Atomic<Bool>(false)
  /// `true` until it is known.
  private let mayBeRemote = Atomic<Bool>(true)
  /// The threads of its server, once known.
  private let server = PublishedOnce<IOThreads>()

  init(descriptor: CInt, syscalls: Syscalls, name: String) {
    self.descriptor = descriptor
    self.syscalls = syscalls
    self.name = name
  }

  deinit {
    guard takeClosing() else { return }
    guard isRemote else {
      _ = syscalls.call.close(descriptor)
      return
    }
    closingThreads.submit(IOJob(isUrgent: false) { [syscalls, descriptor] in _ = syscalls.call.close(descriptor) })
  }

  /// `true` if a server, or another process, may have to answer calls that otherwise return at once: `fstat`, `open`, `close`. The
  /// library's own threads make those calls then.
  var isRemote: Bool { mayBeRemote.load(ordering: .relaxed) }

  /// Finds out whether the file is remote. May wait.
  func locate() { mayBeRemote.store(syscalls.call.isRemote(descriptor), ordering: .relaxed) }

  /// The file is on a server; these threads ask it.
  func isServed(by threads: IOThreads) { _ = server.publish(threads) }

  private var closingThreads: IOThreads { server.value ?? PathThreads.shared.unknown }

  /// Closes the descriptor, once, on this thread. May wait.
  func close() {
    if takeClosing() { _ = syscalls.call.close(descriptor) }
  }

  /// Closes the descriptor, once. Call it when the gate has drained; otherwise the last reference closes it.
  func closed() async throws {
    guard isRemote else { return close() }
    guard takeClosing() else { return }
    let answer = Promise<Void>()
    closingThreads.submit(
      IOJob { [syscalls, descriptor] in
        _ = syscalls.call.close(descriptor)
        answer.resolve(.success(()))
      })
    try await answer.value()
  }

  /// Closes the file early: until ``close()`` its descriptor refers to an empty file, so that no other file gets the
  /// number. Reads in flight find that empty file. Call it only within the gate. May wait.
  func release() {
    // If no descriptor is free, the file stays open until the source is closed.
    _ = syscalls.call.release(descriptor)
  }

  private func takeClosing() -> Bool { !isClosed.exchange(true, ordering: .acquiringAndReleasing) }

  /// The file's current status. May wait for a server, if ``isRemote``.
  func status() throws(ReadError) -> FileStatus {
    var status = FileStatus()
    let result = syscalls.call.status(descriptor, &status)
    guard result >= 0 else {
      throw .errno(Errno(result: result), "look at the file", .init(source: name), isRemote: isRemote)
    }
    return status
  }

  /// The file's current name, if the system reports it.
  var nameNow: String? { syscalls.call.name(descriptor) }

  func context(_ range: ByteRange) -> ReadError.Context {
    ReadError.Context(source: name, range: range)
  }

  /// The error of a read of `range` that failed with `errno`.
  func failure(_ errno: Errno, of range: ByteRange) -> ReadError {
    .errno(errno, "read the file", context(range), isRemote: isRemote)
  }
}
