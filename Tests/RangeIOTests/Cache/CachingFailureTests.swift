import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What fails, and who is told.
@Suite(.simulated) struct CachingFailureTests {
  private let store = MemoryStore(limit: .mebibytes(1))

  private func reader(_ source: some RangeSource, _ fill: ReadPipeline.CacheFill = .exact) async throws -> RangeReader {
    try await RangeReader(source, [.caching(store, fill: fill, blockSize: .kibibytes(4))])
  }

  /// Reads `range`, and returns once it has looked for it in the store: it runs without a break from there to where it
  /// waits for a flight, its own or another's.
  private func begin(_ reader: RangeReader, _ range: ByteRange = 0..<10) async -> Task<Bool, any Error> {
    let misses = store.missCount
    let read = start { try await reader.isRight(range) }
    await quiet()
    #expect(store.missCount > misses)
    return read
  }

  @Test func `its own failure is thrown, and what was reserved comes back`() async throws {
    let source = FaultySource(SyntheticSource(byteCount: 100_000)) { number, _ in number < 3 ? .fail(Refusal.no) : nil }
    let reader = try await reader(source)
    for _ in 0..<3 {
      await #expect(throws: Refusal.no) { try await reader.read(0..<5000) }
      #expect(store.isQuiet)
    }
    #expect(try await reader.isRight(0..<5000))
    #expect(source.readCount == 4)
  }

  /// Some of its bytes cannot be read.
  private struct BadSector: RangeSource {
    static let bad = 50_000..<51_000
    let error: ReadError
    let right = SyntheticSource(byteCount: 1 << 20)

    func describe() async throws -> SourceDescription { try await right.describe() }

    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      guard !range.overlaps(Self.bad) else { throw error }
      return try await right.read(range, of: source)
    }

