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
