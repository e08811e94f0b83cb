/// Decides which reads go and which wait, as a value: events in, actions out. It knows no tasks, and only the times it
/// is given.
///
/// Demands go before prefetches, each in order of arrival. But after ``demandsInARow`` demands a waiting prefetch is
/// next. The next read keeps its turn: no other overtakes it by asking for less.
///
/// Generic over the waiter, so that tests can pass numbers.
struct AdmissionQueue<Waiter> {
  /// The most demands that go while a prefetch waits.
  static var demandsInARow: Int { 8 }

  /// A place in the queue.
  struct Ticket: Hashable {
    fileprivate let number: UInt64
  }

  /// The actions that follow an event. Taken outside the lock.
  struct Actions {
    /// The waiters that may read now, in order.
    var admitted = SmallArray<Waiter>()
    /// The next moment to call ``rang(_:now:)``, if it has changed.
    var alarm: Alarm?
  }

  /// A moment to be woken at; `nil` for none any more. Of two alarms, the one with the higher number counts.
  struct Alarm: Equatable {
    let number: Int
    let at: ReadClock.Instant?
  }

  /// The result of an arrival.
  enum Arrival {
    /// The read goes now.
    case goes
    /// The read waits.
    case waits(Ticket, Waiter, Actions)
  }

  private struct Queued {
    let waiter: Waiter
    let byteCount: Int
    var purpose: ReadUrgency.Purpose
  }

  private let concurrentReads: Int
  private(set) var bucket: RateBucket?
  /// Reads that were admitted and have not ended.
  private(set) var underWay = 0
  /// The most that have waited at once.
  private(set) var longestQueue = 0
  private var queued: [Ticket: Queued] = [:]
  private var demands = TicketQueue<Ticket>()
  private var prefetches = TicketQueue<Ticket>()
  /// Demands that went in a row while a prefetch waited.
  private var demandsSincePrefetch = 0
  private var lastTicket: UInt64 = 0
  private var alarm = Alarm(number: 0, at: nil)

  /// - Parameters:
  ///   - concurrentReads: the most at once; `.max` for no limit.
  ///   - bucket: `nil` for no rate limit.
  init(concurrentReads: Int, bucket: RateBucket?) {
    self.concurrentReads = concurrentReads
    self.bucket = bucket
  }

  /// The number of waiters.
  var queueCount: Int { queued.count }

  func isQueued(_ ticket: Ticket) -> Bool { queued[ticket] != nil }

  // MARK: Events

  /// A read of `byteCount` bytes arrives.
  ///
  /// - Parameter waiter: called only if the read has to wait.
  mutating func arrived(
    _ byteCount: Int, _ purpose: ReadUrgency.Purpose, now: ReadClock.Instant, waiter: () -> Waiter
  ) -> Arrival {
    if queued.isEmpty, turn(of: byteCount, now) == .now {
      go(byteCount, now)
      return .goes
    }
    lastTicket += 1
    let ticket = Ticket(number: lastTicket)
    let one = Queued(waiter: waiter(), byteCount: byteCount, purpose: purpose)
    queued[ticket] = one
    if purpose == .demand { demands.append(ticket) } else { prefetches.append(ticket) }
    longestQueue = max(longestQueue, queued.count)
    return .waits(ticket, one.waiter, admit(now))
  }

  /// A read now waits for this prefetch.
  mutating func raised(_ ticket: Ticket, now: ReadClock.Instant) -> Actions {
    guard queued[ticket]?.purpose == .prefetch else { return Actions() }
    queued[ticket]?.purpose = .demand
    prefetches.removed()
    demands.append(ticket)
    compact()
    return admit(now)
  }

  /// A waiter has given up. It may have been admitted just before.
  mutating func left(_ ticket: Ticket, _ byteCount: Int, now: ReadClock.Instant) -> Actions {
    if let one = queued.removeValue(forKey: ticket) {
      if one.purpose == .demand { demands.removed() } else { prefetches.removed() }
      compact()
    } else {
      underWay -= 1
      bucket?.giveBack(byteCount)
    }
    return admit(now)
  }

  /// A read has ended, whether it succeeded or failed.
  mutating func ended(now: ReadClock.Instant) -> Actions {
    precondition(underWay > 0, "a read ends once")
    underWay -= 1
    return admit(now)
  }

  /// The moment of an alarm has come.
  mutating func rang(_ number: Int, now: ReadClock.Instant) -> Actions {
    if number == alarm.number { alarm = Alarm(number: number, at: nil) }
    return admit(now)
  }

  // MARK: Deciding

  /// When it is the turn of a read.
  private enum Turn: Equatable {
    case now
    case at(ReadClock.Instant)
    /// When another read ends.
    case later
  }

  private func turn(of byteCount: Int, _ now: ReadClock.Instant) -> Turn {
    guard underWay < concurrentReads else { return .later }
    guard let earliest = bucket?.earliest(byteCount), earliest > now else { return .now }
    return .at(earliest)
  }

  private mutating func go(_ byteCount: Int, _ now: ReadClock.Instant) {
    underWay += 1
    bucket?.take(byteCount, at: now)
  }

  private mutating func admit(_ now: ReadClock.Instant) -> Actions {
    var actions = Actions()
    var wake: ReadClock.Instant?
    while let ticket = front(), let one = queued[ticket] {
      let turn = turn(of: one.byteCount, now)
      guard turn == .now else {
        if case .at(let instant) = turn { wake = instant }
        break
      }
      go(one.byteCount, now)
      queued[ticket] = nil
      if one.purpose == .demand {
        demands.removeFirst()
        demandsSincePrefetch = prefetches.count > 0 ? demandsSincePrefetch + 1 : 0
      } else {
        prefetches.removeFirst()
        demandsSincePrefetch = 0
      }
      actions.admitted.append(one.waiter)
    }
    if alarm.at != wake {
      alarm = Alarm(number: alarm.number + 1, at: wake)
      actions.alarm = alarm
    }
    return actions
  }

  /// The next ticket.
  private mutating func front() -> Ticket? {
    let isPrefetchDue = demands.count == 0 || demandsSincePrefetch >= Self.demandsInARow
    if prefetches.count > 0, isPrefetchDue {
      return prefetches.first { queued[$0]?.purpose == .prefetch }
    }
    return demands.first { queued[$0]?.purpose == .demand }
  }

  private mutating func compact() {
    demands.compact { queued[$0]?.purpose == .demand }
    prefetches.compact { queued[$0]?.purpose == .prefetch }
  }
}
