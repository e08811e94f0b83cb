import RangeIO

/// Runs tasks one job at a time, on the thread that calls ``run(until:onIdle:)``, in an order that a seed decides. The
/// same seed repeats the same interleaving (SE-0417).
///
/// The executor controls only what prefers it: tasks started with `executorPreference`, their children, and the default
/// actors that they call. It does not control `Task {}` without a preference, `.detached`, `MainActor`, actors with
/// their own executors, Dispatch, threads, `ContinuousClock.sleep`, hash seeds, and addresses.
public final class SeededExecutor: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var generator: SeededGenerator
  }
  private let state: Locked<State>

  /// Creates an executor whose choices depend on `seed`.
  public init(seed: UInt64) { state = Locked(State(generator: SeededGenerator(seed: seed))) }

  /// Queues a job to run later. The Swift runtime calls this.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
  }

  /// Runs ready jobs, chosen at random, until `isDone` returns `true`.
  ///
  /// - Parameters:
  ///   - isDone: called before each job.
  ///   - onIdle: called when no job is ready, for example to move a clock or open a gate. Returns `false` if there is
  ///     nothing to do.
  /// - Returns: `false` if no job was ready, `onIdle` had nothing to do, and `isDone` was still `false`: the tasks
  ///   hang. Also `false` if two million jobs ran in a row and no task had to wait: the tasks spin.
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

/// Random numbers that depend only on a seed: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", OOPSLA 2014).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates the sequence for `seed`.
  public init(seed: UInt64) { state = seed }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// Spreads the bits of `value` over all 64: a hash of one number.
  public static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
