import Synchronization
import SystemPackage

/// Fills up to byte `end` in pieces, so that a read that is no longer wanted ends early.
///
/// - Parameters:
///   - start: so many bytes are filled already.
///   - goOn: called before each piece; throws if nothing waits for the read any more.
///   - fill: fills up to byte `end`, after the first `filled` bytes, and returns how many are filled then. Fewer than it
///     was asked for end the read.
/// - Returns: the number of bytes filled.
@inline(__always) func fillInPieces(
  from start: Int = 0, to end: Int, ofAtMost longest: Int, _ goOn: () throws -> Void,
  _ fill: (_ filled: Int, _ end: Int) throws -> Int
) throws -> Int {
  var filled = start
  while filled < end {
    try goOn()
    let next = end - filled > longest ? filled + longest : end
    filled = try fill(filled, next)
    if filled < next { break }
  }
  return filled
}

/// Reads that wait for the disk, with `pread` on the library's own threads. See pread(2).
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

  /// What was read, such as the number of bytes in the buffer, and the file's status after the read if it
  /// ``FileLanes/isRemote``: the caller may not ask for it then.
  typealias Outcome<Value> = (value: Value, status: FileStatus?)

  /// A read that was handed to a thread.
  struct Pending<Value: Sendable> {
    fileprivate let job: IOJob
    fileprivate let threads: IOThreads
    fileprivate let answer: Promise<Outcome<Value>>
    /// Told when the read is no longer waited for.
    fileprivate let begun: BegunReads?
    /// The urgency of a prefetch, which goes after demands.
    fileprivate let urgency: (ReadUrgency, ReadUrgency.Handle)?

    /// The read has ended, or is given up. Once.
    fileprivate func leave() {
      urgency.map { $0.remove($1) }
      begun?.waited()
    }
  }

  /// Hands a read of `range` into `buffers` to a thread. The first `filled` bytes are already there.
  ///
  /// The buffers belong to the read until the read has ended, whether or not its caller still waits.
  ///
  /// - Parameters:
  ///   - begun: what is known of reads that the kernel may have begun, as this one.
  ///   - since: when it was begun, if it may be the only one.
  func begin(
    _ range: ByteRange, into buffers: ReadBuffers, after filled: Int, begun: BegunReads?,
    since read: BegunReads.Read? = nil
  ) -> Pending<Int> {
    begin(range, begun: begun, since: read) { [file] goOn in
      let (lower, descriptor, syscalls) = (range.lowerBound, file.descriptor, file.syscalls)
      var filled = filled
      if let begun, begun.isOpen {
        try begun.watch { () throws(Errno) in
          filled =
            try buffers.fillWithResident(
              after: filled, upTo: range.count, from: lower, of: descriptor, syscalls) ?? filled
          return filled == range.count
        }
      }
      return try fillInPieces(from: filled, to: range.count, ofAtMost: LaneThreshold.waitingPiece, goOn) {
        try buffers.fill(after: $0, upTo: $1, from: lower, of: descriptor, syscalls)
      }
    }
  }

  /// Hands `read`, which reads `range` in its own way, to a thread.
  ///
  /// - Parameters:
  ///   - begun: if the kernel may have begun it. If that is certain it only has to be collected.
  ///   - since: when it was begun.
  ///   - read: throws `Errno`, or an error for the caller. Between the pieces of a long read it calls `goOn`, which throws
  ///     if nothing waits for it any more.
  func begin<Value>(
    _ range: ByteRange, begun: BegunReads? = nil, since beginning: BegunReads.Read? = nil,
    _ read: @escaping @Sendable (_ goOn: () throws -> Void) throws -> Value
  ) -> Pending<Value> {
    begun?.waits()
    let threads = begun?.isCertain == true ? threads.collecting ?? threads : threads
    let answer = Promise<Outcome<Value>>()
    gate.enterAgain()
    let urgency = ReadUrgency.current
    let job = IOJob(isUrgent: urgency?.purpose != .prefetch) { [file, gate] in
      let result: Result<Outcome<Value>, any Error>
      do {
        let value = try read {
          if answer.isAnswered { throw CancellationError() }
          if gate.isClosed { throw ReadError.closed }
        }
        result = .success((value, file.isRemote ? try file.status() : nil))
        if let beginning { begun?.came(beginning) }
      } catch {
        result = .failure((error as? Errno).map { file.failure($0, of: range) } ?? error)
      }
      gate.leave()
      answer.resolve(result)
    }
    threads.submit(job)
    // After `submit`: raised before that, the job would not be found.
    let handle = urgency.map { ($0, $0.observe { [threads] in threads.raise(job) }) }
    return Pending(job: job, threads: threads, answer: answer, begun: begun, urgency: handle)
  }

  /// Waits for a read. If cancelled or closed, it returns at once and withdraws the read if that has not begun. Returns
  /// the number of bytes in the buffer, including those already there.
  func finish<Value>(_ pending: Pending<Value>) async throws -> Outcome<Value> {
    do {
      let outcome = try await waiting.wait(for: pending.answer)
      pending.leave()
      return outcome
    } catch {
      withdraw(pending)
      throw error
    }
  }

  /// Gives up a read whose bytes are no longer needed.
  func withdraw<Value>(_ pending: Pending<Value>) {
    pending.leave()
    pending.answer.fail(CancellationError())
    if pending.threads.withdraw(pending.job) { gate.leave() }
  }

  /// Reads `range` into `buffers`, after the first `filled` bytes.
  func read(
    _ range: ByteRange, into buffers: ReadBuffers, after filled: Int, begun: BegunReads?, since read: BegunReads.Read?
  ) async throws -> Outcome<Int> {
    let outcome = try await finish(begin(range, into: buffers, after: filled, begun: begun, since: read))
    if let read { begun?.resumed(read) }
    return outcome
  }
}

