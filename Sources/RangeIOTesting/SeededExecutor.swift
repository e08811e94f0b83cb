import RangeIO

/// Runs tasks one job at a time on the thread that calls ``run(until:onIdle:)``, in an order that a seed decides: any
/// interleaving of a test happens again under the same number (SE-0417).
///
/// Only what prefers this executor obeys it: tasks started with `executorPreference`, their children, and default actors
/// they call. What escapes: `Task {}` without preference, `.detached`, `MainActor`, actors with executors of their own,
/// Dispatch, threads, `ContinuousClock.sleep`, hash seeds, addresses.
public final class SeededExecutor: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var generator: SeededGenerator
  }
  private let state: Locked<State>

  /// An executor whose choices belong to `seed`.
  public init(seed: UInt64) { state = Locked(State(generator: SeededGenerator(seed: seed))) }

  /// Takes a job to run later. Called by the runtime.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
  }

  /// Runs jobs, chosen at random from those that are ready, until `isDone`.
  ///
  /// - Parameter onIdle: called when nothing is ready: moves a clock, opens a gate; false if there is nothing to do.
  /// - Returns: false if nothing was ready, `onIdle` had nothing to do, and `isDone` was still not true: a hang; or if two
  ///   million jobs followed each other in which no task had to wait: tasks that spin.
  public func run(until isDone: () -> Bool, onIdle: () -> Bool) -> Bool {
    var jobsSinceIdle = 0
    while !isDone() {
      let job = state.withLock { state -> UnownedJob? in
        guard !state.jobs.isEmpty else { return nil }
        let chosen = Int(state.generator.next() % UInt64(state.jobs.count))
        return state.jobs.remove(at: chosen)
      }
      if let job {
        jobsSinceIdle += 1
        guard jobsSinceIdle < 2_000_000 else { return false }
        job.runSynchronously(on: asUnownedTaskExecutor())
      } else {
        jobsSinceIdle = 0
        guard onIdle() else { return false }
      }
    }
    return true
  }
}
