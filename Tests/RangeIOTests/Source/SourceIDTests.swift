import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Swift takes two texts for equal that look the same. The names of two files may differ in bytes only, and so may URLs.
@Suite struct SourceIDTests {
  private let composed = "caf\u{E9}"
  private let decomposed = "cafe\u{301}"

  private func description(_ id: String) -> SourceDescription {
    SourceDescription(id: id, validator: ModelValidator(number: 0), byteCount: 1 << 20)
  }

  @Test func `snapshots of sources whose ids differ in bytes only are of different sources`() {
    #expect(composed == decomposed, "or this tests nothing")
    #expect(description(composed).change(to: description(decomposed)) == .other)
    #expect(description(composed).change(to: description(composed)) == .same)
  }

  @Test func `ids are equal, and hash alike, if their bytes are`() {
    #expect(SourceID(composed) != SourceID(decomposed))
    #expect(Set([composed, decomposed, "caf" + "\u{E9}"].map { SourceID($0) }).count == 2)
  }

  @Test func `tokens are found by the bytes of an id`() {
    let sources = ChunkSources()
    let tokens = [composed, decomposed].map { FillSource(sources, id: $0).token }
    #expect(tokens[0].entry !== tokens[1].entry)
    #expect(sources.tokens(ofID: composed).map(\.number) == [tokens[0].number])
    #expect(sources.tokens(of: description(decomposed)).isEmpty, "of another size")
    #expect(sources.tokens(of: tokens[1].source).map(\.number) == [tokens[1].number])
  }

  @Test func `each of two sources whose ids look the same gets its own bytes through one cache`() async throws {
    let store = MemoryStore(limit: .mebibytes(1))
    let cache: ReadPipeline = .caching(store)
    let sources = [FillRangeSource(id: composed), FillRangeSource(id: decomposed)]
    for source in sources {
      let reader = try await RangeReader(source, [cache])
      #expect(try await reader.read(0..<4096) == source.expected(0..<4096))
      #expect(source.requests == [0..<4096], "read from the source, and not from the other's blocks")
      await reader.close()
    }
    store.remove(source: composed)
    #expect(!store.contains(0..<4096, of: try await sources[0].describe()))
    #expect(store.contains(0..<4096, of: try await sources[1].describe()))
  }

  @Test func `on a disk a newer version of one leaves the other alone, and so does its removal`() async throws {
    let spill = SimulatedSpill()
    let store = try spill.open()
    let other = FillSource(store.sources, id: decomposed, version: 0)
    other.put(1, in: store)
    try await store.close()
    let again = try spill.open()
    let mine = FillSource(again.sources, id: composed, version: 1)
    #expect(mine.served(0..<3, by: again) == [])
    again.erase(source: composed)
    #expect(FillSource(again.sources, id: decomposed, version: 0).served(0..<3, by: again) == [1])
    #expect(again.miscounts() == [])
  }
}
