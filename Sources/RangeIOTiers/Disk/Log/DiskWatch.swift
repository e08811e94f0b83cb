package import RangeIO

/// Watches calls in flight that take too long. One timer for all of them, while there are any.
package final class DiskWatch: Sendable {
  /// A call in flight.
  package struct Call: Sendable {
    fileprivate let number: UInt64
  }

  private struct Entry {
    var since: ReadClock.Instant
    var onLate: (@Sendable () -> Void)?
    var onStall: (@Sendable () -> Void)?
  }
  private struct State {
    var calls: [UInt64: Entry] = [:]
    var lastNumber: UInt64 = 0
    var isWatching = false
  }
  private let state = Locked(State())
  private let time: ReadClock
  private let background: BackgroundWork
  private let late: Duration
  private let stall: Duration

  /// - Parameters:
  ///   - late: the time after which a call is late.
  ///   - stall: the time after which it has stalled.
  package init(_ time: ReadClock, _ background: BackgroundWork, late: Duration, stall: Duration) {
    self.time = time
    self.background = background
    self.late = late
    self.stall = stall
  }

  /// A call begins. Each closure is called at most once, from a task, if the call is still in flight by then.
  package func begin(
    onLate: (@Sendable () -> Void)? = nil, onStall: @escaping @Sendable () -> Void
  ) -> Call {
    let now = time.now
    let (number, starts) = state.withLock { state -> (UInt64, Bool) in
      state.lastNumber += 1
      state.calls[state.lastNumber] = Entry(since: now, onLate: onLate, onStall: onStall)
      defer { state.isWatching = true }
      return (state.lastNumber, !state.isWatching)
    }
    if starts {
      background.startElsewhere { [weak self, time, interval = min(late, stall) / 2] in
        while (try? await time.sleep(for: interval)) != nil {
          guard let self, self.look() else { return }
        }
      }
    }
    return Call(number: number)
  }

  /// The call has made progress: its time starts again.
  package func renew(_ call: Call) {
    let now = time.now
    state.withLock { $0.calls[call.number]?.since = now }
  }

  /// The call may take any time until it is renewed. For making many bytes durable.
  package func pause(_ call: Call) {
    state.withLock { $0.calls[call.number]?.since = ReadClock.Instant(nanoseconds: .max) }
  }

  /// The call has ended.
  package func end(_ call: Call) { state.withLock { $0.calls[call.number] = nil } }

  /// - Returns: whether there is anything to watch.
  private func look() -> Bool {
    let now = time.now
    let (due, goesOn) = state.withLock { state -> ([@Sendable () -> Void], Bool) in
      var due: [@Sendable () -> Void] = []
      for number in state.calls.keys.sorted() {
        let age = state.calls[number]!.since.duration(to: now)
        if age >= late, let onLate = state.calls[number]!.onLate {
          due.append(onLate)
          state.calls[number]!.onLate = nil
        }
        if age >= stall, let onStall = state.calls[number]!.onStall {
          due.append(onStall)
          state.calls[number]!.onStall = nil
        }
      }
      state.isWatching = !state.calls.isEmpty
      return (due, state.isWatching)
    }
    for call in due { call() }
    return goesOn
  }

  /// The number of calls in flight.
  package var count: Int { state.withLock { $0.calls.count } }
}
