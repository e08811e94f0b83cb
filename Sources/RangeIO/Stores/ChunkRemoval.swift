/// The end of a removal: frees the memory of the removed chunks.
///
/// The chunks can no longer be found. Their memory is freed as you iterate, when others need the room, or all at once
/// when you release this value.
///
/// ```swift
/// for await progress in store.removeAll() { print("\(progress.removedBytes) of \(progress.totalBytes)") }
/// ```
public struct ChunkRemoval: AsyncSequence, Sendable {
  /// The progress of a removal.
  public struct Progress: Hashable, Sendable {
    /// The bytes freed so far, as charged.
    public var removedBytes: Int
    /// The total number of bytes to free.
    public var totalBytes: Int
    /// The part that is done, from 0 to 1.
    public var fraction: Double { totalBytes == 0 ? 1 : Double(removedBytes) / Double(totalBytes) }
  }

  private let work: RemovalWork

  /// A removal of nothing.
  init() { self.init(RemovalWork([]) { _ in }) }

  init(_ work: RemovalWork) { self.work = work }

  /// Creates an iterator that continues where the last one stopped.
  public func makeAsyncIterator() -> some AsyncIteratorProtocol<Progress, Never> { Iterator(work: work) }

  /// Frees one part with each element. Never waits, and yields to other tasks in between. Ends early if others free the
  /// rest.
  struct Iterator: AsyncIteratorProtocol {
    fileprivate let work: RemovalWork

    mutating func next() async -> Progress? { await next(isolation: nil) }

    /// Frees the next part and returns the progress; `nil` when everything is freed.
    mutating func next(isolation actor: isolated (any Actor)?) async -> Progress? {
      guard let progress = work.step()?.progress else { return nil }
      await Task.yield()
      return progress
    }
  }
}

/// Chunks that were taken out of a store all at once, to be freed in steps.
protocol DetachedChunks: AnyObject, Sendable {
  /// The total number of bytes they were charged.
  var byteCount: Int { get }

  /// Frees the next chunks. Called by one thread at a time.
  ///
  /// - Returns: what that freed; `nil` at the end.
  func step() -> (bytes: Int, blocks: Int)?
}

/// The rest of a removal. Releasing the last reference completes it.
final class RemovalWork: Sendable {
  private struct State {
    var parts: [any DetachedChunks]
    var removedBytes = 0
  }
  private let state: Locked<State>
  private let totalBytes: Int
  /// Called while the lock is held.
  private let freed: @Sendable ((bytes: Int, blocks: Int)) -> Void

  init(_ parts: [any DetachedChunks], _ freed: @escaping @Sendable ((bytes: Int, blocks: Int)) -> Void) {
    totalBytes = parts.reduce(0) { $0 + $1.byteCount }
    state = Locked(State(parts: parts))
    self.freed = freed
  }

  deinit { while step() != nil {} }

  /// The bytes that are still to be freed.
  var byteCount: Int { state.withLock { totalBytes - $0.removedBytes } }

  /// Frees one part.
  ///
  /// - Returns: how many bytes, and the progress after that; `nil` if nothing was left.
  func step() -> (bytes: Int, progress: ChunkRemoval.Progress)? {
    // Only callers that want this memory freed take this lock, so it may be freed while the lock is held.
    state.withLock { state in
      while let part = state.parts.last {
        guard let step = part.step() else {
          state.parts.removeLast()
          continue
        }
        state.removedBytes += step.bytes
        freed(step)
        return (step.bytes, .init(removedBytes: state.removedBytes, totalBytes: totalBytes))
      }
      return nil
    }
  }
}
