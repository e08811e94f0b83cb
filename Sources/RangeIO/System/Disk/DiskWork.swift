/// Where calls that may wait for a disk run: on threads of their own, or, in a simulation, as tasks on its executor.
package struct DiskWork: Sendable {
  private let submit: @Sendable (_ isUrgent: Bool, _ work: @escaping @Sendable () -> Void) -> Void

  /// On `threads`.
  package static func threads(_ threads: IOThreads) -> DiskWork {
    DiskWork { isUrgent, work in threads.submit(IOJob(isUrgent: isUrgent, work)) }
  }

  /// As tasks, for disks that never block.
  ///
  /// - Parameter wait: passes before each, as if the disk were busy.
  package static func tasks(_ background: BackgroundWork, after wait: (@Sendable () async -> Void)? = nil) -> DiskWork {
    DiskWork { _, work in
      background.startElsewhere {
        await wait?()
        work()
      }
    }
  }

  /// Has `work` done soon.
  package func start(isUrgent: Bool = false, _ work: @escaping @Sendable () -> Void) { submit(isUrgent, work) }

  /// Waits for `work`, but not when the caller is cancelled: it is done all the same then.
  package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    let answer = Promise<Value>()
    start(isUrgent: true) { answer.resolve(Result { try work() }) }
    return try await answer.value()
  }
}
