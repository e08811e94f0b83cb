import RangeIO
@_spi(Benchmarks) import RangeIOTiers

/// The library's compressed tier below as little memory as there can be, so that nearly all of what is read once is
/// compressed.
struct TierStore: Sendable {
  let tiers: TieredStore
  let reader: RangeReader
  private let source: TierSource

  /// - Parameter limit: of the compressed tier, in bytes. Default: so much that nothing is evicted from it.
  init(_ blocks: [Bytes], blockSize: Int, limit: Int? = nil) async throws {
    source = TierSource(blocks, blockSize: blockSize, id: "blocks")
    let memory = MemoryStore.Configuration(limit: .bytes(16 * (blockSize + 512)))
    tiers = TieredStore(
      memory: memory, compressed: .bytes(limit ?? blocks.count * blockSize), queueLimit: .mebibytes(64))
    reader = try await RangeReader(source, [.caching(tiers)])
  }

  /// Reads every block of another source of the same bytes, as ``fill()`` does.
  @concurrent func fillAgain() async throws {
    let again = TierSource(source.blocks, blockSize: source.blockSize, id: "again")
    let reader = try await RangeReader(again, [.caching(tiers)])
    try await fill(reader)
    await reader.close()
  }

  /// Reads every block once.
  @concurrent func fill() async throws { try await fill(reader) }

  /// Reads every block once, no faster than what is evicted is compressed; returns when all is.
  private func fill(_ reader: RangeReader) async throws {
    let size = source.blockSize
    for block in 0..<source.blocks.count {
      _ = try await reader.read(block * size..<(block + 1) * size)
      if block % 8 == 7 { await drain(to: 4 << 20) }
    }
    await drain(to: 0)
    guard tiers.statistics().count("dropped", of: "memory queue") == 0 else { throw Missed(offset: nil) }
  }

  /// Waits until no more than so many bytes are on their way.
  func drain(to bytes: Int) async {
    // Asleep: the other core belongs to what is measured.
    while tiers.statistics().count("bytes", of: "memory queue") > bytes {
      try? await Task.sleep(for: .microseconds(100))
    }
  }
}
