import Synchronization

/// An account of how much of a limit is taken: of memory, of a count, or of a disk.
///
/// Everything is taken before it is used and given back after it is released. So the sum never exceeds the limit,
/// except for the moment after the limit was lowered.
package struct Ledger: ~Copyable, Sendable {
  private let limitValue: Atomic<Int>
  private let sum = Atomic<Int>(0)
  private let mostTaken = Atomic<Int>(0)

  package init(limit: Int) { limitValue = Atomic(limit) }

  package var limit: Int {
    get { limitValue.load(ordering: .relaxed) }
    nonmutating set { limitValue.store(newValue, ordering: .relaxed) }
  }
  package var taken: Int { sum.load(ordering: .relaxed) }
  /// The most that was ever taken, as far as it was noted.
  package var peak: Int { mostTaken.load(ordering: .relaxed) }

  /// Takes this much, or nothing. Returns `true` if there was room.
  package borrowing func take(_ amount: Int) -> Bool {
    guard take(amount, upTo: limit) else { return false }
    notePeak()
    return true
  }

  /// Takes this much, or nothing, for a caller that has another limit, and that notes the peak if it keeps it.
  package borrowing func take(_ amount: Int, upTo most: Int) -> Bool { sum.take(amount, upTo: most) }

  /// Takes this much even beyond the limit; gives back if negative.
  package borrowing func charge(_ amount: Int) {
    sum.wrappingAdd(amount, ordering: .relaxed)
    notePeak()
  }

  /// In one order with a ``Notifier``'s mark, which the caller asks next.
  package borrowing func give(_ amount: Int) { sum.wrappingSubtract(amount, ordering: .sequentiallyConsistent) }

  package borrowing func notePeak() { mostTaken.max(taken, ordering: .relaxed) }
}
