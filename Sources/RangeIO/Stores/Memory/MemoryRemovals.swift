import Synchronization

/// The removals of a memory store whose memory is not all given back: a read that needs room frees more of it, so that
/// none waits for one who does not go on.
final class MemoryRemovals: Sendable {
  private final class Weak: Sendable {
    weak let work: RemovalWork?

    init(_ work: RemovalWork) { self.work = work }
  }

  private let all = Locked<[Weak]>([])
  /// So that a read that needs room takes no lock where there are none.
  private let count = Atomic<Int>(0)

  /// A removal begins.
  func add(_ work: RemovalWork) {
    all.withLock { all in
      all.removeAll { $0.work == nil }
      all.append(Weak(work))
      count.store(all.count, ordering: .sequentiallyConsistent)
    }
  }

  /// The bytes that are left to give back.
  var byteCount: Int { works.reduce(0) { $0 + $1.byteCount } }

  /// Gives a part back.
  ///
  /// - Returns: the bytes of that; `nil` if nothing was left.
  func step() -> Int? {
    guard count.load(ordering: .sequentiallyConsistent) > 0 else { return nil }
    for work in works { if let bytes = work.step()?.bytes { return bytes } }
    all.withLock { all in
      all.removeAll { $0.work.map { $0.byteCount == 0 } ?? true }
      count.store(all.count, ordering: .sequentiallyConsistent)
    }
    return nil
  }

  private var works: [RemovalWork] { all.withLock { $0.compactMap(\.work) } }
}
