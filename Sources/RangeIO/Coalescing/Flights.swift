/// The fetches in flight for one version of a source, so that no byte is fetched twice at the same time. Events come
/// in, and actions come out. It never fetches, waits, wakes or locks.
///
/// A *flight* brings one range. A request joins the flights that bring what it wants and starts others for the rest. It
/// is interested in each of its flights until that has completed or the request has left. A flight without interested
/// requests is cancelled. The owner keeps this value under a lock, and acts on the results after unlocking.
///
/// - **Prefetches.** A request without a waiter is also interested, silently: readers that join its flights and leave
///   again do not cancel them. The request itself cancels them by leaving, unless readers have joined.
/// - **Generations.** Only flights of the newest generation seen can be joined. A newer generation *detaches* older
///   flights: they go on for their waiters. A request of an older generation (it read the number before it was raised)
///   starts detached flights for all it wants, and joins none.
/// - **Cancelled flights** are never joined, but count as in progress until they have completed: the kernel may still
///   write.
///
/// A completed flight must have put its bytes into the store before ``completed(_:)`` is called, or a reader could find
/// them in neither place. A reader that looked in the store before that would start a flight for bytes that have just
/// arrived, so the store is asked once more before a start becomes a fetch.
///
/// Finding a flight by place is a binary search in a sorted array; by id it is an index. Starting and completion move
/// the entries behind theirs, 24 bytes each. Both together take 0.13 µs with nothing else in flight, 0.25 with 100
/// flights, 0.5 with 1,000 and 3.3 with 10,000, where a tree would begin to pay.
struct Flights<Waiter> {
  enum Standing {
    /// In `joinable`.
    case joinable
    case detached
    case cancelled
  }

  struct Flight {
    /// 0 while the slot is free.
    var number: UInt64
    let range: ByteRange
    var purpose: ReadUrgency.Purpose
    var standing: Standing
    var waiters = FlightWaiters<Waiter>()
  }

  struct Joinable {
    let range: ByteRange
    let slot: Int32
  }

  /// The longest range that one flight brings.
  let longest: Int
  /// The number of flights in progress, including cancelled ones until they have completed.
  package private(set) var count = 0

  private var newestGeneration: UInt64 = 0
  /// The flights that may be joined: disjoint, in ascending order, all of the newest generation.
  private(set) var joinable: ContiguousArray<Joinable> = []
  /// All flights in progress, each at the slot in its id.
  private(set) var slots: ContiguousArray<Flight> = []
  private var freeSlots: ContiguousArray<Int32> = []
  private var lastFlight: UInt64 = 0
  private var lastWaiter: UInt64 = 0

  /// - Parameter longest: the most bytes that one flight brings. Longer stretches are cut at its multiples, so make it
  ///   a multiple of the block size where whole blocks are fetched.
  /// - Parameter last: the number of flights that an earlier value has had. Default: none.
  init(longest: Int, after last: UInt64 = 0) {
    precondition(longest > 0)
    self.longest = longest
    lastFlight = last
  }

  package var isEmpty: Bool { count == 0 }

  // MARK: Events

  /// A read misses `gaps`, or a prefetch wants them.
  ///
  /// Stretches that no flight brings are widened, cut where they would meet another flight, and joined where they
  /// touch: neighbouring blocks are one fetch. A stretch longer than ``longest`` is cut, and a piece that contains
  /// nothing of the gaps is left out.
  ///
  /// - Parameters:
  ///   - gaps: not empty, disjoint and in ascending order.
  ///   - generation: the source's, read before the look-up that found the gaps.
  ///   - purpose: a demand raises the prefetches it joins.
  ///   - waiter: returned when one of its flights has completed, once for each; `nil` to be interested silently.
  ///   - widen: what to fetch where a stretch is missing: the stretch, or more around it, such as whole blocks.
  /// - Complexity: O((g + f) log n) for `g` gaps, the `f` flights that bring them and `n` flights in progress, plus
  ///   moving the entries behind each new one. Once the tables have grown, one gap brought by one flight allocates
  ///   nothing but room for waiters beyond the first.
  package mutating func request(
    _ gaps: some Collection<ByteRange>, generation: UInt64, purpose: ReadUrgency.Purpose, waiter: Waiter?,
    widen: (ByteRange) -> ByteRange
  ) -> FlightPlan {
    lastWaiter += 1
    var plan = FlightPlan(waiter: WaiterID(number: lastWaiter))
    request(gaps, generation, Asker(purpose: purpose, waiter: waiter, isApart: false), widen, &plan)
    return plan
  }

