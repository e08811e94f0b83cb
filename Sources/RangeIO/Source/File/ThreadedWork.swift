import CRangeIOSystem
import SystemPackage

/// Work for a file on the library's threads. Its caller returns at once when it is cancelled or the source closed: the work
/// then goes on within the gate, or is withdrawn if no thread has begun it.
struct ThreadedWork: Sendable {
  let gate: ShutdownGate
  let waiting: WaiterRegistry

  /// Work that was handed to a thread.
  fileprivate struct Pending<Value: Sendable> {
    let job: IOJob
    let threads: IOThreads
    let answer: Promise<Value>
    /// The urgency of a prefetch, which goes after demands.
    let urgency: (ReadUrgency, ReadUrgency.Handle)?
  }

  /// Does `work`, which may block, on one of the `threads`; without threads, here.
  func run<Value: Sendable>(on threads: IOThreads?, _ work: @escaping @Sendable () throws -> Value) async throws
    -> Value
  {
    guard let threads else { return try work() }
    return try await finish(begin(on: threads) { _ in try work() })
  }

  /// Throws if the task was cancelled or the source closed.
  func goOn() throws {
    if rio_task_is_cancelled() { throw CancellationError() }
    if gate.isClosed { throw ReadError.closed }
  }

  fileprivate func begin<Value>(
    on threads: IOThreads, _ work: @escaping @Sendable (_ goOn: () throws -> Void) throws -> Value
  ) -> Pending<Value> {
    let answer = Promise<Value>()
    gate.enterAgain()
    let urgency = ReadUrgency.current
    let job = IOJob(isUrgent: urgency?.purpose != .prefetch) { [gate] in
      let result = Result {
        try work {
          if answer.isAnswered { throw CancellationError() }
          if gate.isClosed { throw ReadError.closed }
        }
      }
      gate.leave()
      answer.resolve(result)
    }
    threads.submit(job)
    // After `submit`: raised before that, the job would not be found.
    let handle = urgency.map { ($0, $0.observe { [threads] in threads.raise(job) }) }
    return Pending(job: job, threads: threads, answer: answer, urgency: handle)
  }

  fileprivate func finish<Value>(_ pending: Pending<Value>) async throws -> Value {
    do {
      let value = try await waiting.wait(for: pending.answer)
      pending.urgency.map { $0.remove($1) }
      return value
    } catch {
      withdraw(pending)
      throw error
    }
  }

  /// Gives up work whose result is no longer needed.
  fileprivate func withdraw<Value>(_ pending: Pending<Value>) {
    pending.urgency.map { $0.remove($1) }
    pending.answer.fail(CancellationError())
    if pending.threads.withdraw(pending.job) { gate.leave() }
  }
}

/// The file that a lane reads, and the means to read it.
struct LaneContext: Sendable {
  let file: OpenFile
  let pool: BufferPool
  /// They wait for the file's disk or server.
  let threads: IOThreads
  let work: ThreadedWork

  /// Fills those of `reads` that are not whole, each on a thread of its own. The memory belongs to a read until it has ended,
  /// whether or not its caller still waits.
  ///
  /// - Parameter fill: throws `Errno`, or an error for the caller. Between the pieces of a long read it calls `goOn`, which
  ///   throws if nothing waits for it any more.
  func fill(
    _ reads: inout [FileRead],
    _ fill: @escaping @Sendable (_ read: inout FileRead, _ goOn: () throws -> Void) throws -> Void
  ) async throws {
    var pending: [(index: Int, begun: BegunReads.Read?, read: ThreadedWork.Pending<FileRead>)] = []
    var finished = 0
    defer {
      for (_, begun, read) in pending[finished...] {
        begun?.device.waited()
        work.withdraw(read)
      }
    }
    for index in reads.indices where !reads[index].isWhole {
      let begun = reads[index].begun
      begun?.device.waits()
      // What the kernel has begun only has to be collected.
      let threads = begun?.device.isCertain == true ? threads.collecting ?? threads : threads
      let read = work.begin(on: threads) { [file, read = reads[index]] goOn in
        var read = read
        do {
          try fill(&read, goOn)
        } catch let errno as Errno {
          throw file.failure(errno, of: read.range)
        }
        if file.isRemote { read.status = try file.status() }
        if let begun { begun.device.came(begun) }
        return read
      }
      pending.append((index, begun, read))
    }
    for (index, begun, read) in pending {
      finished += 1
      defer { begun?.device.waited() }
      reads[index] = try await work.finish(read)
      if let begun { begun.device.resumed(begun) }
    }
  }
}
