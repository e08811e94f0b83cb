import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct ChunkSourcesTests {
  private let sources = ChunkSources()
  private let now = TimeSource(ManualClock()).now

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
}