  /// Like ``request(_:generation:purpose:waiter:widen:)``, but each stretch is a separate flight, neither joined with
  /// its neighbours nor cut.
  ///
  /// - Parameter earlier: the plan that the same request got just before, if this call adds to it: the request is
  ///   interested once in each of its flights.
  mutating func requestApart(
    _ gaps: some Collection<ByteRange>, generation: UInt64, purpose: ReadUrgency.Purpose, waiter: Waiter?,
    after earlier: FlightPlan? = nil, widen: (ByteRange) -> ByteRange
  ) -> FlightPlan {
    if earlier == nil { lastWaiter += 1 }
    var plan = FlightPlan(waiter: earlier?.waiter ?? WaiterID(number: lastWaiter))
    request(gaps, generation, Asker(purpose: purpose, waiter: waiter, isApart: true), widen, &plan)
    return plan
  }

  /// Who wants gaps, and how.
  private struct Asker {
    let purpose: ReadUrgency.Purpose
    let waiter: Waiter?
    /// Each stretch becomes a separate flight.
    let isApart: Bool
  }

  private mutating func request(
    _ gaps: some Collection<ByteRange>, _ generation: UInt64, _ asker: Asker, _ widen: (ByteRange) -> ByteRange,
    _ plan: inout FlightPlan
  ) {
    if generation > newestGeneration {
      detachJoinable()
      newestGeneration = generation
    }
    if generation == newestGeneration {
      join(gaps, asker, widen, &plan)
    } else {
      // A latecomer works on an empty table and leaves nothing in it.
      var others: ContiguousArray<Joinable> = []
      swap(&others, &joinable)
      join(gaps, asker, widen, &plan)
      detachJoinable()
      swap(&others, &joinable)
    }
  }

  /// A flight has ended, whether it succeeded or failed. Call this once for every flight started, including cancelled
  /// ones.
  ///
  /// - Returns: its waiters in order of arrival; none if it was cancelled.
  /// - Complexity: O(log n), plus moving the entries behind it.
  mutating func completed(_ id: FlightID) -> FlightWaiters<Waiter> {
    precondition(isUnderWay(id), "a flight completes once")
    let slot = Int(id.slot)
    if slots[slot].standing == .joinable { removeFromJoinable(slots[slot].range) }
    var waiters = FlightWaiters<Waiter>()
    swap(&waiters, &slots[slot].waiters)
    slots[slot].number = 0
    freeSlots.append(id.slot)
    count -= 1
    if count == 0, slots.count > Self.slotsKept { forgetSlots() }
    return waiters
  }

  /// A request gives up: its read was cancelled, or its prefetch is no longer wanted.
  ///
  /// - Parameter flights: all or some flights of its plan; repeated and completed ones do not matter.
  /// - Returns: the flights without interested requests, which you must cancel, in the order given.
  /// - Complexity: O(log w) for each of the flights with `w` waiters, amortized, plus moving entries for each one
  ///   returned.
  mutating func leave(_ flights: some Sequence<FlightID>, _ waiter: WaiterID) -> SmallArray<FlightID> {
    var cancelled = SmallArray<FlightID>()
    for id in flights where isUnderWay(id) {
      let slot = Int(id.slot)
      guard slots[slot].waiters.leave(waiter), slots[slot].waiters.isEmpty else { continue }
      if slots[slot].standing == .joinable { removeFromJoinable(slots[slot].range) }
      slots[slot].standing = .cancelled
      cancelled.append(id)
    }
    return cancelled
  }

  // MARK: Requesting

