/// Who may read and who waits, as a value: events in, actions out. It knows no task, and of time what it is told.
///
/// Demands go before prefetches, each in the order they came; but after ``demandsInARow`` demands a prefetch that waits
/// is next. Who is next waits for its turn alone: none overtakes it by asking for less.
///
/// Generic over the waiter, so that tests can pass numbers.
struct AdmissionQueue<Waiter> {
  /// The most demands that go while a prefetch waits.
  static var demandsInARow: Int { 8 }

  /// A place in the queue.
  struct Ticket: Hashable {
    fileprivate let number: UInt64
  }

  /// What is to be done after an event, outside of the lock.
  struct Actions {
    /// Those who may read now, in order.
    var admitted = SmallArray<Waiter>()
    /// The next moment to call ``rang(_:now:)``, if it is another than before.
    var alarm: Alarm?
  }

  /// A moment to be woken at, or none any more. Of two, the one with the higher number counts.
  struct Alarm: Equatable {
    let number: Int
    let at: ReadInstant?
  }

  /// What became of one who came.
  enum Arrival {
    /// It reads now.
    case goes
    /// It waits.
    case waits(Ticket, Waiter, Actions)
  }

  private struct Queued {
    let waiter: Waiter
    let byteCount: Int
    var purpose: ReadPurpose
  }

  private let concurrentReads: Int
  private(set) var bucket: RateBucket?
  /// Reads that were let go and have not ended.
  private(set) var underWay = 0
  /// The most that have waited at once.
  private(set) var longestQueue = 0
  private var queued: [Ticket: Queued] = [:]
  private var demands = TicketQueue<Ticket>()
  private var prefetches = TicketQueue<Ticket>()
  /// Demands that went, one after the other, while a prefetch waited.
  private var demandsSincePrefetch = 0
  private var lastTicket: UInt64 = 0
  private var alarm = Alarm(number: 0, at: nil)

  /// - Parameters:
  ///   - concurrentReads: the most at once; `.max` for any number.
  ///   - bucket: `nil` for any rate.
  init(concurrentReads: Int, bucket: RateBucket?) {
    self.concurrentReads = concurrentReads
    self.bucket = bucket
  }

  /// Those who wait.
  var queueCount: Int { queued.count }

  // MARK: Events

  /// One wants to read so many bytes.
  ///
  /// - Parameter waiter: made only if it has to wait.
  mutating func arrived(
    _ byteCount: Int, _ purpose: ReadPurpose, now: ReadInstant, waiter: () -> Waiter
  ) -> Arrival {
    if queued.isEmpty, canGo(byteCount, now) == .now {
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

  /// A read waits for a prefetch by now.
  mutating func raised(_ ticket: Ticket, now: ReadInstant) -> Actions {
    guard queued[ticket]?.purpose == .prefetch else { return Actions() }
    queued[ticket]?.purpose = .demand
    prefetches.removed()
    demands.append(ticket)
    compact()
    return admit(now)
  }

  /// One who waited has given up, or hears only now that it was let go.
  mutating func left(_ ticket: Ticket, _ byteCount: Int, now: ReadInstant) -> Actions {
    if let one = queued.removeValue(forKey: ticket) {
      if one.purpose == .demand { demands.removed() } else { prefetches.removed() }
      compact()
    } else {
      underWay -= 1
      bucket?.giveBack(byteCount)
    }
    return admit(now)
  }

  /// A read has ended, well or badly.
  mutating func ended(now: ReadInstant) -> Actions {
    precondition(underWay > 0, "a read ends once")
    underWay -= 1
    return admit(now)
  }

  /// The moment of an alarm has come.
  mutating func rang(_ number: Int, now: ReadInstant) -> Actions {
    if number == alarm.number { alarm = Alarm(number: number, at: nil) }
    return admit(now)
  }

  // MARK: Deciding

  private enum Turn: Equatable {
    case now
    case at(ReadInstant)
    /// When another ends.
    case later
  }

  private func canGo(_ byteCount: Int, _ now: ReadInstant) -> Turn {
    guard underWay < concurrentReads else { return .later }
    guard let earliest = bucket?.earliest(byteCount), earliest > now else { return .now }
    return .at(earliest)
  }

  private mutating func go(_ byteCount: Int, _ now: ReadInstant) {
    underWay += 1
    bucket?.take(byteCount, at: now)
  }

  private mutating func admit(_ now: ReadInstant) -> Actions {
    var actions = Actions()
    var wake: ReadInstant?
    while let ticket = front(), let one = queued[ticket] {
      let turn = canGo(one.byteCount, now)
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

  /// Who is next.
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
