import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

struct SpillSourcesTests {
  private let tokens = ChunkSources()

  private func token(_ id: String, version: Int = 0, blockSize: Int = 4096) -> ChunkToken {
    FillSource(tokens, id: id, version: version, byteCount: 1 << 20, blockSize: blockSize).token
  }
  private func identity(_ token: ChunkToken) -> SpillIdentity { SpillIdentity(token.source, token.grid)! }

  @Test func `each version on each grid has a slot, and one id finds all of them`() {
    var sources = SpillSources()
    let all = [token("a"), token("a", version: 1), token("a", version: 1, blockSize: 8192), token("b")]
    let slots = all.map { sources.bind($0, to: identity($0)) }
    #expect(Set(slots).count == 4 && !slots.contains(nil))
    #expect(Set(sources.slots(ofID: "a")) == Set(slots.prefix(3).map { $0! }))
    #expect(sources.bind(all[0], to: identity(all[0])) == slots[0])
    #expect(sources[slots[0]!].bindings == 1)
    #expect(sources.bind(token("c"), to: nil) == nil)
  }

  @Test func `a source is forgotten when nothing needs it, and its slot is used again`() {
    var sources = SpillSources()
    let token = token("a")
    let slot = sources.bind(token, to: identity(token))!
    func sweep() -> Bool {
      sources.sweep(oldestSegment: 5)
      return sources.has(slot)
    }
    #expect(sweep())
    sources.unbind(token.number)
    sources[slot].blocks = 1
    #expect(sweep())
    sources[slot].blocks = 0
    sources[slot].staged = 1
    #expect(sweep())
    sources[slot].staged = 0
    sources[slot].removals = 1
    #expect(sweep())
    sources[slot].removals = 0
    sources[slot].newestSegment = 5
    #expect(sweep())
    sources[slot].newestSegment = 4
    #expect(!sweep())
    #expect(sources.slots(ofID: "a").isEmpty && sources.count == 0)
    let other = self.token("b")
    #expect(sources.bind(other, to: identity(other)) == slot)
  }

  @Test func `retired tokens are let go of`() {
    var sources = SpillSources()
    let (first, second) = (token("a"), token("b"))
    let slot = sources.bind(first, to: identity(first))!
    sources.bind(second, to: identity(second))
    first.retire()
    sources.sweep(oldestSegment: nil)
    #expect(!sources.has(slot) && sources.binding(of: first.number) == nil)
    #expect(sources.binding(of: second.number) != nil)
    #expect(sources.unbind(first.number) == nil)
  }
}
