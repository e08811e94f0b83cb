/// Where calls that may wait for a disk run: on separate threads, or, in a simulation, as tasks on its executor.
package struct DiskWork: Sendable {
  private let submit: @Sendable (_ isUrgent: Bool, _ work: @escaping @Sendable () -> Void) -> Void

  /// Runs calls on `threads`.
  package static func threads(_ threads: IOThreads) -> DiskWork {
    DiskWork { isUrgent, work in threads.submit(IOJob(isUrgent: isUrgent, work)) }
  }

  /// Runs calls as tasks, for disks that never block.
  ///
  /// - Parameter wait: runs before each call, as if the disk were busy.
  package static func tasks(_ background: BackgroundWork, after wait: (@Sendable () async -> Void)? = nil) -> DiskWork {
    DiskWork { _, work in
      background.startElsewhere {
        await wait?()
        work()
      }
    }
  }

  /// Starts `work` soon.
  package func start(isUrgent: Bool = false, _ work: @escaping @Sendable () -> Void) { submit(isUrgent, work) }

  /// Waits for `work`. If the caller is cancelled it stops waiting, but the work is still done.
  package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    let answer = Promise<Value>()
    start(isUrgent: true) { answer.resolve(Result { try work() }) }
    return try await answer.value()
  }
}

/// The threads of one spill directory. They are separate, so that a disk that hangs delays no other directory and no
/// source.
package struct DiskLanes: Sendable {
  /// For reads.
  package let reads: DiskWork
  /// For writes, in parallel with the reads: one call at a time.
  package let writes: DiskWork

  /// The most reads of a directory in flight, and so the threads that a failing disk may block in addition to the
  /// writer.
  static let maxReads = 2

  /// - Parameter work: runs both instead, in a test.
  package init(_ work: DiskWork? = nil) {
    reads = work ?? .threads(IOThreads(limit: Self.maxReads))
    writes = work ?? .threads(IOThreads(limit: 1))
  }
}
