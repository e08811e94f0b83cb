import RangeIO
import RangeIOTesting
import Testing

@testable import RangeIOMapped
@testable import RangeIOTestSupport

struct MappedReadingTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test(arguments: [MappedSource.Slices.zeroCopy, .copied])
  func `every byte is the file's, at every alignment`(slices: MappedSource.Slices) async throws {
    let (path, bytes) = try directory.file(count: 3 * pageSize + 123)
    let reader = try await mappedReader(path, .init(slices: slices))
    #expect(try await reader.read(0...) == bytes)
    for edge in [0, pageSize, 2 * pageSize, 3 * pageSize, bytes.count] {
      for lower in max(0, edge - 9)..<min(bytes.count, edge + 9) {
        for count in [1, 2, 7, 8, 9, 64, pageSize - 1, pageSize, pageSize + 1] where lower + count <= bytes.count {
          #expect(try await reader.read(lower..<lower + count) == bytes[lower..<lower + count])
        }
      }
    }
    await reader.close()
  }

  @Test func `a read copies nothing, however large`() async throws {
    let (path, bytes) = try directory.file(count: 5_000_000)
    let source = MappedSource(path)
    let reader = try await RangeReader(source)
    let whole = try await reader.read(0...)
    let part = try await reader.read(1_234_567..<2_345_678)
    #expect(address(of: part) == address(of: whole) + 1_234_567)
    #expect(part.contiguous() == part && part.backingByteCount == part.count)
    #expect(part == bytes[1_234_567..<2_345_678])
    #expect(source.statistics()["mapped"]?.bytes == bytes.count + part.count)
    #expect(source.statistics()["copied"]?.bytes == 0)
    await reader.close()
  }

  @Test func `copies are memory of their own`() async throws {
    let (path, bytes) = try directory.file(count: 100_000)
    let source = MappedSource(path, configuration: .init(slices: .copied))
    let reader = try await RangeReader(source)
    let slices = try await (reader.read(0...), reader.read(0...))
    #expect(slices.0 == bytes && slices.1 == bytes && address(of: slices.0) != address(of: slices.1))
    #if os(Linux)
      #expect(try mappings(of: path) == 0)
    #endif
    #expect(source.statistics()["copied"]?.bytes == 200_000)
    await reader.close()
  }

  @Test func `what is not in memory is brought in`() async throws {
    let (path, bytes) = try directory.file(count: 2_000_000)
    for slices in [MappedSource.Slices.zeroCopy, .copied] {
      for access in [MappedSource.AccessPattern.normal, .random, .sequential] {
        try dropPages(of: path)
        let reader = try await mappedReader(path, .init(slices: slices, access: access))
        #expect(try await reader.read(999_999..<1_000_001) == bytes[999_999..<1_000_001])
        #expect(try await reader.read(0...) == bytes)
        await reader.close()
      }
    }
  }

  @Test func `a thousand reads at once are all right`() async throws {
    let (path, bytes) = try directory.file(count: 1_000_000)
    try dropPages(of: path)
    let reader = try await mappedReader(path)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<1000 {
        group.addTask {
          let range = index * 997..<index * 997 + 1 + (index * 31) % 3000
          return try await reader.read(range) == bytes[range]
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    await reader.close()
  }

  @Test func `several ranges come in the order asked`() async throws {
    let (path, bytes) = try directory.file(count: 100_000)
    let reader = try await mappedReader(path)
    let ranges = [70_000..<70_001, 0..<50_000, 5..<5, 40_000..<100_000, 99_999..<100_000]
    #expect(try await reader.read(ranges) == ranges.map { bytes[$0] })
    await reader.close()
  }

  @Test func `a stream shows the whole file`() async throws {
    let (path, bytes) = try directory.file(count: 3_000_001)
    let reader = try await mappedReader(path, .init(access: .sequential))
    var position = 0
    for try await piece in reader.stream(chunkSize: .bytes(65_537)) {
      #expect(piece == bytes[position..<position + piece.count])
      position += piece.count
    }
    #expect(position == bytes.count)
    await reader.close()
  }

  @Test func `advice changes no byte, whenever it comes`() async throws {
    let (path, bytes) = try directory.file(count: 300_000)
    let source = MappedSource(path)
    let patterns: [MappedSource.AccessPattern] = [.random, .sequential, .normal]
    for pattern in patterns { source.advise(pattern) }
    let reader = try await RangeReader(source)
    for pattern in patterns {
      source.advise(pattern)
      for range in [0..<300_000, 299_999..<Int.max, 500_000..<600_000, 7..<7] {
        source.advise(.willNeed, range, of: reader.source)
      }
      #expect(try await reader.read(1000..<200_000) == bytes[1000..<200_000])
    }
    await reader.close()
    for pattern in patterns { source.advise(pattern) }
    source.advise(.willNeed, 0..<300_000, of: reader.source)
  }

  #if os(Linux)
    @Test(.timeLimit(.minutes(15))) func `what a reader says will be read is brought in by the kernel`() async throws {
      let (path, bytes) = try directory.file(count: 3_000_000)
      let reader = try await mappedReader(path)
      try dropPages(of: path)
      reader.advise(.willNeed, 1_000_000..<1_400_000)
      // By a mapping that is never touched, since any look through the descriptor would have the kernel read ahead.
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      defer { close(descriptor) }
      let mapping = try #require(mmap(nil, 3_000_000, PROT_READ, MAP_SHARED, descriptor, 0))
      defer { munmap(mapping, 3_000_000) }
      let (first, last) = (1_000_000 / pageSize * pageSize, 1_400_000 / pageSize * pageSize)
      let pages = UnsafeMutableRawBufferPointer(start: mapping + first, count: last - first)
      // The kernel reads ahead in its own time, and tells nobody.
      while !MappedCalls().isResident(pages) { try await Task.sleep(for: .milliseconds(1)) }
      reader.advise(.dontNeed, 0..<3_000_000)
      #expect(try await reader.read(0...) == bytes)
      await reader.close()
    }
  #endif

  @Test(arguments: [MappedSource.Slices.zeroCopy, .copied], 1...5 as ClosedRange<UInt64>)
  func `it keeps the contract of sources`(slices: MappedSource.Slices, seed: UInt64) async throws {
    let count = [1, pageSize, 2 * pageSize + 1, 70_000, 300_001][Int(seed) - 1]
    let (path, bytes) = try directory.file(count: count, seed: seed)
    try await SourceConformance.check(of: bytes, seed: seed) {
      MappedSource(path, configuration: .init(slices: slices, blockSize: .kibibytes(4)))
    }
  }

  @Test(arguments: [MappedSource.Slices.zeroCopy, .copied])
  func `it tells its versions as the contract of sources asks`(slices: MappedSource.Slices) async throws {
    let (path, bytes) = try directory.file(count: 10_000)
    let other = SyntheticSource.bytes(0..<20_001, version: 2)
    try await SourceConformance.checkVersions(
      of: bytes, MappedSource(path, configuration: .init(slices: slices))
    ) {
      try write(other, to: path, truncating: false)
      return other
    }
  }

  @Test func `below a cache, hits are copies, and reads that bypass its store are mapped unless copies are chosen`()
    async throws
  {
    let (path, bytes) = try directory.file(count: 300_000)
    for slices in [MappedSource.Slices.zeroCopy, .copied] {
      /// The bytes of three reads that were returned as mapped memory.
      func mapped(_ pipeline: ReadPipeline, _ caching: ReadRequest.CachePolicy = .normal) async throws -> Int {
        let reader = try await mappedReader(path, .init(slices: slices), pipeline)
        for _ in 0..<3 { #expect(try await reader.read(10..<5010, caching: caching) == bytes[10..<5010]) }
        let count = reader.statistics().source["mapped"]?.bytes ?? 0
        await reader.close()
        return count
      }
      func store() -> MemoryStore { MemoryStore(limit: .mebibytes(4)) }
      let once = slices == .copied ? 0 : 5000
      let kept = try await mapped([.caching(store())])
      #expect(kept == 0, "what is kept, and answers from it")
      let bypassing = try await mapped([.caching(store())], .bypass)
      #expect(bypassing == 3 * once)
      let long = try await mapped([.caching(store(), maxReadSize: .kibibytes(4))])
      #expect(long == 3 * once)
      let second = try await mapped([.caching(store(), onSecondRead: true)])
      #expect(second == once, "the first read alone")
    }
  }
}
