import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Streams of sources of which a part cannot be read.
@Suite(.simulated) struct ByteStreamFailureTests {
  private static let byteCount = 5 << 20
  private static let badSector = ReadError(.inputOutput, "a bad sector")
  /// Made by `.verifying`, which stands below `.retrying`.
  private static let wrongDigest = ReadError(.corrupted, "a wrong digest", isTransient: true)

  private typealias Faulty = FaultySource<SyntheticSource>
  /// byteCount: that of the bytes handed out; `nil` if one of them is wrong.
  private typealias Outcome = (byteCount: Int?, pieces: [Int], error: (any Error)?)

  private func stream(_ reader: RangeReader, chunkSize: ByteCount = .kibibytes(256)) async -> Outcome {
    var (pieces, count, isRight) = ([Int](), 0, true)
    do {
      for try await piece in reader.stream(chunkSize: chunkSize) {
        isRight = isRight && piece == SyntheticSource.bytes(count..<count + piece.count)
        count += piece.count
        pieces.append(piece.count)
      }
      return (isRight ? count : nil, pieces, nil)
    } catch {
      return (isRight ? count : nil, pieces, error)
    }
  }

  /// A source that fails where `bad` is read.
  private func source(_ bad: ByteRange, _ error: ReadError, _ failures: Tally = Tally()) -> Faulty {
    FaultySource(SyntheticSource(byteCount: Self.byteCount)) { _, range in
      guard range.overlaps(bad) else { return nil }
      failures.change(by: 1)
      return .fail(error)
    }
  }

  @Test(arguments: [0, 1, 4096, 262_143, 700_001, 1_048_575, 1_048_576, 3_141_592, byteCount - 1], [1000, 262_144])
  func `all bytes before the first that cannot be read are handed out, and then the error`(start: Int, chunkSize: Int)
    async throws
  {
    let failures = Tally()
    let bad = start..<min(start + 4096, Self.byteCount)
    let source = source(bad, Self.badSector, failures)
    let reader = try await RangeReader(source)
    let (byteCount, pieces, error) = await stream(reader, chunkSize: .bytes(chunkSize))
    #expect(byteCount == start)
    #expect(pieces.dropLast().allSatisfy { $0 == chunkSize } && (pieces.last ?? 1) <= chunkSize)
    #expect((error as? ReadError)?.code == .inputOutput)
    // Six windows and 80 parts at most. Of those a window, the next, and five parts fail.
    #expect(source.readCount <= 86 && failures.now <= 7, "\(source.readCount), \(failures.now)")
    await reader.close()
  }

  @Test(arguments: [ReadPipeline.CacheFill.exact, .requestedFirst, .block, .automatic])
  func `through a cache they are handed out too`(fill: ReadPipeline.CacheFill) async throws {
    let store = MemoryStore(limit: .mebibytes(16))
    let failures = Tally()
    let source = source(700_001..<704_000, Self.badSector, failures)
    let reader = try await RangeReader(source, [.caching(store, fill: fill)])
    for turn in 1...2 {
      let (byteCount, _, error) = await stream(reader)
      #expect(byteCount == 700_001 && (error as? ReadError)?.code == .inputOutput)
      // Of a window, the next, which may be wider, and five parts.
      #expect(failures.now <= 9 * turn, "\(failures.now)")
    }
    #expect(store.isQuiet && MemoryRecount(store).faults == [])
    await reader.close()
  }

  @Test func `what a cache has is handed out, though the source fails`() async throws {
    let isBad = Tally()
    let source = FaultySource(SyntheticSource(byteCount: Self.byteCount)) { _, _ in
      isBad.now > 0 ? .fail(Self.badSector) : nil
    }
    let store = MemoryStore(limit: .mebibytes(16))
    let reader = try await RangeReader(source, [.caching(store, blockSize: .kibibytes(16))])
    _ = try await reader.read(0..<180_000)
    isBad.change(by: 1)
    let (byteCount, _, error) = await stream(reader)
    #expect(byteCount == 180_224 && (error as? ReadError)?.code == .inputOutput)
    await reader.close()
  }

  @Test func `where stages have retried, one part more fails`() async throws {
    let failures = Tally()
    let reader = try await RangeReader(source(700_001..<704_000, Self.wrongDigest, failures))
    let (byteCount, _, error) = await stream(reader)
    // Ten sixteenths of the window.
    #expect(byteCount == 655_360 && (error as? ReadError)?.code == .corrupted)
    #expect(failures.now == 2)
    await reader.close()
  }

  @Test func `a window that can be read in parts is no end`() async throws {
    let source = FaultySource(SyntheticSource(byteCount: Self.byteCount)) { number, _ in
      number == 1 ? .fail(Self.badSector) : nil
    }
    let reader = try await RangeReader(source)
    let (byteCount, pieces, error) = await stream(reader)
    #expect(byteCount == Self.byteCount && error == nil)
    #expect(pieces.allSatisfy { $0 == 262_144 })
    await reader.close()
  }

