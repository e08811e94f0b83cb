public import RangeIO

/// One run of a test in which a seed decides every interleaving, and the time is simulated.
///
/// ```swift
/// try Simulation.run(seed: 42) { simulation in
///   let source = SyntheticSource(byteCount: 1 << 20, latency: .milliseconds(1), time: simulation.time)
///   let reader = try await RangeReader(source, time: simulation.time)
///   …
/// }
/// ```
///
/// Time advances only when nothing else can run, and then at once: a simulated hour takes no real time. Background work
/// of stores and readers without an explicit executor runs in the simulation in which they are created.
public struct Simulation: Sendable {
  /// The seed that repeats this run.
  public let seed: UInt64
  /// The clock. It advances when nothing is ready to run.
  public let clock: ManualClock
  /// Runs all tasks of the simulation.
  public let executor: SeededExecutor
  private let calm = Calm()

  /// The simulation that the current task belongs to.
  @TaskLocal package static var current: Simulation?

  /// The clock of the simulation, for sources and stages.
  public var time: ReadClock { ReadClock(clock) }

  /// Use this for readers whose background work must run in the simulation.
  package var configuration: RangeReader.Configuration {
    .init(background: BackgroundWork(executor: executor), time: time)
  }

  /// The error when a simulation stops with work left that no task can do.
  public struct Hang: Error, CustomStringConvertible {
    /// The seed that repeats it.
    public let seed: UInt64
    /// The body ended after it was cancelled.
    package let isOver: Bool
    /// Text for people.
    public var description: String { "the simulation hangs with seed \(seed)" }
  }

  /// The error when the body of a simulation fails.
  public struct Failure: Error, CustomStringConvertible {
    /// The seed that repeats it.
    public let seed: UInt64
    /// The error that the body threw.
    public let cause: any Error
    /// Text for people.
    public var description: String { "seed \(seed): \(cause)" }
  }

  /// Runs `body`, and all tasks that it starts with ``start(_:)``, to the end on this thread.
  ///
  /// - Throws: ``Failure`` with the error that `body` threw; ``Hang`` if nothing can run before `body` has ended.
  public static func run<Value: Sendable>(
    seed: UInt64, _ body: @escaping @Sendable (Simulation) async throws -> Value
  ) throws -> Value {
    let simulation = Simulation(seed: seed, clock: ManualClock(), executor: SeededExecutor(seed: seed))
    let outcome = Outcome<Value>()
    let task = Task(executorPreference: simulation.executor) {
      do {
        let value = try await simulation.withEverything { try await body(simulation) }
        outcome.result.withLock { $0 = .success(value) }
      } catch {
        outcome.result.withLock { $0 = .failure(error) }
      }
    }
    guard simulation.goOn(until: outcome) else {
      // Tasks that respond to cancellation now end, and release what they hold. Some may retry for ever.
      task.cancel()
      throw Hang(seed: seed, isOver: simulation.goOn(until: outcome, steps: 1_000_000))
    }
    do { return try outcome.result.withLock { $0! }.get() } catch { throw Failure(seed: seed, cause: error) }
  }

  /// Runs `body` so that its background work runs in this simulation.
  private func withEverything<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
    try await BackgroundWork.$standard.withValue(executor) {
      try await Self.$current.withValue(self) { try await body() }
    }
  }

  /// - Returns: whether the body has ended.
  private func goOn<Value>(until outcome: Outcome<Value>, steps: Int = .max) -> Bool {
    var left = steps
    func isOver() -> Bool {
      left -= 1
      return left < 0 || outcome.result.withLock { $0 != nil }
    }
    _ = executor.run(until: isOver) {
      if calm.resumeNext() { return true }
      guard let wake = clock.nextWake else { return false }
      clock.advance(to: wake)
      return true
    }
    return outcome.result.withLock { $0 != nil }
  }

  /// Returns when everything is quiet: nothing else can run before time advances, because all other tasks have ended,
  /// or wait for what this task does next.
  public func quiet() async { await calm.wait() }

  /// Starts a task in the simulation.
  @discardableResult public func start<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    Task(executorPreference: executor) { try await body() }
  }

  /// The tasks that wait until nothing else can run.
  private final class Calm: Sendable {
    private let waiting = Locked<[CheckedContinuation<Void, Never>]>([])

    func wait() async {
      await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
    }

    /// - Returns: `false` if no task waits.
    func resumeNext() -> Bool {
      guard let first = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
      first.resume()
      return true
    }
  }

  private final class Outcome<Value: Sendable>: Sendable {
    let result = Locked<Result<Value, any Error>?>(nil)
  }
}
