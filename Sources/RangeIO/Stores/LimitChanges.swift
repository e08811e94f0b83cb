/// The limits of a store that several calls may change at once. A call sets its limits, waits until they are reached,
/// and leaves them as they were if that fails. A value: it says which limits are to be set, and sets none.
///
/// Each call changes what the calls before it have left. A call that fails leaves no trace, whichever calls have begun or
/// ended since. Holds at most the calls that have begun since the oldest one that still waits.
package struct LimitChanges<Limits: Sendable>: Sendable {
  private struct Call {
    let number: Int
    let change: @Sendable (Limits) -> Limits
    var hasReached = false
  }

  /// From before all `calls`.
  private var reached: Limits
  private var calls: [Call] = []
  /// Rises each time that ``limits`` may have changed.
  private(set) var version = 0

  /// - Parameter limits: the limits that the store is made with.
  package init(_ limits: Limits) { reached = limits }

  /// The limits to be set now.
  var limits: Limits { calls.reduce(reached) { $1.change($0) } }

  /// A call begins. Returns its number.
  mutating func begin(_ change: @escaping @Sendable (Limits) -> Limits) -> Int {
    version += 1
    calls.append(Call(number: version, change: change))
    return version
  }

  /// The store holds no more than the limits of the call with this number.
  mutating func succeeded(_ number: Int) {
    guard let index = calls.firstIndex(where: { $0.number == number }) else { return }
    calls[index].hasReached = true
    settle()
  }

  /// The call with this number throws.
  mutating func failed(_ number: Int) {
    version += 1
    calls.removeAll { $0.number == number }
    settle()
  }

  private mutating func settle() {
    let settled = calls.prefix { $0.hasReached }
    reached = settled.reduce(reached) { $1.change($0) }
    calls.removeFirst(settled.count)
  }
}

extension Locked {
  /// Changes limits, and waits until they are reached.
  ///
  /// - Parameters:
  ///   - apply: sets these limits. Called without the lock, so it may be called again with later ones.
  ///   - reach: returns when the store holds no more than the limits that are set.
  /// - Throws: what `reach` throws. The limits are then as they were before.
  package borrowing func change<Limits: Sendable>(
    _ change: @escaping @Sendable (Limits) -> Limits, apply: (Limits) -> Void, reach: () async throws -> Void
  ) async throws where Value == LimitChanges<Limits> {
    let number = withLock { $0.begin(change) }
    set(apply)
    do {
      try await reach()
    } catch {
      withLock { $0.failed(number) }
      set(apply)
      throw error
    }
    withLock { $0.succeeded(number) }
  }

  /// Sets the limits of now. If another call changes them meanwhile, sets those: so the last ones stay.
  package borrowing func set<Limits: Sendable>(_ apply: (Limits) -> Void) where Value == LimitChanges<Limits> {
    var version: Int
    repeat {
      let limits: Limits
      (version, limits) = withLock { ($0.version, $0.limits) }
      apply(limits)
    } while withLock { $0.version } != version
  }
}
