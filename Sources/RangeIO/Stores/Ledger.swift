import Synchronization

/// How much of a limit is taken: of memory, of a count, or of a disk.
///
/// Everything is taken before it is used and given back after it is released. So the sum never exceeds the limit,
/// except for the moment after the limit was lowered.
struct Ledger: ~Copyable, Sendable {
  private let limitValue: Atomic<Int>
  private let sum = Atomic<Int>(0)
  private let mostTaken = Atomic<Int>(0)

  init(limit: Int) { limitValue = Atomic(limit) }

  var limit: Int {
    get { limitValue.load(ordering: .relaxed) }
    nonmutating set { limitValue.store(newValue, ordering: .relaxed) }
  }
  /// What is taken now.
  var taken: Int { sum.load(ordering: .relaxed) }
  /// The most that was ever taken, as far as it was noted.
  var peak: Int { mostTaken.load(ordering: .relaxed) }

  /// Takes this much, or nothing.
  ///
  /// - Returns: whether there was room.
  borrowing func take(_ amount: Int) -> Bool {
    guard take(amount, upTo: limit) else { return false }
    notePeak()
    return true
  }

  /// Takes this much, or nothing, for a caller that has another limit, and that notes the peak if it keeps it.
  borrowing func take(_ amount: Int, upTo most: Int) -> Bool { sum.take(amount, upTo: most) }

  /// Takes this much even beyond the limit; gives back if negative.
  borrowing func charge(_ amount: Int) {
    sum.wrappingAdd(amount, ordering: .relaxed)
    notePeak()
  }

  borrowing func give(_ amount: Int) { sum.wrappingSubtract(amount, ordering: .relaxed) }

  borrowing func notePeak() { mostTaken.max(taken, ordering: .relaxed) }
}
