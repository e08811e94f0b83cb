import RangeIOTesting
import Testing

@testable import RangeIO

/// A stage above the cache that asks of it what the test says.
final class Asking: ReadStage {
  private let state = Locked((caching: ReadRequest.CachePolicy.normal, purpose: ReadUrgency.Purpose.demand))

  var caching: ReadRequest.CachePolicy {
    get { state.withLock { $0.caching } }
    set { state.withLock { $0.caching = newValue } }
  }
  var purpose: ReadUrgency.Purpose {
    get { state.withLock { $0.purpose } }
    set { state.withLock { $0.purpose = newValue } }
  }

  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    var request = request
    request.caching = caching
    request.purpose = purpose
    return try await next(request)
  }
}

extension MemoryStore {
  /// The flights under way for all sources.
  var flightCount: Int { sources.all.reduce(0) { $0 + $1.flights.count } }

  /// Look-ups that did not find all they asked for.
  var missCount: Int { counts().misses + counts().partialHits }

  /// Whether nothing is on its way into the store.
  var isQuiet: Bool { flightCount == 0 && counts().reservedBytes == 0 }
}

extension RangeReader {
  /// Whether a read of `range` brings the bytes of a synthetic source.
  nonisolated func isRight(_ range: ByteRange, version: UInt64 = 0) async throws -> Bool {
    try await read(range) == SyntheticSource.bytes(range, version: version)
  }
}

/// Runs what prefers it on the thread that asks, a job at a time, and counts: work that never suspends is one job.
final class JobCount: TaskExecutor {
  private let jobs = Locked<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs jobs as long as there are any.
  ///
  /// - Returns: how many those were.
  @discardableResult func run() -> Int {
    var count = 0
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      count += 1
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
    return count
  }

  /// Runs the next job.
  ///
  /// - Returns: false if there was none.
  @discardableResult func step() -> Bool {
    guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
    job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }

  /// Starts `work` and runs jobs as long as there are any.
  ///
  /// - Returns: how many those were.
  static func of(_ work: @escaping @Sendable () async throws -> Void) throws -> Int {
    let executor = JobCount()
    let failure = Locked<(any Error)?>(nil)
    Task(executorPreference: executor) {
      do { try await work() } catch { failure.withLock { $0 = error } }
    }
    let count = executor.run()
    if let failure = failure.withLock({ $0 }) { throw failure }
    return count
  }
}
