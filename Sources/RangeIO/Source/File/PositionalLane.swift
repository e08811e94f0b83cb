import SystemPackage

/// Reads that wait for the disk, by `pread` on threads of our own. See pread(2).
final class PositionalLane: Sendable {
  private let file: OpenFile
  private let threads: IOThreads
  private let gate: ShutdownGate
  private let waiting: WaiterRegistry

  init(_ file: OpenFile, threads: IOThreads, gate: ShutdownGate, waiting: WaiterRegistry) {
    self.file = file
    self.threads = threads
    self.gate = gate
    self.waiting = waiting
  }

  /// The bytes in the buffer, and what the file was after they were read, if it ``FileLanes/isRemote``: the caller may not
  /// look then.
  typealias Outcome = (count: Int, status: FileStatus?)

  /// A read that has been handed to a thread.
  struct Pending {
    fileprivate let job: IOJob
    fileprivate let answer: Promise<Outcome>
    /// Of a prefetch, which goes after demands.
    fileprivate let urgency: (ReadUrgency, ReadUrgency.Handle)?

    /// Raising it has no meaning any more.
    fileprivate func forgetUrgency() { urgency.map { $0.remove($1) } }
  }

  /// Hands a read of `range` into `buffer`, of which the first `filled` bytes are there already, to a thread.
  ///
  /// The buffer belongs to the read from here until it has ended, whether or not its caller still waits.
  func begin(_ range: ByteRange, into buffer: WritableBytes, from filled: Int) -> Pending {
    begin(range) { [file] () throws(Errno) in
      let rest = UnsafeMutableRawBufferPointer(start: buffer.base + filled, count: range.count - filled)
      return filled + (try file.syscalls.readFully(file.descriptor, rest, at: range.lowerBound + filled))
    }
  }

  private func begin(_ range: ByteRange, _ read: @escaping @Sendable () throws(Errno) -> Int) -> Pending {
    let answer = Promise<Outcome>()
    gate.enterAgain()
    let urgency = ReadUrgency.current
    let job = IOJob(isUrgent: urgency?.purpose != .prefetch) { [file, gate] in
      let result: Result<Outcome, any Error>
      do {
        result = .success((try read(), file.isRemote ? try file.status() : nil))
      } catch {
        result = .failure((error as? Errno).map { ReadError.errno($0, "read the file", file.context(range)) } ?? error)
      }
      gate.leave()
      answer.resolve(result)
    }
    threads.submit(job)
    // After it was handed over: what is raised earlier would not find it.
    let handle = urgency.map { ($0, $0.onRaise { [threads] in threads.raise(job) }) }
    return Pending(job: job, answer: answer, urgency: handle)
  }

  /// Waits for a read. Cancelled or closed, it is answered at once, and the read is taken back if it has not begun.
  ///
  /// - Returns: the bytes in the buffer, those included that were there before.
  func finish(_ pending: Pending) async throws -> Outcome {
    defer { pending.forgetUrgency() }
    do {
      return try await waiting.wait(for: pending.answer)
    } catch {
      withdraw(pending)
      throw error
    }
  }

  /// Gives up a read whose bytes are not needed any more.
  func withdraw(_ pending: Pending) {
    pending.forgetUrgency()
    pending.answer.fail(CancellationError())
    if threads.withdraw(pending.job) { gate.leave() }
  }

  /// Reads `range` into `buffer` from `filled` on.
  func read(_ range: ByteRange, into buffer: WritableBytes, from filled: Int) async throws -> Outcome {
    try await finish(begin(range, into: buffer, from: filled))
  }

  /// Reads `range` into several buffers, of which the first `filled` bytes are there already.
  func read(_ range: ByteRange, into buffers: ScatteredBuffers, from filled: Int) async throws -> Outcome {
    let pending = begin(range) { [file] () throws(Errno) in
      try buffers.fill(after: filled, from: range.lowerBound, of: file.descriptor, file.syscalls)
    }
    return try await finish(pending)
  }
}
