import RangeIO

/// An open store of blocks on disk.
///
/// Offsets are multiples of a block's size, in a source of which the store has some blocks. One task at a time calls.
protocol SpillPeer: Sendable {
  /// Writes blocks that follow each other from `offset` on; returns when it has taken all of them, dropping none.
  func write(_ blocks: ArraySlice<Bytes>, at offset: Int) async throws

  /// Returns when all that was written is as safe as the store was opened for.
  func flush() async throws

  /// The same as `write` and `flush`, in whatever way is fast: not measured.
  func fill(_ blocks: ArraySlice<Bytes>, at offset: Int) async throws

  /// All bytes of a block, to be compared; nil if the store does not have it.
  func bytes(at offset: Int, count: Int) async throws -> Bytes?

  /// Reads blocks of `size` bytes, all there, each into memory of its own. Checks count and first word of each.
  func read(_ offsets: [Int], size: Int) async throws -> Outcome

  /// Looks up blocks of which none is there, and checks that.
  func miss(_ offsets: [Int], size: Int) async throws -> Outcome

  /// Closes it so that it can be opened again.
  func close() async throws
}

extension SpillPeer {
  func fill(_ blocks: ArraySlice<Bytes>, at offset: Int) async throws {
    try await write(blocks, at: offset)
    try await flush()
  }
}

/// A store that is asked for one block at a time, as by a cache above it.
protocol SpillPointReader: SpillPeer, PointReader {
  /// Whether the block at `offset` is not there.
  nonisolated(nonsending) func lacks(_ offset: Int, count: Int) async throws -> Bool
}

extension SpillPointReader {
  func read(_ offsets: [Int], size: Int) async throws -> Outcome { try await run(offsets, size, 1) }

  @concurrent func miss(_ offsets: [Int], size: Int) async throws -> Outcome {
    let clock = ContinuousClock()
    let start = clock.now
    for offset in offsets {
      guard try await lacks(offset, count: size) else { throw Unexpected(offset: offset) }
    }
    return Outcome(elapsed: clock.now - start)
  }
}

/// A store has what nobody gave it.
struct Unexpected: Error, CustomStringConvertible {
  let offset: Int

  var description: String { "a block at \(offset) was found that nobody wrote" }
}
