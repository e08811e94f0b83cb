import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

struct LatestVersionsTests {
  private let store = MemoryStore(limit: .mebibytes(1))

  @Test func `a version is found on its grid until it is retired or forgotten`() throws {
    let latest = LatestVersions()
    let (one, other) = (StoredSource(store, id: "one", reading: true), StoredSource(store, id: "other", reading: true))
    let grid = one.token.grid
    #expect(latest.token(of: one.source, grid) == nil)
    latest.note(one.source, one.token)
    #expect(latest.token(of: one.source, grid) === one.token)
    #expect(latest.token(of: other.source, grid) == nil)
    #expect(latest.token(of: one.source, try #require(BlockGrid(blockSize: 8192))) == nil)
    latest.note(other.source, other.token)
    #expect(latest.token(of: one.source, grid) == nil && latest.token(of: other.source, grid) === other.token)
    other.token.retire()
    #expect(latest.token(of: other.source, grid) == nil)
    latest.note(one.source, one.token)
    latest.forget()
    #expect(latest.token(of: one.source, grid) == nil)
  }

  @Test func `what it knows ends with it, or when it is forgotten`() {
    weak var token: ChunkToken?
    weak var source: SourceDescription?
    let latest = LatestVersions()
    do {
      let made = StoredSource(MemoryStore(limit: .mebibytes(1)), reading: true)
      (token, source) = (made.token, made.source)
      latest.note(made.source, made.token)
    }
    #expect(token != nil && source != nil)
    latest.forget()
    #expect(token == nil && source == nil)
  }

  @Test func `readers that meet at one cache read what is right, also while their versions end`() async throws {
    let source = SyntheticSource(byteCount: 1 << 20)
    let stage: ReadPipeline = .caching(store, fill: .block, blockSize: .kibibytes(4))
    for _ in 0..<20 {
      let readers = try await [RangeReader(source, [stage]), RangeReader(source, [stage])]
      await withTaskGroup { group in
        for task in 0..<8 {
          group.addTask {
            for step in 0..<64 {
              let start = (task * 64 + step) * 1024 % (1 << 20)
              do {
                #expect(try await readers[task % 2].isRight(start..<start + 1024))
              } catch {
                // One of the readers was closed.
                #expect((error as? ReadError)?.code == .closed)
              }
              if task == 0, step == 32 { await readers[0].close() }
            }
          }
        }
      }
      await readers[1].close()
    }
    #expect(store.isQuiet && MemoryRecount(store).faults == [])
  }
}
