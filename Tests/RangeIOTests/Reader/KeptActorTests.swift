import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

#if os(Linux)
  /// What a read does on its caller's actor. Everything is resident, so that all of it could be done there.
  struct KeptActorTests {
    private let directory: TemporaryDirectory
    private let caller = OwnActor()

    private static let byteCount = 64 << 20

    init() throws { directory = try TemporaryDirectory() }

    enum Way: String, CaseIterable {
      case whole, suffix, mebibyte, blocks, apart, small, stream, longPieces, shortPieces, snapshot, hint

      func read(_ reader: RangeReader) async throws {
        let byteCount = reader.byteCount
        switch self {
        case .whole: _ = try await reader.read(0..<byteCount)
        case .suffix: _ = try await reader.read(suffix: byteCount - 1)
        case .mebibyte: _ = try await reader.read(1 << 20..<2 << 20)
        case .blocks: _ = try await reader.read(Self.ranges(4096, of: 16_384, every: 16_384))
        case .apart: _ = try await reader.read(Self.ranges(200, of: 65_536, every: 5 * 65_536))
        case .small: _ = try await reader.read(Self.ranges(4096, of: 64, every: 16_000))
        case .stream: for try await _ in reader.stream() {}
        case .longPieces: for try await _ in reader.stream(chunkSize: .mebibytes(24)) {}
        case .shortPieces: for try await _ in reader.stream(chunkSize: .bytes(1000)) {}
        case .snapshot: _ = try await reader.snapshot().read(0..<byteCount)
        case .hint:
          reader.advise(.willNeed, 0..<byteCount)
          _ = try await reader.read(0..<byteCount)
        }
      }

      private static func ranges(_ count: Int, of length: Int, every step: Int) -> [ByteRange] {
        (0..<count).map { $0 * step..<$0 * step + length }
      }
    }

    enum Stages: String, CaseIterable {
      case none, caching, exact, requestedFirst, smallBlocks, secondReads, tiers, merging, timeLimiting, hedging,
        ownFlight
      case readAhead, disk

      func pipeline(_ disk: TieredStore?) -> ReadPipeline {
        let store = MemoryStore(limit: .mebibytes(128))
        return switch self {
        case .none: []
        case .caching: .caching(store)
        case .exact: .caching(store, fill: .exact)
        case .requestedFirst: .caching(store, fill: .requestedFirst)
        case .smallBlocks: .caching(store, blockSize: .kibibytes(4))
        case .secondReads: .caching(store, onSecondRead: true)
        case .tiers: .caching(TieredStore(.init(memory: .mebibytes(8), compressed: .mebibytes(64))))
        case .merging: [.caching(store), .merging()]
        case .timeLimiting: [.timeLimit(.seconds(600)), .caching(store)]
        case .hedging: .hedging()
        case .ownFlight: .stage(OwnFlight())
        case .readAhead: [.readAhead(), .caching(store)]
        case .disk: .caching(disk ?? store)
        }
      }
    }

    /// A stage of the user's that reads by a flight of its own.
    private struct OwnFlight: ReadStage {
      func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
        let answer = Promise<ReadResponse>()
        next.start {
          do { answer.resolve(.success(try await next(request))) } catch { answer.fail(error) }
        }
        return try await answer.value()
      }
    }

    /// A store with a disk tier, of which a reader of the file takes most.
    private func disk(_ stages: Stages) async throws -> TieredStore? {
      guard stages == .disk else { return nil }
      var configuration = DiskConfiguration(directory: directory.path("spill"), limit: .mebibytes(128))
      configuration.keepsFastSources = true
      return try await TieredStore(memory: .mebibytes(8), disk: configuration)
    }

    /// A reader of a file that is resident as a whole.
    private func reader(_ stages: Stages, _ disk: TieredStore?) async throws -> RangeReader {
      let path = try directory.sparseFile("\(stages)", byteCount: Self.byteCount)
      try await settle(path)
      let thread = caller.thread
      @Sendable func noting(_ count: Int) -> Int {
        thread.note(count)
        return count
      }
      let syscalls = Syscalls(
        .init(
          read: { noting(Syscalls.system.call.read($0, $1, $2)) },
          readResident: { noting(Syscalls.system.call.read($0, $1, $2)) },
          readScattered: { descriptor, vectors, offset, _ in
            noting(Syscalls.system.call.readScattered(descriptor, vectors, offset, false))
          }))
      let source = FileSource(path, configuration: TestEngine.configuration(.automatic, syscalls: syscalls))
      return try await RangeReader(source, stages.pipeline(disk))
    }

    @Test(arguments: Stages.allCases, Way.allCases)
    func `no way to read copies more than a mebibyte on its actor in one go`(_ stages: Stages, _ way: Way) async throws
    {
      let disk = try await disk(stages)
      let reader = try await reader(stages, disk)
      // Then from the cache, if there is one.
      for turn in 1...2 {
        let most = try await caller.run { _ in try await way.read(reader) }
        #expect(most.bytes <= LaneThreshold.residentPiece, "\(turn)")
        #expect(most.calls <= LaneThreshold.residentCalls, "\(turn)")
      }
      await reader.close()
      try await disk?.close()
      caller.thread.end()
    }

    /// Stages that look at each byte, and note on which thread.
    enum Looking: CaseIterable {
      case verifying, transforming

      func stage(_ thread: OwnThread) -> ReadPipeline {
        let block = ByteCount.kibibytes(64)
        switch self {
        case .verifying:
          return .verifying(
            blockSize: block, digests: [[UInt8]](repeating: [0], count: byteCount / block.bytes)
          ) {
            thread.note($0.count)
            return [0]
          }
        case .transforming:
          return .decoding(name: "as it is", blockSize: block) {
            thread.note($1.count)
            return $1
          }
        }
      }
    }

    @Test(arguments: Looking.allCases) func `what stages hash and decode beyond 256 KiB, they do elsewhere`(
      _ looking: Looking
    ) async throws {
      let reader = try await RangeReader(SyntheticSource(byteCount: Self.byteCount), looking.stage(caller.thread))
      let few = try await caller.run { _ in _ = try await reader.read(0..<256 << 10) }
      #expect(few.bytes == 256 << 10)
      let many = try await caller.run { _ in _ = try await reader.read(0..<Self.byteCount) }
      #expect(many.bytes == 0)
      await reader.close()
      caller.thread.end()
    }

    /// Has nothing, and counts look-ups on a thread.
    private final class NotingStore: ChunkStore {
      let sources = ChunkSources()
      private let thread: OwnThread
      private let lookUps = Locked(0)
      var lookUpCount: Int { lookUps.withLock { $0 } }

      init(_ thread: OwnThread) { self.thread = thread }

      func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup {
        thread.note(0)
        lookUps.withLock { $0 += 1 }
        return .miss
      }
      func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? { nil }
      func insert(_ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation) -> Bool {
        false
      }
      func cancel(_ reservation: ChunkReservation) {}
      func erase(_ range: ByteRange, of token: ChunkToken) {}
    }

    @Test(arguments: [1, 16, 4096])
    func `no more than 256 blocks are explained on the actor, however small they are`(blockSize: Int) async throws {
      let store = NotingStore(caller.thread)
      let reader = try await RangeReader(
        SyntheticSource(byteCount: 4 << 20), [.caching(store, blockSize: .bytes(blockSize))])
      let few = try await caller.run { _ in _ = try await reader.explain(0..<256 * blockSize) }
      #expect(few.calls == 256 && store.lookUpCount == 256)
      // One more, though it has no more bytes.
      let lower = blockSize / 2
      let many = try await caller.run { _ in
        _ = try await reader.explain(lower..<lower + 256 * blockSize + (blockSize == 1 ? 1 : 0))
      }
      #expect(many.calls == 0 && store.lookUpCount == 256 + 257)
      await reader.close()
      caller.thread.end()
    }

    @Test func `a byte that is decoded from many blocks is explained elsewhere`() async throws {
      let store = NotingStore(caller.thread)
      let reader = try await RangeReader(
        SyntheticSource(byteCount: 4 << 20),
        [.decoding(name: "as it is", blockSize: .mebibytes(2)) { $1 }, .caching(store, blockSize: .kibibytes(4))])
      let one = try await caller.run { _ in _ = try await reader.explain(0..<1) }
      #expect(one.calls == 0 && store.lookUpCount == 512)
      await reader.close()
      caller.thread.end()
    }

    /// By the clock: `RANGEIO_TICKER=5` for five milliseconds. Another task of the actor waits as long as the longest piece
    /// of work takes. What is slow once may be the machine's doing.
    @Test(.enabled(if: TestScale.ticker != nil), arguments: Stages.allCases)
    func `nothing keeps an actor longer than the ticker may wait`(_ stages: Stages) async throws {
      let limit = Duration.milliseconds(TestScale.ticker ?? 0)
      for way in Way.allCases {
        // First from the source, then from the cache, if there is one; and what explaining takes.
        var shortest = [Duration](repeating: .seconds(60), count: 3)
        for _ in 1...3 where shortest.contains(where: { $0 > limit }) {
          let disk = try await disk(stages)
          let reader = try await reader(stages, disk)
          let times = [
            try await caller.run { _ in try await way.read(reader) }.time,
            try await caller.run { _ in try await way.read(reader) }.time,
            try await caller.run { _ in _ = try await reader.explain(0..<Self.byteCount) }.time,
          ]
          shortest = zip(shortest, times).map { min($0, $1) }
          await reader.close()
          try await disk?.close()
        }
        print("figures: \(stages) \(way): \(shortest)")
        for time in shortest { #expect(time <= limit, "\(way)") }
      }
      caller.thread.end()
    }
  }
#endif
