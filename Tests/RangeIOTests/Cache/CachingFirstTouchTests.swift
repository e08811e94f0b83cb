import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Reads of what is kept only when it is read again, where some of it is there.
struct CachingFirstTouchTests {
  private let source = SyntheticSource(byteCount: 100_000)
  private let store = MemoryStore(limit: .mebibytes(1))

  private func reader() async throws -> RangeReader {
    let reader = try await RangeReader(
      source, [.caching(store, fill: .exact, blockSize: .kibibytes(4), onSecondRead: true)])
    for _ in 0..<2 { _ = try await reader.read(4096..<8192) }
    #expect(store.cachedRanges(of: reader.source) == [4096..<8192])
    return reader
  }

  @Test func `what is there is used, and the rest is not kept`() async throws {
    let reader = try await reader()
    let before = source.bytesRead
    #expect(try await reader.isRight(0..<12_288))
    #expect(source.bytesRead - before == 8192)
    #expect(store.cachedRanges(of: reader.source) == [4096..<8192])
    #expect(try await reader.isRight(0..<12_288))
    #expect(store.cachedRanges(of: reader.source) == [0..<12_288])
  }

  @Test func `and that is what is explained`() async throws {
    let reader = try await reader()
    let parts = try await reader.explain(0..<12_288).parts
    #expect(parts.map(\.range) == [0..<4096, 4096..<8192, 8192..<12_288])
    #expect(parts.map(\.origin) == [.source, .memory, .source])
    for part in [parts[0], parts[2]] {
      #expect(part.reasons.contains { $0.origin == .cache && $0.why.contains("for the first time") })
    }
  }

  @Test(arguments: [4096..<8192, 6000..<9000, 8192..<10_100], [false, true])
  func `while reads pass, what is there is used`(range: ByteRange, hasTimeLimits: Bool) async throws {
    let reader = try await reader()
    // A whole block, and another in two pieces.
    for piece in [8192..<9500, 9500..<10_100] { for _ in 0..<2 { _ = try await reader.read(piece) } }
    if hasTimeLimits { store.setTimeLimits(age: .seconds(1000), idle: nil) }
    // With room for more, nothing would pass.
    try await store.resize(to: .bytes(store.counts().bytes))
    let before = (source.bytesRead, store.counts())
    for _ in 0..<3 {
      // A read of the sample decides anew.
      reader.source.isBypassed = true
      #expect(try await reader.isRight(range))
    }
    #expect(source.bytesRead == before.0)
    #expect(store.counts().hits >= before.1.hits + 3 && store.counts().misses == before.1.misses)
    // Of the rest only what is missing is read.
    reader.source.isBypassed = true
    #expect(try await reader.isRight(8000..<12_000))
    #expect(source.bytesRead - before.0 == 1900)
    await reader.close()
  }

  @Test func `a first read joins no flight, as is explained`() async throws {
    let held = HeldSource()
    let sources = (one: HeldSource(isHeld: false), other: held)
    let store = store
    func reader(_ source: HeldSource, onSecondRead: Bool) async throws -> RangeReader {
      try await RangeReader(
        source, [.caching(store, fill: .exact, blockSize: .kibibytes(4), onSecondRead: onSecondRead)])
    }
    let twice = try await reader(sources.one, onSecondRead: true)
    let always = try await reader(sources.other, onSecondRead: false)
    for _ in 0..<2 { _ = try await twice.read(4096..<8192) }
    let done = Promise<Bool>()
    // Runs to where it waits.
    BackgroundWork().start {
      do { done.resolve(.success(try await always.isRight(8192..<12_288))) } catch { done.fail(error) }
    }
    #expect(try await twice.explain(0..<12_288).parts.map(\.origin) == [.source, .memory, .source])
    #expect(try await twice.isRight(0..<12_288))
    held.hold(false)
    #expect(try await done.value())
  }
}