  @Test(arguments: 1...4) func `bytes that can be read after some failures are handed out, and all that follow`(
    failures: Int
  ) async throws {
    let failed = Tally()
    let source = FaultySource(SyntheticSource(byteCount: Self.byteCount)) { _, range in
      guard range.contains(700_001), failed.now < failures else { return nil }
      failed.change(by: 1)
      return .fail(Self.badSector)
    }
    let reader = try await RangeReader(source)
    let (byteCount, pieces, error) = await stream(reader)
    #expect(byteCount == Self.byteCount && error == nil)
    #expect(pieces.allSatisfy { $0 == 262_144 })
    await reader.close()
  }

  @Test func `what was read before another error is handed out`() async throws {
    let source = FaultySource(SyntheticSource(byteCount: Self.byteCount)) { _, range in
      guard range.contains(400_000) else { return nil }
      return .fail(range.count > 65_536 ? Self.badSector : ReadError(.timedOut, "no"))
    }
    let reader = try await RangeReader(source)
    let (byteCount, _, error) = await stream(reader)
    #expect(byteCount == 393_216 && (error as? ReadError)?.code == .timedOut)
    await reader.close()
  }

  @Test func `a source that fails now and then is given up in the end`() async throws {
    let source = FaultySource(SyntheticSource(byteCount: Self.byteCount)) { number, _ in
      number % 2 == 1 ? .fail(Self.badSector) : nil
    }
    let reader = try await RangeReader(source)
    #expect(await stream(reader).byteCount != nil)
    #expect(source.readCount < 100)
    await reader.close()
  }

  @Test(arguments: [
    ReadError(.closed, "no"), ReadError(.sourceChanged, "no"), ReadError(.limitExceeded, "no"),
    ReadError(.resourcesExhausted, "no"), ReadError(.invalidResponse, "no"), ReadError(.timedOut, "no"),
    ReadError(.inputOutput, "no", isTransient: true),
  ])
  func `what concerns the source, or may be retried, is thrown at once`(error: ReadError) async throws {
    let source = source(700_001..<704_000, error)
    let reader = try await RangeReader(source)
    let outcome = await stream(reader)
    #expect(outcome.byteCount == 0 && (outcome.error as? ReadError)?.code == error.code && source.readCount == 1)
    await reader.close()
  }

  @Test func `what would take long to read again is not`() async throws {
    let long = source(4_000_000..<4_000_001, Self.badSector)
    let reader = try await RangeReader(long)
    let whole = await stream(reader, chunkSize: .mebibytes(16))
    #expect(whole.byteCount == 4_000_000, "what is short is")
    await reader.close()
    let huge = FaultySource(SyntheticSource(byteCount: 10 << 20)) { _, _ in .fail(Self.badSector) }
    let other = try await RangeReader(huge)
    #expect(await stream(other, chunkSize: .mebibytes(16)).error != nil && huge.readCount == 1)
    await other.close()
    let forward = Forward(source: source(700_001..<704_000, Self.badSector))
    let last = try await RangeReader(forward)
    #expect(await stream(last).error != nil && forward.source.readCount == 1)
    await last.close()
  }

  /// A source whose bytes come only one after the other.
  private struct Forward: RangeSource {
    private final class Context: MeasuredCost {
      let fetchSize: Int? = nil
      let extent = Locked(FetchExtent())
      let isReadForward = true
      func measured(insteadOf stated: SourceDescription.Cost) -> SourceDescription.Measurement? { nil }
    }
    let source: Faulty

    func describe() async throws -> SourceDescription {
      let description = try await source.describe()
      return SourceDescription(
        id: description.id, validator: description.validator, byteCount: description.byteCount,
        traits: .with { $0.context = Context() })
    }

    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      try await self.source.read(range, of: source)
    }
  }

  @Test func `a stream that reads parts is cancelled at once, and closed`() async throws {
    for isCancelled in [true, false] {
      let source = HeldSource(byteCount: Self.byteCount, isPrompt: true)
      let reader = try await RangeReader(source)
      let streaming = start { await self.stream(reader) }
      await quiet()
      source.letGo(throwing: Self.badSector)
      await quiet()
      // The windows ahead were given up.
      #expect(source.waiting == [0..<65_536])
      source.letGo()
      await quiet()
      #expect(source.waiting == [65_536..<131_072])
      if isCancelled { streaming.cancel() } else { await reader.close() }
      let outcome = await streaming.value
      #expect(outcome.byteCount == 0)
      #expect(isCancelled ? outcome.error is CancellationError : (outcome.error as? ReadError)?.code == .closed)
      await quiet()
      #expect(source.waiting.isEmpty)
      await reader.close()
    }
  }
}
