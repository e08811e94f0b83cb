import RangeIO

/// What many programs have instead of a cache: a dictionary in an actor. A look-up for several blocks is one call.
struct DictionaryPeer: PointReader {
  private let dictionary: BlockDictionary

  init(_ blocks: some Sequence<(Int, Bytes)>) {
    dictionary = BlockDictionary(Dictionary(uniqueKeysWithValues: blocks.lazy.map { ($0, $1) }))
  }

  func variant() -> Variant {
    Variant(label: "[Int: Bytes], one actor") { job in
      guard case .reads(let offsets, let size, let concurrency) = job else { preconditionFailure("a job of reads") }
      return try await Self.runInMemory([self], offsets, size, concurrency)
    }
  }

  nonisolated(nonsending) func read(at offset: Int, count: Int) async throws -> Piece {
    guard let bytes = await dictionary.bytes(offset..<offset + count) else { throw Missed(offset: offset) }
    return bytes.sampledPiece(at: offset)
  }
}

private actor BlockDictionary {
  private let blocks: [Int: Bytes]

  init(_ blocks: [Int: Bytes]) { self.blocks = blocks }

  func bytes(_ range: ByteRange) -> Bytes? {
    let wanted = range.blocks
    guard wanted.count > 1 else { return blocks[wanted.lowerBound] }
    let parts = wanted.compactMap { blocks[$0] }
    return parts.count == wanted.count ? Bytes(concatenating: parts) : nil
  }
}
