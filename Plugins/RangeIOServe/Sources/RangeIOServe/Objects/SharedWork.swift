internal import RangeIO
internal import Synchronization

/// Work that blocks, on a few threads of its own, and one for all who ask for the same at a time.
///
/// One who is cancelled is answered at once, and takes nothing from the others. When the last one has gone, the work is told
/// that it is not wanted any more.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Flight {
    let interest: WorkInterest
    var waiters: [ObjectIdentifier: Promise<Value>] = [:]
  }

  private let flights = Locked<[Key: Flight]>([:])
  private let threads: IOThreads

  /// - Parameter limit: the most threads.
  init(limit: Int) { threads = IOThreads(limit: limit) }

  /// What `work` returns, or what the work for the same key does that is under way.
  ///
  /// - Parameter work: looks at the interest often.
  /// - Throws: what the work throws; `CancellationError`.
  func value(for key: Key, _ work: @escaping @Sendable (WorkInterest) throws -> Value) async throws -> Value {
    let promise = Promise<Value>()
    let (interest, isFirst) = flights.withLock { flights -> (WorkInterest, Bool) in
      let isFirst = flights[key] == nil
      let interest = flights[key]?.interest ?? WorkInterest()
      flights[key, default: Flight(interest: interest)].waiters[ObjectIdentifier(promise)] = promise
      return (interest, isFirst)
    }
    if isFirst {
      threads.submit(
        IOJob { [self] in
          let result = Result {
            try interest.check()
            return try work(interest)
          }
          for waiter in ended(key, interest) { waiter.resolve(result) }
        })
    }
    defer { leave(key, interest, promise) }
    return try await promise.value()
  }

  /// How much is under way or waits for a thread, and how many wait for it.
  var counts: (works: Int, waiters: Int) {
    flights.withLock { flights in (flights.count, flights.values.reduce(0) { $0 + $1.waiters.count }) }
  }

  private func leave(_ key: Key, _ interest: WorkInterest, _ promise: Promise<Value>) {
    flights.withLock { flights in
      guard flights[key]?.interest === interest else { return }
      flights[key]?.waiters[ObjectIdentifier(promise)] = nil
      guard flights[key]?.waiters.isEmpty == true else { return }
      // Who comes from here on begins anew.
      flights[key] = nil
      interest.lose()
    }
  }

  private func ended(_ key: Key, _ interest: WorkInterest) -> [Promise<Value>] {
    flights.withLock { flights in
      guard let flight = flights[key], flight.interest === interest else { return [] }
      flights[key] = nil
      return Array(flight.waiters.values)
    }
  }
}

/// Whether anyone still waits for work.
final class WorkInterest: Sendable {
  private let lost = Atomic<Bool>(false)

  var isLost: Bool { lost.load(ordering: .relaxed) }

  func lose() { lost.store(true, ordering: .relaxed) }

  /// - Throws: `CancellationError` when no one waits any more.
  func check() throws { if isLost { throw CancellationError() } }
}
