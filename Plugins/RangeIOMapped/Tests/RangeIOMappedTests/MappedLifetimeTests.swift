import RangeIO
import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIOMapped
@testable import RangeIOTestSupport

struct MappedLifetimeTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func `slices outlive reader, source and close`() async throws {
    let (path, bytes) = try directory.file(count: 500_000)
    var whole: Bytes? = Bytes()
    var part = Bytes()
    do {
      let reader = try await mappedReader(path)
      whole = try await reader.read(0...)
      part = try await reader.read(3..<400_000)
      await reader.close()
      await expectError(.closed) { _ = try await reader.read(0..<1) }
    }
    #expect(whole == bytes)
    whole = nil
    #expect(part == bytes[3..<400_000])
  }

  #if os(Linux)
    @Test(.timeLimit(.minutes(15)))
    func `a mapping goes with its last slice, and the descriptor with close`() async throws {
      let (path, bytes) = try directory.file(count: 100_000)
      let reader = try await mappedReader(path)
      try await until { try descriptors(of: path) == 1 }
      var slice: Bytes? = try await reader.read(10..<20)
      #expect(try mappings(of: path) == 1)
      await reader.close()
      try await until { try descriptors(of: path) == 0 }
      #expect(try mappings(of: path) == 1)
      var part = slice?[1..<3]
      slice = nil
      #expect(try mappings(of: path) == 1)
      #expect(part == bytes[11..<13])
      part = nil
      try await until { try mappings(of: path) == 0 }
    }

    @Test(.timeLimit(.minutes(15)))
    func `a source that is dropped keeps nothing open`() async throws {
      let (path, _) = try directory.file(count: 100_000)
      do {
        let source = MappedSource(path)
        let description = try await source.describe()
        _ = try await source.read(0..<10, of: description)
        try await until { try descriptors(of: path) == 1 && mappings(of: path) == 1 }
      }
      try await until { try descriptors(of: path) == 0 && mappings(of: path) == 0 }
    }

    @Test(.timeLimit(.minutes(15)))
    func `many who open and map at once share one mapping`() async throws {
      let (path, bytes) = try directory.file(count: 100_000)
      let source = MappedSource(path)
      let slices = try await withThrowingTaskGroup(of: Bytes.self) { group in
        for _ in 0..<50 {
          group.addTask { try await source.read(0..<100_000, of: try await source.describe()) }
        }
        return try await group.reduce(into: [Bytes]()) { $0.append($1) }
      }
      #expect(slices.allSatisfy { $0 == bytes })
      try await until { try descriptors(of: path) == 1 }
      let again = try await source.read(0..<100_000, of: try await source.describe())
      #expect(slices.contains { address(of: $0) == address(of: again) })
      await source.close()
    }
  #endif

  @Test func `a cache keeps copies`() async throws {
    let (path, bytes) = try directory.file(count: 100_000)
    try await settle(path)
    let source = MappedSource(path)
    let reader = try await RangeReader(source, [.caching(MemoryStore(limit: .mebibytes(1)), blockSize: .kibibytes(4))])
    for _ in 0..<2 {
      #expect(try await reader.read(100..<50_000) == bytes[100..<50_000])
      #expect(try await reader.read(60_000..<60_001) == bytes[60_000..<60_001])
    }
    #expect(source.statistics()["mapped"]?.bytes == 0)
    #expect(source.statistics()["copied"]?.bytes == 53_248 + 4096)
    // What is gone from the file is still there: nothing of it was mapped memory.
    try #require(truncate(path, 0) == 0)
    #expect(try await reader.read(100..<50_000, caching: .onlyIfCached) == bytes[100..<50_000])
    await reader.close()
  }
}
