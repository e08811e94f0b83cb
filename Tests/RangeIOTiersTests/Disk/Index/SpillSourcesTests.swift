import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

struct SpillSourcesTests {
  private let tokens = ChunkSources()

  private func token(_ id: String, version: Int = 0, blockSize: Int = 4096) -> ChunkToken {
    FillSource(tokens, id: id, version: version, byteCount: 1 << 20, blockSize: blockSize).token
  }
  private func identity(_ token: ChunkToken) -> SpillIdentity { SpillIdentity(token.source, token.grid)! }

  /// Binds a token, and has its source enter.
  private func enter(_ token: ChunkToken, in sources: inout SpillSources) -> Int? {
    sources.bind(token, to: identity(token))
    return sources.enter(sourceOf: token.number)
  }

  private func forget(in sources: inout SpillSources, oldestSegment: UInt64?) {
    #expect(sources.sweep(from: 0, oldestSegment: oldestSegment) == nil)
  }

  @Test func `each version on each grid has a slot, and one id finds all of them`() {
    var sources = SpillSources()
    let all = [token("a"), token("a", version: 1), token("a", version: 1, blockSize: 8192), token("b")]
    let slots = all.map { enter($0, in: &sources) }
    #expect(Set(slots).count == 4 && !slots.contains(nil))
    #expect(Set(sources.slots(ofID: "a")) == Set(slots.prefix(3).map { $0! }))
    #expect(enter(all[0], in: &sources) == slots[0])
    #expect(sources[slots[0]!].bindings == 1)
    let unknown = token("c")
    sources.bind(unknown, to: nil)
    #expect(sources.enter(sourceOf: unknown.number) == nil && sources.binding(of: unknown.number) != nil)
  }

  @Test func `a source enters with its first chunk, and then stands for all its tokens`() {
    var sources = SpillSources()
    let (first, second) = (token("a"), FillSource(ChunkSources(), id: "a", byteCount: 1 << 20).token)
    // Of two processes, as it were: the numbers of these are the same.
    #expect(first.number == second.number)
    sources.bind(first, to: identity(first))
    #expect(sources.count == 0 && sources.binding(of: first.number)?.slot == nil)
    let slot = sources.enter(identity(second))
    #expect(sources.binding(of: first.number)?.slot == slot && sources[slot!].bindings == 1)
    sources.unbind(first.number)
    #expect(sources[slot!].bindings == 0)
  }

  @Test func `a source is forgotten when nothing needs it, and its slot is used again`() {
    var sources = SpillSources()
    let token = token("a")
    let slot = enter(token, in: &sources)!
    func sweep() -> Bool {
      forget(in: &sources, oldestSegment: 5)
      return sources.has(slot)
    }
    #expect(sweep())
    sources.unbind(token.number)
    sources.add(slot, stored: 10, segment: 0)
    #expect(sweep())
    sources.remove(slot, stored: 10)
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
    #expect(enter(self.token("b"), in: &sources) == slot)
  }

  @Test func `retired tokens are let go of`() {
    var sources = SpillSources()
    let (first, second) = (token("a"), token("b"))
    let slot = enter(first, in: &sources)!
    _ = enter(second, in: &sources)
    first.retire()
    forget(in: &sources, oldestSegment: nil)
    #expect(!sources.has(slot) && sources.binding(of: first.number) == nil)
    #expect(sources.binding(of: second.number) != nil)
    #expect(sources.unbind(first.number) == nil)
  }

  @Test(arguments: testSeeds)
  func `versions are found by their id, whether outdated or not, in whatever order they come and go`(_ seed: UInt64) {
    var random = TestRandom(seed)
    var sources = SpillSources()
    var known: [Int: (id: String, isOutdated: Bool, blocks: Int)] = [:]
    for step in 0..<400 {
      let slot = known.keys.sorted().randomElement(using: &random)
      switch random.below(5) {
      case 0, 1:
        let id = "\(random.below(4))"
        let new = FillSource(ChunkSources(), id: id, version: step)
        let slot = sources.enter(SpillIdentity(new.source, new.token.grid)!)!
        #expect(known[slot] == nil)
        known[slot] = (id, false, 0)
      case 2:
        guard let slot else { continue }
        known[slot]!.isOutdated.toggle()
        sources.setOutdated(slot, known[slot]!.isOutdated)
      case 3:
        guard let slot else { continue }
        known[slot]!.blocks += 1
        sources.add(slot, stored: 1, segment: 1)
      default:
        if let slot, known[slot]!.blocks > 0 {
          known[slot]!.blocks -= 1
          sources.remove(slot, stored: 1)
        }
        forget(in: &sources, oldestSegment: nil)
        known = known.filter { $0.value.blocks > 0 }
      }
      #expect(sources.count == known.count)
      for id in 0..<4 {
        let slots = sources.slots(ofID: "\(id)")
        #expect(Set(slots) == Set(known.filter { $0.value.id == "\(id)" }.keys) && Set(slots).count == slots.count)
        let identity = SpillIdentity(
          FillSource(ChunkSources(), id: "\(id)", version: -1).source, BlockGrid(blockSize: 4096)!)!
        let present = known.filter { $0.value.id == "\(id)" && !$0.value.isOutdated }.keys
        #expect(Set(sources.unreadVersions(besides: identity)) == Set(present))
      }
      #expect(sources.outdatedBlocks == known.values.reduce(0) { $0 + ($1.isOutdated ? $1.blocks : 0) })
    }
  }
}