    func close() async {}
  }

  @Test(arguments: [ReadPipeline.CacheFill.exact, .requestedFirst, .block, .automatic], [false, true])
  func `bytes that can be read are read, though others of their blocks cannot`(
    fill: ReadPipeline.CacheFill, isFar: Bool
  )
    async throws
  {
    let digest = ReadError(.corrupted, "a wrong digest, as Verifying finds it", isTransient: true)
    for error in [ReadError(.inputOutput, "a bad sector"), digest] {
      let store = MemoryStore(limit: .mebibytes(4))
      let reader = try await RangeReader(
        BadSector(error: error), [.caching(store, fill: fill), isFar ? .merging() : []])
      for _ in 0..<2 {
        for range in [0..<1000, 40_000..<50_000, 51_000..<51_001, 60_000..<140_000] {
          #expect(try await reader.isRight(range))
        }
        await #expect(throws: (any Error).self) { try await reader.read(50_999..<51_100) }
        let several = [0..<10, 45_000..<45_010, 52_000..<52_010]
        for (range, bytes) in zip(several, try await reader.read(several)) {
          #expect(bytes == SyntheticSource.bytes(range))
        }
      }
      #expect(store.isQuiet && MemoryRecount(store).faults == [])
      await reader.close()
    }
  }

  @Test(arguments: [ReadError.Code.closed, .sourceChanged, .invalidResponse, .timedOut])
  func `what concerns the source is not tried again with less`(code: ReadError.Code) async throws {
    let source = FaultySource(SyntheticSource(byteCount: 100_000)) { _, _ in .fail(ReadError(code, "no")) }
    let reader = try await reader(source, .block)
    let error = await #expect(throws: ReadError.self) { try await reader.read(0..<10) }
    #expect(error?.code == code && source.readCount == 1)
  }

  @Test(arguments: [-1, 1])
  func `an answer of the wrong length is never returned`(by: Int) async throws {
    let source = FaultySource(SyntheticSource(byteCount: 100_000)) { number, _ in
      number > 0 ? nil : by < 0 ? .short(by: 1) : .long(by: 1)
    }
    let reader = try await reader(source, .block)
    let error = await #expect(throws: ReadError.self) { try await reader.read(0..<10) }
    #expect(error?.code == .invalidResponse)
    #expect(store.cachedRanges(of: reader.source) == [])
    #expect(store.isQuiet)
    #expect(try await reader.isRight(0..<10))
  }

  @Test func `a failure wakes all who wait, and each tries again by itself, together`() async throws {
    let source = HeldSource()
    let reader = try await reader(source)
    let first = await begin(reader)
    await quiet()
    #expect(source.waiting.count == 1)
    var others: [Task<Bool, any Error>] = []
    for _ in 0..<50 { others.append(await begin(reader)) }
    source.letGo(throwing: Refusal.no)
    await #expect(throws: Refusal.no) { try await first.value }
    await quiet()
    #expect(source.waiting.count == 1)
    source.hold(false)
    for other in others { #expect(try await other.value) }
    #expect(source.asked.count == 2, "one began again and the others joined")
    #expect(store.isQuiet)
  }

  @Test func `a read that tried again is told of the second failure`() async throws {
    let source = HeldSource()
    let reader = try await reader(source)
    let first = await begin(reader)
    await quiet()
    #expect(source.waiting.count == 1)
    var others: [Task<Bool, any Error>] = []
    for _ in 0..<50 { others.append(await begin(reader)) }
    source.letGo(throwing: Refusal.no)
    await #expect(throws: Refusal.no) { try await first.value }
    await quiet()
    #expect(source.waiting.count == 1)
    // Waits for those who were woken later than the one who began again.
    let misses = 51 + 50
    await quiet()
    #expect(store.missCount == misses)
    while source.letGo(throwing: Refusal.no) {}
    for other in others { await #expect(throws: Refusal.no) { try await other.value } }
    #expect(source.asked.count == 2)
    #expect(store.isQuiet)
  }

  @Test func `a failure in one gap cancels what was begun for the others`() async throws {
    let source = HeldSource()
    let reader = try await reader(source)
    source.hold(false)
    _ = try await reader.read(100..<200)
    source.hold(true)
    let read = await begin(reader, 0..<300)
    await quiet()
    #expect(source.waiting.count == 2)
    source.letGo(throwing: Refusal.no)
    await #expect(throws: Refusal.no) { try await read.value }
    await quiet()
    #expect(source.cancellations == 1 && store.isQuiet)
    #expect(store.cachedRanges(of: reader.source) == [100..<200])
  }

  // MARK: closing

  @Test(arguments: [false, true])
  func `those who wait for a flight of a reader that closes get their bytes`(isPrompt: Bool) async throws {
    let sources = (0..<2).map { _ in HeldSource(isPrompt: isPrompt) }
    let (one, other) = (try await reader(sources[0]), try await reader(sources[1]))
    let first = await begin(one)
    await quiet()
    #expect(sources[0].waiting.count == 1)
    let second = await begin(other)
    await one.close()
    let error = await #expect(throws: ReadError.self) { try await first.value }
    #expect(error?.code == .closed)
    await quiet()
    #expect(sources[1].waiting.count == 1)
    sources[1].hold(false)
    #expect(try await second.value)
    #expect(sources.map(\.asksAfterClose) == [0, 0])
    #expect(store.isQuiet)
  }

  @Test func `however many readers close, others that wait for their flights get their bytes`() async throws {
    let sources = (0..<5).map { _ in HeldSource() }
    var readers: [RangeReader] = []
    for source in sources { readers.append(try await reader(source)) }
    var reads = [await begin(readers[0])]
    await quiet()
    #expect(sources[0].waiting.count == 1)
    for reader in readers.dropFirst() { reads.append(await begin(reader)) }
    // Who began closes, and another begins again, until one is left.
    for _ in 0..<4 {
      await quiet()
      #expect(sources.contains { !$0.waiting.isEmpty && !$0.isClosed })
      let flying = sources.firstIndex { !$0.waiting.isEmpty && !$0.isClosed }!
      let expected = store.missCount
      await readers[flying].close()
      let error = await #expect(throws: ReadError.self) { try await reads[flying].value }
      #expect(error?.code == .closed)
      await quiet()
      #expect(store.missCount > expected)
    }
    await quiet()
    #expect(sources.contains { !$0.waiting.isEmpty && !$0.isClosed })
    let last = sources.firstIndex { !$0.isClosed }!
    sources[last].hold(false)
    #expect(try await reads[last].value)
    #expect(sources.allSatisfy { $0.asksAfterClose == 0 })
  }

  @Test func `a reader that closes answers its reads at once, whosever flight they wait for`() async throws {
    let sources = (0..<2).map { _ in HeldSource() }
    let (one, other) = (try await reader(sources[0]), try await reader(sources[1]))
    let first = await begin(one)
    await quiet()
    #expect(sources[0].waiting.count == 1)
    let second = await begin(other)
    await other.close()
    let error = await #expect(throws: ReadError.self) { try await second.value }
    #expect(error?.code == .closed)
    #expect(sources[1].isClosed)
    sources[0].hold(false)
    #expect(try await first.value)
    #expect(sources[1].asked.isEmpty)
  }

  @Test func `a stage below is not closed before the flights through it have completed`() async throws {
    let events = Noted<String>()
    struct Lingering: ReadStage {
      let events: Noted<String>
      let gate: HeldSource
      func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
        do { return try await next(request) } catch {
          // Cleans up for a while, whatever happened.
          _ = try? await gate.read(0..<1, of: gate.description)
          events.add("read")
          throw error
        }
      }
      func close() async { events.add("close") }
    }
    let sources = (0..<2).map { _ in HeldSource() }
    let gate = HeldSource()
    let one = try await RangeReader(
      sources[0],
      [.caching(store, fill: .exact, blockSize: .kibibytes(4)), .stage(Lingering(events: events, gate: gate))])
    let other = try await reader(sources[1])
    let first = start { try await one.isRight(0..<10) }
    await quiet()
    #expect(sources[0].waiting.count == 1)
    let second = await begin(other)
    // Nobody of the first reader waits for the flight any more, but somebody of the second does.
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    let closing = start { await one.close() }
    await quiet()
    #expect(gate.waiting.count == 1)
    #expect(events.all == [])
    gate.hold(false)
    await closing.value
    #expect(events.all == ["read", "close"])
    sources[1].hold(false)
    #expect(try await second.value)
  }

  @Test func `a reader that is dropped lets go of its version, and its flights complete`() async throws {
    let source = HeldSource()
    var reader: RangeReader? = try await reader(source, .requestedFirst)
    weak let dropped = reader
    let read = start { [reader] in try await reader!.isRight(0..<10) }
    await quiet()
    #expect(source.waiting.count == 1)
    let token = store.sources.all[0]
    #expect(!token.isUnread)
    reader = nil
    source.letGo()
    #expect(try await read.value)
    await quiet()
    #expect(source.waiting.count == 1)
    source.hold(false)
    await quiet()
    #expect(store.isQuiet && dropped == nil)
    #expect(token.isUnread)
    #expect(token.isAlive, "the version may be read again")
    #expect(store.contains(0..<4096, of: source.description))
  }
}
