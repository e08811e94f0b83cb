import Synchronization

/// The bytes that sources hold for reads to come, beside all stores: one bound for all sources of a process. When it is
/// reached, the oldest are dropped. Dropped bytes are read again when they are needed.
package final class SourceMemory: Sendable {
  /// The bytes that one of them holds. When it ends, it gives everything back.
  package final class Part: Sendable {
    private let memory: SourceMemory
    fileprivate let drop: @Sendable () -> Void
    /// Its place in the order; accessed only under the lock of `memory`.
    fileprivate let number = Atomic<Int>(-1)

    /// - Parameter drop: releases the bytes, on any thread. They count no more when it is called.
    package init(in memory: SourceMemory = .shared, drop: @escaping @Sendable () -> Void) {
      self.memory = memory
      self.drop = drop
    }

    deinit { memory.hold(0, by: nil, insteadOf: number.load(ordering: .relaxed)) }

    /// It holds this many bytes now, and is the newest: others are dropped if that is too much, or itself if it alone is. Do
    /// not call under a lock that a `drop` takes.
    package func hold(_ bytes: Int) { memory.hold(bytes, by: self, insteadOf: nil) }
  }

  private struct State {
    private var held: [Int: (part: Weak, bytes: Int)] = [:]
    /// All numbers below have left.
    private var first = 0
    private var next = 0
    private(set) var sum = 0

    private struct Weak { weak var part: Part? }

    mutating func remove(_ number: Int) {
      sum -= held.removeValue(forKey: number)?.bytes ?? 0
      while first < next, held[first] == nil { first += 1 }
    }

    /// `number` holds this many bytes now, if it is the newest already.
    mutating func replaceNewest(_ number: Int, _ bytes: Int) -> Bool {
      guard number == next - 1, let before = held[number]?.bytes else { return false }
      held[number]?.bytes = bytes
      sum += bytes - before
      return true
    }

    mutating func append(_ part: Part, _ bytes: Int) {
      held[next] = (Weak(part: part), bytes)
      part.number.store(next, ordering: .relaxed)
      next += 1
      sum += bytes
    }

    /// Removes the oldest parts until no more than `limit` is held.
    mutating func reduce(to limit: Int) -> [Part] {
      var removed: [Part] = []
      while sum > limit, first < next {
        if let part = held[first]?.part.part { removed.append(part) }
        remove(first)
      }
      return removed
    }
  }
  private let state = Locked(State())
  private let limit: Int
  private let room: MemoryRoom
  /// The bytes charged for each part in addition, so that a bound on bytes bounds their number.
  private static let each = 512

  init(limit: ByteCount, room: MemoryRoom) {
    self.limit = limit.bytes
    self.room = room
  }

  deinit { room.give(byteCount) }

  /// The bytes held, with the bookkeeping of each part.
  package var byteCount: Int { state.withLock { $0.sum } }

  /// - Parameter number: the place that was `part`'s; `nil`: it knows.
  private func hold(_ bytes: Int, by part: Part?, insteadOf number: Int?) {
    let (growth, dropped) = state.withLock { state -> (Int, [Part]) in
      let before = state.sum
      let number = number ?? part?.number.load(ordering: .relaxed) ?? -1
      let charge = min(bytes, .max / 2) + Self.each
      if bytes == 0 || !state.replaceNewest(number, charge) {
        state.remove(number)
        if let part, bytes > 0 { state.append(part, charge) }
      }
      let dropped = state.reduce(to: limit)
      return (state.sum - before, dropped)
    }
    if growth > 0 { room.charge(growth) } else { room.give(-growth) }
    for part in dropped { part.drop() }
  }
}
