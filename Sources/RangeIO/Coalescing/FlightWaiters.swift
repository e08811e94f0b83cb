/// The requests interested in one flight, in order of arrival. Iterating yields the waiters themselves.
///
/// Ids must come in ascending order. The only waiter of a flight allocates nothing. Leaving is a binary search that
/// marks a seat as left; when more than half of the seats are marked, they are removed. So a flight that hangs while
/// readers come and give up keeps no more than twice the seats of those who stay.
struct FlightWaiters<Waiter>: Sequence {
  fileprivate struct Entry {
    let id: WaiterID
    /// `nil` for a request that wants the flight to arrive but needs no notification, and for one that has left.
    var waiter: Waiter?
    var hasLeft = false
  }

  /// The first waiter, until it leaves.
  private var first: Entry?
  private var later: ContiguousArray<Entry> = []
  /// The number of requests that have not left, including silent ones.
  package private(set) var count = 0

  init() {}

  package var isEmpty: Bool { count == 0 }

  /// The number of seats in memory, including left ones.
  var seatCount: Int { later.count + (first == nil ? 0 : 1) }

  /// Adds `id`, with its waiter or `nil`.
  ///
  /// - Returns: `false` if `id` was the last one added: it counts once.
  /// - Complexity: O(1), amortized.
  package mutating func enter(_ id: WaiterID, _ waiter: Waiter?) -> Bool {
    let last = later.last?.id ?? first?.id
    if let last, last >= id {
      precondition(last == id, "waiters come in order")
      return false
    }
    let entry = Entry(id: id, waiter: waiter)
    if first == nil, later.isEmpty { first = entry } else { later.append(entry) }
    count += 1
    return true
  }

  /// Removes `id`.
  ///
  /// - Returns: `true` if it was there.
  /// - Complexity: O(log n), amortized.
  mutating func leave(_ id: WaiterID) -> Bool {
    if first?.id == id {
      first = nil
    } else {
      let index = later.partitionPoint { $0.id >= id }
      guard index < later.count, later[index].id == id, !later[index].hasLeft else { return false }
      later[index] = Entry(id: id, waiter: nil, hasLeft: true)
    }
    count -= 1
    if later.count > 2 * count { later.removeAll { $0.hasLeft } }
    return true
  }

  package struct Iterator: IteratorProtocol {
    fileprivate var first: Entry?
    fileprivate var later: IndexingIterator<ContiguousArray<Entry>>

    package mutating func next() -> Waiter? {
      if let entry = first {
        first = nil
        if let waiter = entry.waiter { return waiter }
      }
      while let entry = later.next() {
        if let waiter = entry.waiter { return waiter }
      }
      return nil
    }
  }

  func makeIterator() -> Iterator { Iterator(first: first, later: later.makeIterator()) }
}

extension FlightWaiters: Sendable where Waiter: Sendable {}

extension FlightWaiters.Entry: Sendable where Waiter: Sendable {}
