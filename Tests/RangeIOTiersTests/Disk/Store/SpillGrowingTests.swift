import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Sources that are only added to, with a disk below: what was written before they grew ends where they ended.
struct SpillGrowingTests {
  /// All lengths of one source.
  private struct Recorded: SourceDescription.Validator {
    let byteCount: Int
    var persistentForm: [UInt8]? { [1] }
    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
      guard let newer = newer as? Recorded else { return .other }
      return newer.byteCount == byteCount ? .same : newer.byteCount > byteCount ? .extends : .other
    }
  }

  private let grid = BlockGrid(blockSize: 4096)!

  private func description(_ byteCount: Int) -> SourceDescription {
    SourceDescription(
      id: "recorded", validator: Recorded(byteCount: byteCount), byteCount: byteCount,
      preferredBlockSize: .kibibytes(4),
      traits: .with { $0.isAppendOnly = true })
  }

  private func chunk(_ token: ChunkToken, _ range: ByteRange, _ store: SpillStore) -> Chunk {
    Chunk(
      ticket: token.ticket(fetchedAt: store.now), block: grid.block(at: range.lowerBound),
      piece: RangedBytes(range, SyntheticSource.bytes(range)))
  }

  /// What of `range` is found, checked.
  private func found(_ range: ByteRange, _ token: ChunkToken, _ store: SpillStore) async throws -> [ByteRange] {
    switch store.lookUp(range, token: token.number, grid: grid) {
    case .miss: return []
    case .hit(let bytes):
      #expect(bytes == SyntheticSource.bytes(range))
      return [range]
    case .partial(let pieces, let held, let gaps):
      var parts: [ByteRange] = []
      for piece in pieces {
        #expect(piece.bytes == SyntheticSource.bytes(piece.range))
        parts.append(piece.range)
      }
      for piece in held {
        #expect(piece.range.lowerBound <= piece.wanted.lowerBound && piece.wanted.upperBound <= piece.range.upperBound)
        #expect(await piece.loader.load {} == SyntheticSource.bytes(piece.range))
        parts.append(piece.wanted)
      }
      #expect(ByteRanges.normalize(parts + gaps) == [range])
      return ByteRanges.normalize(parts)
    }
  }

  @Test(arguments: [false, true]) func `what came after the old end is a gap, staged and written`(isWritten: Bool)
    async throws
  {
    let spill = SimulatedSpill { $0.work = .tasks(BackgroundWork()) }
    let store = try spill.open()
    let (token, _) = store.sources.token(for: description(6000), grid: grid, reading: true)
    for range in [0..<4096, 4096..<6000] { #expect(store.insertDemoted(chunk(token, range, store))) }
    if isWritten { try await store.flush() }
    let (same, _) = store.sources.token(for: description(20_000), grid: grid, reading: false)
    #expect(same === token)
    #expect(try await found(4096..<8192, token, store) == [4096..<6000])
    #expect(try await found(0..<20_000, token, store) == [0..<6000])
    #expect(try await found(5000..<5500, token, store) == [5000..<5500])
    #expect(try await found(6000..<8192, token, store) == [])
    #expect(store.holds(4096..<6000, token: token.number, grid: grid))
    #expect(!store.holds(4096..<8192, token: token.number, grid: grid))
    #expect(!store.holdsSome(of: 6000..<8192, token: token.number, grid: grid))
    let parts = store.explain(4096..<8192, token: token.number, grid: grid)
    #expect(parts.map(\.range) == [4096..<6000, 6000..<8192])
    #expect(parts.last?.origin == .source)
  }

  @Test func `what it knows by its old length takes no block of the new one`() async throws {
    let spill = SimulatedSpill { $0.work = .tasks(BackgroundWork()) }
    let store = try spill.open()
    let (token, _) = store.sources.token(for: description(6000), grid: grid, reading: true)
    #expect(store.insertDemoted(chunk(token, 0..<4096, store)))
    _ = store.sources.token(for: description(20_000), grid: grid, reading: false)
    for range in [4096..<8192, 8192..<12_288] { #expect(!store.insertDemoted(chunk(token, range, store))) }
    try await store.flush()
    #expect(try await found(0..<20_000, token, store) == [0..<4096])
    #expect(store.counts().damaged == 0)
  }

  @Test func `a reader that reads on gets every byte`() async throws {
    let spill = SimulatedSpill { $0.work = .tasks(BackgroundWork()) }
    let store = try spill.open()
    let source = SyntheticSource(byteCount: 6000, isAppendOnly: true)
    let reader = try await RangeReader(
      source, [.caching(store, blockSize: .kibibytes(4))], configuration: .init(onChange: .follow))
    #expect(try await reader.isRight(0..<6000))
    source.grow(by: 14_000)
    _ = try await reader.refresh()
    #expect(try await reader.isRight(4096..<8000))
    try await store.flush()
    #expect(try await reader.isRight(0..<20_000))
    await reader.close()
  }
}
