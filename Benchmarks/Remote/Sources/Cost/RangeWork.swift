#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Reads ranges of one size, as many at a time as there are tasks, spread over the file.
package struct RangeWork {
  let size: Int
  let byteCount: Int
  package let tasks: Int

  package init(size: Int, byteCount: Int, tasks: Int) {
    (self.size, self.byteCount, self.tasks) = (size, byteCount, tasks)
  }

  package func run(_ count: Int, _ contender: any Contender) async throws -> RequestCost {
    let processor = RequestCost.processorTime()
    let start = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          for index in stride(from: task, to: count, by: tasks) { try await contender.read(range(index)) }
        }
      }
      try await group.waitForAll()
    }
    let wall = ContinuousClock.now - start
    return RequestCost(requests: count, size: size, wall: wall, processor: RequestCost.processorTime() - processor)
  }

  /// A prime step, so that neighbours in time are none in the file.
  private func range(_ index: Int) -> Range<Int> {
    let place = index &* 7919 % (byteCount / size) * size
    return place..<place + size
  }
}

/// What some requests have cost.
package struct RequestCost {
  let requests: Int
  let size: Int
  let wall: Duration
  /// Of all threads of this process, in the program and in the system.
  let processor: Duration

  /// Wall and processor time of a request in microseconds, and megabytes a second.
  package var line: String {
    let wall = wall / .microseconds(1)
    let rate = Double(requests * size) / wall
    return "\(wall / Double(requests)) \(processor / .microseconds(1) / Double(requests)) \(rate)"
  }

  static func processorTime() -> Duration {
    var usage = rusage()
    let thisProcess: CInt = 0  // RUSAGE_SELF, which has a different type on each platform
    // It fails only for another process.
    getrusage(thisProcess, &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(.zero) {
      $0 + .seconds(Int64($1.tv_sec)) + .microseconds(Int64($1.tv_usec))
    }
  }
}
