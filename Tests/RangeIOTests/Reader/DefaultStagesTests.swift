import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Readers of a path with stages of the user's beside the default cache.
struct DefaultStagesTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func stages(_ reader: RangeReader) -> [String] { reader.statistics().stages.map(\.name) }

  @Test func `a stage beside it leaves the cache where it was`() async throws {
    let (path, bytes) = try await directory.file(count: 10_000)
    let store = MemoryStore(limit: .mebibytes(1))
    let observing = Observing()
    let reader = try await RangeReader(path, cache: store) { observing }
    for _ in 0..<3 { #expect(try await reader.read(0..<100) == Bytes(bytes[0..<100])) }
    #expect(stages(reader) == ["Observing", "Caching"])
    #expect(store.cachedRanges(of: reader.source) == [0..<100])
    #expect(observing.counted().reads == 3, "hits, too")
    await reader.close()
  }

  @Test func `it stands above what must see only what it does not answer`() async throws {
    let (path, _) = try await directory.file(count: 10_000)
    let reader = try await RangeReader(path) {
      ReadAhead()
      Observing()
      Limiting(concurrentReads: 4)
      Observing()
    }
    #expect(stages(reader) == ["ReadAhead", "Observing", "Caching", "Limiting", "Observing"])
    await reader.close()
  }

  @Test func `a cache of the user's is the only one, and none is none`() async throws {
    let (path, _) = try await directory.file(count: 10_000)
    let own = MemoryStore(limit: .mebibytes(1))
    let reader = try await RangeReader(path) { Caching(own, blockSize: .kibibytes(4)) }
    _ = try await reader.read(0..<10)
    #expect(stages(reader) == ["Caching"])
    #expect(own.contains(0..<4096, of: reader.source))
    await reader.close()
    let without = try await RangeReader(path, cache: nil) { Observing() }
    #expect(stages(without) == ["Observing"])
    await without.close()
  }

  @Test func `every way to open a file has the stages, the cache and the policy`() async throws {
    let (path, bytes) = try await directory.file(count: 10_000)
    let descriptor = try FileDescriptor.open(FilePath(path), .readOnly)
    let file = FileSource(adopting: descriptor, configuration: .init(isAppendOnly: true))
    let readers = [
      try await RangeReader(path, onChange: .follow) { Observing() },
      try await RangeReader(FilePath(path), onChange: .follow) { Observing() },
      try await RangeReader(file, onChange: .follow) {
        Observing()
        ReadPipeline.localFile()
      },
    ]
    for reader in readers {
      #expect(stages(reader) == ["Observing", "Caching"])
      #expect(reader.source.isAppendOnly)
      #expect(try await reader.read(0..<10) == Bytes(bytes[0..<10]))
      await reader.close()
    }
    let isAppendOnly = try await withRangeReader(path, onChange: .follow) { $0.source.isAppendOnly }
    #expect(isAppendOnly)
  }

  @Test func `a reader that is passed on is closed afterwards, also after an error`() async throws {
    for fails in [false, true] {
      let reader = try await RangeReader(SyntheticSource(byteCount: 100))
      let result = await Task {
        try await withRangeReader(reader) { reader in
          if fails { throw ReadError.lasting }
          return try await reader.read(0..<10)
        }
      }.result
      // No bytes mean that it threw.
      #expect((try? result.get()) == (fails ? nil : SyntheticSource.bytes(0..<10)))
      let error = await #expect(throws: ReadError.self) { try await reader.read(0..<10) }
      #expect(error?.code == .closed)
    }
  }
}
