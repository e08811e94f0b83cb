import RangeIOTesting
import Testing

@testable import RangeIO

/// Runs a test, and all that it starts by ``start(_:)``, as a simulation: on one thread, in an order that a seed decides
/// (`RANGEIO_SEED`), so that ``quiet()`` knows when nothing else can go on. What waits for other threads, or for a clock
/// of the system, hangs there, and the test says so.
struct Simulated: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  @concurrent func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard !test.traits.contains(where: { $0 is Racing }) else { return try await function() }
    try withoutActuallyEscaping(function) { function in
      do {
        try Simulation.run(seed: UInt64(TestScale.firstSeed)) { _ in try await function() }
      } catch let hang as Simulation.Hang {
        // A body that goes on later would run without its test.
        guard hang.isOver else { fatalError("\(test.name): \(hang)") }
        throw hang
      } catch let failure as Simulation.Failure {
        throw failure.cause
      }
    }
  }
}

/// Runs a test of a simulated suite on Swift's threads all the same: what it tests is a race of threads, and it awaits
/// all that it starts.
struct Racing: TestTrait {}

extension Trait where Self == Simulated {
  /// Runs the test, or each test of the suite, as a simulation.
  static var simulated: Simulated { Simulated() }
}

extension Trait where Self == Racing {
  /// Runs the test on Swift's threads, though its suite is simulated.
  static var racing: Racing { Racing() }
}

/// Returns when nothing else of a simulated test can go on: all other tasks have ended, or wait for what the test does
/// next.
func quiet() async { await Simulation.current!.quiet() }

/// Starts a task that belongs to the simulation that a test runs as, if it does.
@discardableResult func start<Value: Sendable>(
  priority: TaskPriority? = nil, _ body: @escaping @Sendable () async throws -> Value
) -> Task<Value, any Error> {
  Task(executorPreference: Simulation.current?.executor, priority: priority) { try await body() }
}

/// Starts a task that belongs to the simulation that a test runs as, if it does.
@discardableResult func start<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
  Task(executorPreference: Simulation.current?.executor) { await body() }
}
