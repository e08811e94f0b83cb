/// The end of what was removed: nothing of it can be found any more, and its memory goes back as this is iterated, when
/// others need the room, or all at once when this is let go.
///
/// ```swift
/// for await progress in store.removeAll() { print("\(progress.removedBytes) of \(progress.totalBytes)") }
/// ```
public struct ChunkRemoval: AsyncSequence, Sendable {
  /// How far it is.
  public struct Progress: Hashable, Sendable {
    /// The bytes given back, as charged.
    public var removedBytes: Int
    /// The bytes to give back in all.
    public var totalBytes: Int
    /// From 0 to 1.
    public var fraction: Double { totalBytes == 0 ? 1 : Double(removedBytes) / Double(totalBytes) }
  }

  private let work: RemovalWork

  /// Of nothing.
  init() { self.init(RemovalWork([]) { _ in }) }

  init(_ work: RemovalWork) { self.work = work }

  /// Goes on where the last one stopped.
  public func makeAsyncIterator() -> Iterator { Iterator(work: work) }

  /// Gives a part back with each element. Never waits, and lets others have a turn in between. Ends early where others
  /// give back what is left.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let work: RemovalWork

    /// How far it is now; `nil` when all is given back.
    public mutating func next() async -> Progress? { await next(isolation: nil) }

    /// How far it is now; `nil` when all is given back.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Progress? {
      guard let progress = work.step()?.progress else { return nil }
      await Task.yield()
      return progress
    }
  }
}

/// Chunks that were taken out of a store all at once, to be given back in steps.
protocol DetachedChunks: AnyObject, Sendable {
  /// What they were charged in all.
  var byteCount: Int { get }

  /// Gives the next chunks back. Called by one thread at a time.
  ///
  /// - Returns: what that freed; `nil` at the end.
  func step() -> (bytes: Int, blocks: Int)?
}

/// What is left of a removal. Ends it when the last reference goes.
final class RemovalWork: Sendable {
  private struct State {
    var parts: [any DetachedChunks]
    var removedBytes = 0
  }
  private let state: Locked<State>
  private let totalBytes: Int
  /// Called under this lock.
  private let freed: @Sendable ((bytes: Int, blocks: Int)) -> Void

  init(_ parts: [any DetachedChunks], _ freed: @escaping @Sendable ((bytes: Int, blocks: Int)) -> Void) {
    totalBytes = parts.reduce(0) { $0 + $1.byteCount }
    state = Locked(State(parts: parts))
    self.freed = freed
  }

  deinit { while step() != nil {} }

  /// The bytes that are left to give back.
  var byteCount: Int { state.withLock { totalBytes - $0.removedBytes } }

  /// Gives a part back.
  ///
  /// - Returns: how much, and how far that is; `nil` if nothing was left.
  func step() -> (bytes: Int, progress: ChunkRemoval.Progress)? {
    // Only those want this lock who want this memory back, so it may be given back under it.
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
