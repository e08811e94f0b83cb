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
/// Time passes only when nothing else can happen, and then at once: a simulated hour takes no time.
public struct Simulation: Sendable {
  /// The seed that repeats this run.
  public let seed: UInt64
  /// The clock, which moves when nothing is ready.
  public let clock: ManualClock
  /// Runs everything.
  public let executor: SeededExecutor

  /// The clock, for sources and stages.
  public var time: TimeSource { TimeSource(clock) }

  /// For readers whose background work is to be part of the simulation.
  public var configuration: RangeReader.Configuration {
    .init(background: BackgroundWork(executor: executor), time: time)
  }

  /// A simulation that stopped with work left and nobody to do it.
  public struct Hang: Error, CustomStringConvertible {
    /// The seed that repeats it.
    public let seed: UInt64
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
    Task(executorPreference: simulation.executor) {
      do {
        let value = try await body(simulation)
        outcome.result.withLock { $0 = .success(value) }
      } catch {
        outcome.result.withLock { $0 = .failure(error) }
      }
    }
    let ended = simulation.executor.run(until: { outcome.result.withLock { $0 != nil } }) {
      guard let wake = simulation.clock.nextWake else { return false }
      simulation.clock.advance(to: wake)
      return true
    }
    guard ended, let result = outcome.result.withLock({ $0 }) else { throw Hang(seed: seed) }
    do { return try result.get() } catch { throw Failure(seed: seed, cause: error) }
  }

  /// Starts a task of the simulation.
  @discardableResult public func start<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    Task(executorPreference: executor) { try await body() }
  }

  private final class Outcome<Value: Sendable>: Sendable {
    let result = Locked<Result<Value, any Error>?>(nil)
  }
}
