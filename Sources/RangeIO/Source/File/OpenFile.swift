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
  /// Until it is known.
  private let mayBeRemote = Atomic<Bool>(true)
  /// The threads of its server, once that is known.
  private let server = PublishedOnce<IOThreads>()

  init(descriptor: CInt, syscalls: Syscalls, name: String) {
    self.descriptor = descriptor
    self.syscalls = syscalls
    self.name = name
  }

  deinit {
    guard takeClosing() else { return }
    guard isRemote else {
      _ = syscalls.close(descriptor)
      return
    }
    closingThreads.submit(IOJob(isUrgent: false) { [syscalls, descriptor] in _ = syscalls.close(descriptor) })
  }

  /// Whether a server, or another process, may be asked by calls that else answer at once: `fstat`, `open`, `close`. They
  /// are made on threads of our own then.
  var isRemote: Bool { mayBeRemote.load(ordering: .relaxed) }

  /// Finds out where the file is. May wait.
  func locate() { mayBeRemote.store(syscalls.isRemote(descriptor), ordering: .relaxed) }

  /// It is on a server, which these threads ask.
  func isServed(by threads: IOThreads) { _ = server.publish(threads) }

  private var closingThreads: IOThreads { server.value ?? PathThreads.shared.unknown }

  /// Closes the descriptor, once, on this thread, which may wait.
  func close() {
    if takeClosing() { _ = syscalls.close(descriptor) }
  }

  /// Closes the descriptor, once. To be called when the gate has drained; else the last reference does.
  func closed() async throws {
    guard isRemote else { return close() }
    guard takeClosing() else { return }
    let answer = Promise<Void>()
    closingThreads.submit(
      IOJob { [syscalls, descriptor] in
        _ = syscalls.close(descriptor)
        answer.resolve(.success(()))
      })
    try await answer.value()
  }

  /// Closes the file early: its descriptor leads to an empty file until ``close()``, so that no other file gets the number.
  /// Reads that are under way find that one. To be called within the gate. May wait.
  func release() {
    // Without a descriptor to spare the file stays open until the source is closed.
    _ = syscalls.release(descriptor)
  }

  private func takeClosing() -> Bool { !isClosed.exchange(true, ordering: .acquiringAndReleasing) }

  /// What the file is now. May wait for a server, if ``isRemote``.
  func status() throws(ReadError) -> FileStatus {
    var status = FileStatus()
    let result = syscalls.status(descriptor, &status)
    guard result >= 0 else { throw .errno(Errno(result: result), "look at the file", .init(source: name)) }
    return status
  }

  /// Its present name, if the system says so.
  var nameNow: String? { syscalls.name(descriptor) }

  func context(_ range: ByteRange) -> ReadError.Context {
    ReadError.Context(source: name, offset: range.lowerBound, count: range.count)
  }
}
