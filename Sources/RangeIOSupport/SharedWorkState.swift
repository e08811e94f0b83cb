/// Which work is under way under which key, and who waits for it: a value, told of events. Generic over the waiter and over what
/// the work can be cancelled by, so that tests pass numbers.
struct SharedWorkState<Key: Hashable, Waiter, Work> {
  private struct Flight {
    var number: Int
    var began: Duration
    /// In order of arrival.
    var waiters: [(number: Int, waiter: Waiter)] = []
    /// `nil` until it has begun, and if a caller does it.
    var work: Work?
  }

  /// The answer to someone who asks.
  struct Joined {
    /// The number of the waiter, for leaving.
    var waiter: Int
    /// The number of the work that begins now; `nil`: it is under way.
    var begins: Int?
    /// Work to cancel: the new one takes its place.
    var replaced: Work?
  }

  /// The error of all who ask after the end.
  private(set) var closedWith: (any Error)?
  private let outlivesWaiters: Bool
  private let patience: Duration?
  private var flights: [Key: Flight] = [:]
  private var lastNumber = 0

  /// - Parameters:
  ///   - outlivesWaiters: `true` if work goes on when all waiters have left.
  ///   - patience: who asks for work that is as old as this gives it up; `nil`: never.
  init(outlivesWaiters: Bool, patience: Duration? = nil) {
    self.outlivesWaiters = outlivesWaiters
    self.patience = patience
  }

  /// The works under way, and those who wait for them.
  var counts: (works: Int, waiters: Int) { (flights.count, flights.values.reduce(0) { $0 + $1.waiters.count }) }

  /// Someone asks for the work under `key`. Work that has lost all patience begins anew, for all who wait.
  ///
  /// - Parameters:
  ///   - waiter: `nil` if nothing waits for the end.
  ///   - now: by a clock that is never set.
  mutating func join(_ key: Key, _ waiter: Waiter?, at now: Duration = .zero) -> Joined {
    lastNumber += 1
    var joined = Joined(waiter: lastNumber)
    var flight = flights[key] ?? Flight(number: lastNumber, began: now)
    let hangs = patience.map { now - flight.began >= $0 } ?? false
    if flights[key] == nil || hangs {
      joined.begins = lastNumber
      joined.replaced = flight.work.take()
      (flight.number, flight.began) = (lastNumber, now)
    }
    if let waiter { flight.waiters.append((lastNumber, waiter)) }
    flights[key] = flight
    return joined
  }

  /// The work of that number runs. `false`: it is not wanted any more.
  mutating func began(_ key: Key, _ number: Int, _ work: Work) -> Bool {
    guard flights[key]?.number == number else { return false }
    flights[key]?.work = work
    return true
  }

  /// A waiter has left, if it still waited. Returns work to cancel, which is wanted no more.
  mutating func left(_ key: Key, _ waiter: Int) -> Work? {
    guard let place = flights[key]?.waiters.firstIndex(where: { $0.number == waiter }) else { return nil }
    flights[key]?.waiters.remove(at: place)
    guard !outlivesWaiters, flights[key]?.waiters.isEmpty == true else { return nil }
    return flights.removeValue(forKey: key)?.work
  }

  /// The work has ended. Returns those who wait for it.
  ///
  /// - Parameter number: which it was; `nil`: whichever is under way.
  mutating func ended(_ key: Key, _ number: Int?) -> [Waiter] {
    guard let flight = flights[key], number == nil || flight.number == number else { return [] }
    flights[key] = nil
    return flight.waiters.map(\.waiter)
  }

  /// Nothing begins any more. Returns all who wait, and all work to cancel.
  mutating func close(with error: any Error) -> (waiters: [Waiter], works: [Work]) {
    defer { flights = [:] }
    closedWith = error
    return (flights.values.flatMap { $0.waiters.map(\.waiter) }, flights.values.compactMap(\.work))
  }
}
