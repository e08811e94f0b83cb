/// Those interested in one flight, in the order they came: the waiters themselves when iterated.
///
/// Ids must come in ascending order. The only waiter of a flight allocates nothing. Leaving is a binary search that
/// marks a seat as left; when more than half of the seats are, they are cleared away, so a flight that hangs while
/// readers come and give up keeps no more than twice the seats of those who stay.
package struct FlightWaiters<Waiter>: Sequence {
  fileprivate struct Entry {
    let id: WaiterID
    /// Nil for one who wants the flight to arrive and need not be told, and for one who has left.
    var waiter: Waiter?
    var hasLeft = false
  }

  /// The waiter that came first, until it leaves.
  private var first: Entry?
  private var later: ContiguousArray<Entry> = []
  /// Who has not left, silent ones included.
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// The seats held in memory, left ones included.
  package var seatCount: Int { later.count + (first == nil ? 0 : 1) }

  /// Takes `id` in, with the waiter to hand out at the end or `nil`.
  ///
  /// - Returns: false if it was the last to come in already: it counts once.
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

  /// Lets `id` go.
  ///
  /// - Returns: whether it was there.
  /// - Complexity: O(log n), amortized.
  package mutating func leave(_ id: WaiterID) -> Bool {
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

  package func makeIterator() -> Iterator { Iterator(first: first, later: later.makeIterator()) }
}

extension FlightWaiters: Sendable where Waiter: Sendable {}
extension FlightWaiters.Entry: Sendable where Waiter: Sendable {}
