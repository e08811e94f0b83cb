public import RangeIO

/// One run of a test whose every interleaving, and whose time, belong to a seed.
///
/// ```swift
/// try Simulation.run(seed: 42) { simulation in
///   let source = SyntheticSource(byteCount: 1 << 20, latency: .milliseconds(1), time: simulation.time)
///   let reader = try await RangeReader(source, configuration: simulation.configuration)
///   …
/// }
/// ```
///
/// Time passes only when nothing else can happen, and then at once: a simulated hour takes no time. Background work of
/// stores and readers that name no executor belongs to the simulation that they are made in.
public struct Simulation: Sendable {
  /// The seed that repeats this run.
  public let seed: UInt64
  /// The clock, which moves when nothing is ready.
  public let clock: ManualClock
  /// Runs everything.
  public let executor: SeededExecutor
  private let calm = Calm()

  /// The simulation that the present task belongs to.
  @TaskLocal package static var current: Simulation?

  /// The clock, for sources and stages.
  public var time: TimeSource { TimeSource(clock) }

  /// For readers whose background work is to be part of the simulation.
  public var configuration: RangeReader.Configuration {
    .init(background: BackgroundWork(executor: executor), time: time)
  }

  /// A simulation that stopped with work left and no task to do it.
  public struct Hang: Error, CustomStringConvertible {
    /// The seed that repeats it.
    public let seed: UInt64
    /// Whether the body ended once it was cancelled.
    package let isOver: Bool
    /// For people.
    public var description: String { "the simulation hangs with seed \(seed)" }
  }

  /// A simulation whose body failed.
  public struct Failure: Error, CustomStringConvertible {
    /// The seed that repeats it.
    public let seed: UInt64
    /// What the body threw.
    public let cause: any Error
    /// For people.
    public var description: String { "seed \(seed): \(cause)" }
  }

  /// Runs `body`, and all that it starts by ``start(_:)``, to the end on this thread.
  ///
  /// - Throws: ``Failure`` with what `body` threw; ``Hang`` if nothing can go on before it has ended.
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
      // Those who wait in vain end where they heed it, and take what they hold along. Some may try again for ever.
      task.cancel()
      throw Hang(seed: seed, isOver: simulation.goOn(until: outcome, steps: 1_000_000))
    }
    do { return try outcome.result.withLock { $0! }.get() } catch { throw Failure(seed: seed, cause: error) }
  }

  /// Lets what `body` starts in the background run in this simulation.
  private func withEverything<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
    try await BackgroundWork.$standard.withValue(executor) {
      try await Self.$current.withValue(self) { try await body() }
    }
  }

  /// - Returns: whether there is an outcome.
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

  /// Returns once it is quiet: nothing else can go on before time passes, since all other tasks have ended, or wait for
  /// what this one does next.
  public func quiet() async { await calm.wait() }

  /// Starts a task of the simulation.
  @discardableResult public func start<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    Task(executorPreference: executor) { try await body() }
  }

  /// Those who wait until nothing else can go on.
  private final class Calm: Sendable {
    private let waiting = Locked<[CheckedContinuation<Void, Never>]>([])

    func wait() async {
      await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
    }

    /// - Returns: false if no task waits.
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
