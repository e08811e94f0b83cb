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

  @Test func `stages of the user's stand beside the cache, or there is none`() async throws {
    let (path, bytes) = try await directory.file(count: 10_000)
    let store = MemoryStore(limit: .mebibytes(1))
    let observing = Observing()
    let reader = try await RangeReader(FileSource(path), [.observing(observing), .localFile(cache: store)])
    for _ in 0..<3 { #expect(try await reader.read(0..<100) == Bytes(bytes[0..<100])) }
    #expect(stages(reader) == ["Observing", "Caching"])
    #expect(store.cachedRanges(of: reader.source) == [0..<100])
    #expect(observing.counted().reads == 3, "hits, too")
    await reader.close()
    let without = try await RangeReader(FileSource(path), [.observing(), .localFile(cache: nil)])
    #expect(stages(without) == ["Observing"])
    await without.close()
  }

  @Test func `every way to open a file has the cache and the policy`() async throws {
    let (path, bytes) = try await directory.file(count: 10_000)
    let descriptor = try FileDescriptor.open(FilePath(path), .readOnly)
    let file = FileSource(adopting: descriptor, configuration: .init(isAppendOnly: true))
    let readers = [
      try await RangeReader(path, onChange: .follow), try await RangeReader(FilePath(path), onChange: .follow),
      try await RangeReader(file, .localFile(), onChange: .follow),
    ]
    for reader in readers {
      #expect(stages(reader) == ["Caching"])
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
