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

  func add(_ work: RemovalWork) { dropFinished(adding: work) }

  /// Drops the removals that have freed everything.
  private func dropFinished(adding work: RemovalWork? = nil) {
    let seen = all.withLock { all in
      let seen = all.compactMap(\.work)
      all = seen.filter { $0.byteCount > 0 }.map(Weak.init)
      if let work { all.append(Weak(work)) }
      count.store(all.count, ordering: .sequentiallyConsistent)
      return seen
    }
    // The last reference frees what is left: not under the lock.
    withExtendedLifetime(seen) {}
  }

  var byteCount: Int { works.reduce(0) { $0 + $1.byteCount } }

  /// Frees a part. Returns the number of bytes; `nil` if nothing was left.
  func step() -> Int? {
    guard count.load(ordering: .sequentiallyConsistent) > 0 else { return nil }
    for work in works { if let bytes = work.step()?.bytes { return bytes } }
    dropFinished()
    return nil
  }

  private var works: [RemovalWork] { all.withLock { $0.compactMap(\.work) } }
}

/// The rest of a removal: shards that were taken out of a store all at once, to be freed in steps. Releasing the last
/// reference completes it.
final class RemovalWork: Sendable {
  private let shards: Locked<[DetachedShard]>
  private let removedBytes = Atomic<Int>(0)
  private let totalBytes: Int
  /// Called while the lock is held.
  private let freed: @Sendable ((bytes: Int, blocks: Int)) -> Void

  init(_ shards: [DetachedShard], _ freed: @escaping @Sendable ((bytes: Int, blocks: Int)) -> Void) {
    totalBytes = shards.reduce(0) { $0 + $1.byteCount }
    self.shards = Locked(shards)
    self.freed = freed
  }

  deinit { while step() != nil {} }

  var byteCount: Int { totalBytes - removedBytes.load(ordering: .relaxed) }

  /// Frees one part. Returns how many bytes, and the progress after that; `nil` if nothing was left.
  func step() -> (bytes: Int, progress: ChunkRemoval.Progress)? {
    // Only callers that want this memory freed take this lock, so it may be freed while the lock is held.
    shards.withLock { shards in
      while let shard = shards.last {
        guard let step = shard.step() else {
          shards.removeLast()
          continue
        }
        let removed = removedBytes.wrappingAdd(step.bytes, ordering: .relaxed).newValue
        freed(step)
        return (step.bytes, (removed, totalBytes))
      }
      return nil
    }
  }
}

/// The chunks of a shard, taken out all at once.
final class DetachedShard: @unchecked Sendable {
  // Unchecked: only `RemovalWork` has it, behind its lock.
  private var contents: ShardState
  private var next: Int? = 0
  /// The bytes charged for all of them.
  let byteCount: Int

  init(_ contents: consuming ShardState) {
    byteCount = contents.bytes
    self.contents = contents
  }

  /// Frees the next chunks. Returns what that freed; `nil` at the end.
  func step() -> (bytes: Int, blocks: Int)? {
    guard let first = next else { return nil }
    var gone = EvictedChunks()
    next = contents.eraseAll(from: first, &gone)
    return (gone.bytes, gone.blocks)
  }
}
