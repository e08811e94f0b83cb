import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct ChunkSourcesTests {
  private let sources = ChunkSources()
  private let now = ReadClock(ManualClock()).now

  private func isWelcome(_ token: ChunkToken) -> Bool { token.ticket(fetchedAt: now).isValid }

  @Test func `a token that is made while its source is removed is born removed`() {
    let old = FillSource(sources, id: "a", reading: true).token
    let before = old.ticket(fetchedAt: now)
    var born: [ChunkToken] = []
    var during: [ChunkTicket] = []
    sources.removing(.source(id: "a")) { tokens in
      #expect(tokens.map(\.number) == [old.number])
      born = [
        FillSource(sources, id: "a", version: 1, reading: true), FillSource(sources, id: "a", blockSize: 8192),
        FillSource(sources, id: "b"),
      ].map(\.token)
      during = born.map { $0.ticket(fetchedAt: now) }
      #expect(during.map(\.isValid) == [false, false, true] && !isWelcome(old))
    }
    #expect(during.map(\.isValid) == [false, false, true] && !before.isValid)
    #expect(([old] + born).allSatisfy { isWelcome($0) })
  }

  @Test func `a removal of one version concerns the tokens of that one`() {
    let source = FillSource(ChunkSources(), version: 3).source
    var born: [Bool] = []
    sources.removing(.version(source)) { _ in
      born = [3, 4].map { isWelcome(FillSource(sources, version: $0, reading: true).token) }
    }
    #expect(born == [false, true])
  }

  @Test func `removals of one source that overlap are each seen to their end`() {
    var token: ChunkToken?
    sources.removing(.everything) { _ in
      sources.removing(.source(id: "fill")) { _ in token = FillSource(sources, reading: true).token }
      #expect(!isWelcome(token!))
    }
    #expect(isWelcome(token!))
    sources.removing(.everything) { tokens in #expect(tokens.count == 1) }
    #expect(isWelcome(token!))
  }

  @Test func `a token that is retired while it is removed stays so`() {
    sources.removing(.everything) { _ in
      let token = FillSource(sources, reading: true).token
      #expect(sources.endReading(token, isOver: true))
      #expect(!token.isAlive)
    }
    #expect(sources.count == 0)
  }

  /// A version that is only added to.
  private struct Recorded: SourceDescription.Validator {
    let byteCount: Int
    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
      guard let newer = newer as? Recorded else { return .other }
      return newer.byteCount == byteCount ? .same : newer.byteCount > byteCount ? .extends : .other
    }
  }

  @Test(arguments: [4096, 65_536]) func `a version that grew is as long for blocks of every size`(blockSize: Int) {
    let store = MemoryStore(limit: .mebibytes(4))
    func token(_ byteCount: Int, _ blockSize: Int) -> ChunkToken {
      let source = SourceDescription(
        id: "recorded", validator: Recorded(byteCount: byteCount), byteCount: byteCount,
        traits: .with { $0.isAppendOnly = true })
      return store.sources.token(for: source, grid: BlockGrid(blockSize: blockSize)!, reading: true).0
    }
    let short = token(10_000, 4096)
    let long = token(200_000, blockSize)
    #expect(long.source.byteCount == 200_000 && short.source.byteCount == 200_000)
    // Past the old end: a part of a block, and several blocks.
    for range in [131_072..<131_082, 135_168..<200_000] {
      guard let room = store.reserve(range, ofRun: range.count, for: long) else {
        Issue.record("no room")
        return
      }
      let ticket = long.ticket(fetchedAt: now)
      #expect(store.insert(SyntheticSource.bytes(range), at: range, ticket: ticket, reservation: room))
      guard case .hit(let bytes) = store.lookUp(range, of: long) else {
        Issue.record("not kept")
        return
      }
      #expect(bytes == SyntheticSource.bytes(range))
    }
    // One that still has the shorter description does not shorten it.
    #expect(token(10_000, 8192).source.byteCount == 200_000)
  }
}