  private mutating func join(
    _ gaps: some Collection<ByteRange>, _ asker: Asker, _ widen: (ByteRange) -> ByteRange, _ plan: inout FlightPlan
  ) {
    let before = lastFlight
    start(missing(gaps, asker.isApart, widen), for: gaps, asker.isApart, asker.purpose, &plan)
    for gap in gaps {
      var index = indexInJoinable(after: gap.lowerBound)
      // What was missing is in flight now, so flights follow each other without gaps until the gap's end.
      while index < joinable.count, let range = ByteRanges.intersection(joinable[index].range, gap) {
        enter(Int(joinable[index].slot), range, asker.purpose, asker.waiter, startedAfter: before, &plan)
        index += 1
      }
    }
  }

  private mutating func start(
    _ stretches: SmallArray<ByteRange>, for gaps: some Collection<ByteRange>, _ isApart: Bool,
    _ purpose: ReadUrgency.Purpose, _ plan: inout FlightPlan
  ) {
    var gaps = gaps.makeIterator()
    var gap = gaps.next()
    for stretch in stretches {
      var cursor = stretch.lowerBound
      while cursor < stretch.upperBound {
        let range = isApart ? stretch : piece(of: stretch, from: cursor)
        cursor = range.upperBound
        while let passed = gap, passed.upperBound <= range.lowerBound { gap = gaps.next() }
        // Leave out a piece that consists of widening only: no request would be interested in it.
        guard let gap, gap.lowerBound < range.upperBound else { continue }
        plan.starts.append(.init(flight: launch(range, purpose), range: range, purpose: purpose))
      }
    }
  }

  /// The part of `stretch` from `cursor` that one flight brings.
  private func piece(of stretch: ByteRange, from cursor: Int) -> ByteRange {
    guard stretch.count > longest else { return stretch }
    let step = longest - cursor % longest
    return cursor..<(stretch.upperBound - cursor <= step ? stretch.upperBound : cursor + step)
  }

  private mutating func launch(_ range: ByteRange, _ purpose: ReadUrgency.Purpose) -> FlightID {
    lastFlight += 1
    let flight = Flight(number: lastFlight, range: range, purpose: purpose, standing: .joinable)
    let slot: Int32
    if let free = freeSlots.popLast() {
      slot = free
      slots[Int(free)] = flight
    } else {
      slot = Int32(slots.count)
      slots.append(flight)
    }
    joinable.insert(Joinable(range: range, slot: slot), at: indexInJoinable(after: range.lowerBound))
    count += 1
    return FlightID(number: lastFlight, slot: slot)
  }

  /// Makes the flight in `slot` bring `range` to the request of `plan`.
  private mutating func enter(
    _ slot: Int, _ range: ByteRange, _ purpose: ReadUrgency.Purpose, _ waiter: Waiter?, startedAfter before: UInt64,
    _ plan: inout FlightPlan
  ) {
    let id = FlightID(number: slots[slot].number, slot: Int32(slot))
    plan.parts.append(.init(flight: id, range: range))
    guard slots[slot].waiters.enter(plan.waiter, waiter), id.number <= before else { return }
    plan.joinedCount += 1
    if purpose == .demand, slots[slot].purpose == .prefetch {
      slots[slot].purpose = .demand
      plan.raised.append(id)
    }
  }

  // MARK: Tables

  func isUnderWay(_ id: FlightID) -> Bool {
    Int(id.slot) < slots.count && slots[Int(id.slot)].number == id.number
  }

  private mutating func removeFromJoinable(_ range: ByteRange) {
    joinable.remove(at: indexInJoinable(after: range.lowerBound))
  }

  private mutating func detachJoinable() {
    for place in joinable { slots[Int(place.slot)].standing = .detached }
    joinable.removeAll(keepingCapacity: true)
  }

  /// Tables of up to this size are kept for the next flights, some 6 KiB. Larger ones, left by a burst, are freed.
  private static var slotsKept: Int { 64 }

  private mutating func forgetSlots() {
    slots = []
    freeSlots = []
    joinable = []
  }
}