/// The fastest lane: copies bytes from the page cache on the caller's own thread, without waiting for the disk.
///
/// `preadv2(RWF_NOWAIT)`, Linux only; see preadv2(2).
final class ResidentLane: Sendable {
  private let file: OpenFile
  /// The file's. At hand, since each use through the file would count a reference that all tasks share.
  private let syscalls: Syscalls
  private let begun: BegunReads?
  /// `false` once this file's system has said that it cannot tell what is resident.
  private let isAvailable = Atomic<Bool>(true)

  init(_ file: OpenFile, begun: BegunReads?) {
    self.file = file
    syscalls = file.syscalls
    self.begun = begun
  }

  /// What is known of reads that the kernel begins when this lane has asked for them; `nil` for a read that is too long to
  /// be begun as a whole.
  ///
  /// - Parameter rest: the number of bytes that this lane did not find.
  func begun(_ rest: Int) -> BegunReads? {
    rest <= LaneThreshold.mostBegun && isAvailable.load(ordering: .relaxed) ? begun : nil
  }

  /// Fills `buffer` from `range` as far as the page cache has it. Returns the number of bytes from the start of `range`
  /// that were resident. Most reads of files are this one.
  func fill(_ buffer: UnsafeMutableRawBufferPointer, from range: ByteRange) throws(ReadError) -> Int {
    try attempt(range, after: 0) { () throws(Errno) in
      try syscalls.readWhatIsResident(file.descriptor, buffer, at: range.lowerBound)
    }
  }

  /// Fills `buffers`, which are for `range`, from byte `filled` of it up to byte `end`, as far as the page cache has
  /// it. Returns the number of bytes filled so far.
  func fill(_ buffers: ReadBuffers, after filled: Int, upTo end: Int, from range: ByteRange) throws(ReadError) -> Int {
    try attempt(range, after: filled) { () throws(Errno) in
      try buffers.fillWithResident(after: filled, upTo: end, from: range.lowerBound, of: file.descriptor, syscalls)
    }
  }

  /// - Parameter read: `nil` if the file's system cannot tell what is resident.
  @inline(__always) private func attempt(
    _ range: ByteRange, after filled: Int, _ read: () throws(Errno) -> Int?
  ) throws(ReadError) -> Int {
    guard isAvailable.load(ordering: .relaxed) else { return filled }
    do {
      if let now = try read() { return now }
      isAvailable.store(false, ordering: .relaxed)
      return filled
    } catch {
      throw file.failure(error, of: range)
    }
  }
}
