import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Sources that read through another reader on the same store.
@Suite(.timeLimit(.minutes(5))) struct CachingNestedReadersTests {
  /// Shows what another reader reads, under an id of its own or as what that reads.
  private final class Showing: RangeSource {
    private let reader: RangeReader
    private let id: String?

    init(_ reader: RangeReader, id: String?) {
      self.reader = reader
      self.id = id
    }

    func describe() async throws -> SourceDescription {
      guard let id else { return reader.source }
      return SourceDescription(
        id: id, validator: HeldSource.Version(number: 0), byteCount: reader.byteCount)
    }

    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      try await reader.read(range)
    }
  }

  private func reader(_ source: some RangeSource, _ store: any ChunkStore) async throws -> RangeReader {
    try await RangeReader(source, [.caching(store, blockSize: .kibibytes(4))])
  }

  /// Two stores may share their turns, as all do that share their sources.
  @Test(arguments: [true, false]) func `reads without room do not wait for turns that wait for them`(isOneStore: Bool)
    async throws
  {
    let shared = ChunkSources()
    let below: any ChunkStore = isOneStore ? MemoryStore(limit: .bytes(0)) : NoStore(shared)
    let inner = try await reader(SyntheticSource(byteCount: 1 << 20), below)
    let source = GatedSource(Showing(inner, id: "outer"))
    let outer = try await reader(source, isOneStore ? below : NoStore(shared))
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for block in 0..<12 { group.addTask { try await outer.isRight(block * 4096..<block * 4096 + 10) } }
      // All turns are taken before one read below asks for its own.
      await source.arrivals(4)
      source.open()
      for try await isRight in group { #expect(isRight) }
    }
  }

  @Test func `nor for those of reads that others have begun`() async throws {
    let store = MemoryStore(limit: .bytes(0))
    let inner = try await reader(SyntheticSource(byteCount: 1 << 20), store)
    let source = GatedSource(Showing(inner, id: "outer"))
    let outer = try await reader(source, store)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for block in 0..<4 { group.addTask { try await outer.isRight(block * 4096..<block * 4096 + 10) } }
      await source.arrivals(4)
      // Somebody else wants what they will want, and waits for a turn.
      let other = Promise<Bool>()
      BackgroundWork().start {
        do { other.resolve(.success(try await inner.isRight(0..<16_384))) } catch { other.fail(error) }
      }
      source.open()
      for try await isRight in group { #expect(isRight) }
      #expect(try await other.value())
    }
  }

  @Test func `a read within the flight that is to bring its bytes goes past the store`() async throws {
    for limit in [ByteCount.bytes(0), .mebibytes(1)] {
      let store = MemoryStore(limit: limit)
      let source = SyntheticSource(byteCount: 1 << 20)
      let inner = try await reader(source, store)
      let outer = try await reader(Showing(inner, id: nil), store)
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for block in 0..<12 { group.addTask { try await outer.isRight(block * 2048..<block * 2048 + 5000) } }
        for try await isRight in group { #expect(isRight) }
      }
      #expect(store.isQuiet)
    }
  }
}

extension CachingNestedReadersTests {
  /// Shows what a reader of its own reads, which it opens while it is read.
  private final class Opening: RangeSource {
    private let reader = Locked<RangeReader?>(nil)
    private let configuration: RangeReader.Configuration

    init(_ configuration: RangeReader.Configuration) { self.configuration = configuration }

    func describe() async throws -> SourceDescription {
      SourceDescription(id: "outer", validator: HeldSource.Version(number: 0), byteCount: 1 << 20)
    }

    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      let opened = try await RangeReader(SyntheticSource(byteCount: 1 << 20), configuration: configuration)
      reader.withLock { $0 = opened }
      return try await opened.read(range)
    }
  }

  @Test(.simulated) func `what a reader that was opened within a read looks for keeps nothing alive`() async throws {
    weak var dropped: Opening?
    do {
      // It looks for changes for as long as it is there.
      var configuration = Simulation.current!.configuration
      configuration.onChange = .refresh
      let source = Opening(configuration)
      let outer = try await reader(source, MemoryStore(limit: .mebibytes(1)))
      #expect(try await outer.isRight(0..<10))
      dropped = source
    }
    await quiet()
    #expect(dropped == nil)
  }
}

/// Keeps nothing.
private final class NoStore: FullChunkStore {
  let sources: ChunkSources

  init(_ sources: ChunkSources) { self.sources = sources }

  func lookUp(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> ChunkLookup { .miss }
  func coverage(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ByteRange] { [] }
  func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part] { [.init(range, .source)] }
  func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? { nil }
  func insert(
    _ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation
  ) -> Bool { false }
  func cancel(_ reservation: ChunkReservation) {}
  func erase(_ range: ByteRange, of token: ChunkToken) {}
}
