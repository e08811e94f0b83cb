/// A read that other reads may be made within. A source may read through another reader, and that one through the same
/// store or the same `.limiting`. The inner read must not wait for what the outer one holds:
///
/// - A flight without a reservation holds a *permit*. It gives the permit up before a read within it waits; otherwise
///   flights could hold all permits while the reads within them wait for one.
/// - The bytes that a flight fetches are read without the store by the reads within it; otherwise the flight would wait
///   for itself.
/// - A read that a `.limiting` has admitted admits the reads within it.
///
/// Known by a task-local value. If a source goes on in a task that does not inherit those, such as a detached one, this is
/// not detected.
final class EnclosingRead: Sendable {
  /// The innermost one of the current task. It may be over.
  @TaskLocal private static var current: EnclosingRead?

  /// Empty when the read is over: work started within it keeps this object for as long as that work runs, which may be as
  /// long as the bytes exist.
  private struct State {
    /// The token of a flight, or the stage that has admitted the read.
    var owner: (any AnyObject & Sendable)?
    /// The end of the pipeline that a flight reads through.
    var bottom: SourceLink?
    var permit: Permits?
  }

  private let outer: EnclosingRead?
  private let state: Locked<State>

  private init(_ state: State, within outer: EnclosingRead?) {
    self.outer = outer
    self.state = Locked(state)
  }

  /// Reads within one that holds something.
  ///
  /// - Parameters:
  ///   - owner: the token of a flight, or the stage that has admitted the read.
  ///   - bottom: for a flight, the end of its pipeline.
  ///   - permit: taken already, and given back at the end unless it was given up.
  nonisolated(nonsending) static func read<Answer>(
    of owner: some AnyObject & Sendable, through bottom: SourceLink? = nil, holding permit: Permits? = nil,
    _ body: nonisolated(nonsending) () async throws -> Answer
  ) async throws -> Answer {
    // Work that a read has started and left behind inherits it.
    let outer = first { _ in true }
    let read = EnclosingRead(State(owner: owner, bottom: bottom, permit: permit), within: outer)
    defer { read.end() }
    return try await $current.withValue(read) { try await body() }
  }

  private func end() {
    // Releases what it held outside of the lock.
    let held = state.withLock { state in
      defer { state = State() }
      return state
    }
    held.permit?.leave()
  }

  /// The innermost one that is not over, and of which `isRight` holds.
  private static func first(where isRight: (borrowing State) -> Bool) -> EnclosingRead? {
    var read = current
    while let one = read, !one.state.withLock({ $0.owner != nil && isRight($0) }) { read = one.outer }
    return read
  }

  /// Checks whether the current task reads within another read.
  static var isUnderWay: Bool { first { _ in true } != nil }

  /// Checks whether the current task reads within a read of `owner`.
  static func isUnderWay(for owner: AnyObject) -> Bool { first { $0.owner === owner } != nil }

  /// Checks whether the current task reads within a flight, and the innermost one reads through the same pipeline.
  static func isFlight(through next: ReadNext) -> Bool {
    first { $0.bottom != nil }?.state.withLock { $0.bottom === next.bottom } ?? false
  }

  /// Gives up the permits of all flights that the current task reads within, because it is about to wait.
  static func giveUpPermits() {
    var read = current
    while let one = read {
      let permit = one.state.withLock { state in
        defer { state.permit = nil }
        return state.permit
      }
      permit?.leave()
      read = one.outer
    }
  }
}
