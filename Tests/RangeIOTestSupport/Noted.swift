@testable import RangeIO

/// What several tasks and threads note down, in the order they do.
final class Noted<Element: Sendable>: Sendable {
  private let entries = Locked<[Element]>([])
  func add(_ entry: Element) { entries.withLock { $0.append(entry) } }
  var all: [Element] { entries.withLock { $0 } }

  /// What was noted since the last time.
  func takeAll() -> [Element] {
    entries.withLock { entries in
      defer { entries = [] }
      return entries
    }
  }
}

/// Notes what a store evicts.
final class NotedEvictions: EvictionSink {
  private let chunks = Noted<Chunk>()
  func take(_ chunks: ArraySlice<Chunk>) { for chunk in chunks { self.chunks.add(chunk) } }
  func proceed() {}
  func takeAll() -> [Chunk] { chunks.takeAll() }
}

/// A number that goes up and down, and the highest it has been.
final class Tally: Sendable {
  private let state = Locked((now: 0, most: 0))
  func change(by difference: Int) {
    state.withLock { state in
      state.now += difference
      state.most = max(state.most, state.now)
    }
  }
  var now: Int { state.withLock { $0.now } }
  var most: Int { state.withLock { $0.most } }
}
