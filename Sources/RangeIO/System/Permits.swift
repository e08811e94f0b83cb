/// A bounded number of permits, given in the order they were asked for.
package final class Permits: Sendable {
  private struct State {
    var free: Int
    var queue: [OneAnswer<Void>] = []
  }
  private let state: Locked<State>

  package init(_ count: Int) { state = Locked(State(free: count)) }

  /// Those who wait for a permit.
  package var waiterCount: Int { state.withLock { $0.queue.count } }

  /// Waits for a permit, which ``leave()`` gives back. Throws when cancelled, or when `list` is failed.
  package func enter(_ list: WaitingList) async throws {
    let answer = state.withLock { state -> OneAnswer<Void>? in
      if state.free > 0 {
        state.free -= 1
        return nil
      }
      let answer = OneAnswer<Void>()
      state.queue.append(answer)
      return answer
    }
    guard let answer else { return }
    do {
      try await list.wait(for: answer)
    } catch {
      state.withLock { state in state.queue.removeAll { $0 === answer } }
      throw error
    }
  }

  /// Gives a permit back: to the first who waits and has not given up, else to whoever comes.
  package func leave() {
    while true {
      let next = state.withLock { state -> OneAnswer<Void>? in
        if state.queue.isEmpty {
          state.free += 1
          return nil
        }
        return state.queue.removeFirst()
      }
      guard let next else { return }
      if next.resolve(.success(())) { return }
    }
  }
}
