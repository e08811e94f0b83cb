/// The end of a removal, whose chunks can no longer be found. Their memory is freed as this is iterated, when others
/// need the room, or all at once when it is released.
package struct ChunkRemoval: AsyncSequence, Sendable {
  /// The bytes freed so far, as charged, and all that there are to free.
  package typealias Progress = (removedBytes: Int, totalBytes: Int)

  /// Frees one part; `nil` when everything is freed. What it captures frees the rest when it is released.
  private let step: @Sendable () -> Progress?

  /// - Parameter step: by default there is nothing to free.
  package init(step: @escaping @Sendable () -> Progress? = { nil }) { self.step = step }

  package func makeAsyncIterator() -> Iterator { Iterator(step: step) }

  /// Frees one part with each element. Never waits, and yields to other tasks in between. Ends early if others free the
  /// rest.
  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let step: @Sendable () -> Progress?

    package mutating func next() async -> Progress? { await next(isolation: nil) }

    /// Frees the next part and returns the progress; `nil` when everything is freed.
    package mutating func next(isolation actor: isolated (any Actor)?) async -> Progress? {
      guard let progress = step() else { return nil }
      await Task.yield()
      return progress
    }
  }
}
