import Synchronization

/// Removals of a memory store whose memory is not all freed yet. A read that needs room frees more of it, so it does
/// not wait for a removal that has stopped iterating.
final class MemoryRemovals: Sendable {
  private final class Weak: Sendable {
    weak let work: RemovalWork?

    init(_ work: RemovalWork) { self.work = work }
  }

  private let all = Locked<[Weak]>([])
  /// Lets a read that needs room skip the lock if there are no removals.
  private let count = Atomic<Int>(0)

  /// Adds a removal.
  func add(_ work: RemovalWork) {
    all.withLock { all in
      all.removeAll { $0.work == nil }
      all.append(Weak(work))
      count.store(all.count, ordering: .sequentiallyConsistent)
    }
  }

  /// The bytes that are still to be freed.
  var byteCount: Int { works.reduce(0) { $0 + $1.byteCount } }

  /// Frees a part.
  ///
  /// - Returns: the number of bytes; `nil` if nothing was left.
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

/// The chunks of a shard, taken out all at once.
final class DetachedShard: DetachedChunks, @unchecked Sendable {
  // Unchecked: only `RemovalWork` has it, behind its lock.
  private var contents: ShardState
  private var next: Int? = 0
  let byteCount: Int

  init(_ contents: consuming ShardState) {
    byteCount = contents.bytes
    self.contents = contents
  }

  func step() -> (bytes: Int, blocks: Int)? {
    guard let first = next else { return nil }
    var gone = EvictedChunks()
    next = contents.eraseAll(from: first, &gone)
    return (gone.bytes, gone.blocks)
  }
}
