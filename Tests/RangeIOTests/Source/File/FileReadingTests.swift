import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

struct FileReadingTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test(arguments: FileSource.Engine.allCases)
  func `every lane agrees with the file at every alignment and at both ends`(_ engine: FileSource.Engine) async throws {
    let size = 3_500_000
    let (path, bytes) = try await directory.file(count: size)
    let reader = try await RangeReader(path, engine: engine)
    var ranges: [ByteRange] = []
    for start in [0, 1, 7, 511, 512, 4095, 4096, 4097, 65_535, 65_536, 1_048_575, 1_048_576, 2_097_153] {
      for count in [0, 1, 2, 511, 4096, 4097, 65_537, 262_144, 262_145, 1_048_575, 1_048_576, 1_048_577, 2_500_000]
      where start + count <= size { ranges.append(start..<start + count) }
    }
    for count in [0, 1, 2, 4095, 4096, 4097, 1_048_577] { ranges.append(size - count..<size) }
    ranges.append(0..<size)
    for range in ranges {
      #expect(try await reader.read(range) == Bytes(bytes[range]), "\(range)")
    }
    await reader.close()
  }

  @Test func `cold pages come from disk, whole and right`() async throws {
    let size = 9_000_000
    let (path, bytes) = try await directory.file(count: size)
    for range in [0..<4096, 5_000_001..<5_000_002, 1_000..<300_000, 123..<2_345_678, 0..<size] {
      let reader = try await RangeReader(TestEngine.file(path))
      try dropPages(of: path)
      #expect(try await reader.read(range) == Bytes(bytes[range]), "\(range)")
      await reader.close()
    }
  }

  @Test func `bytes are counted by lane`() async throws {
    let (path, _) = try await directory.file(count: 4_000_000)
    let expected: [(FileSource.Engine, String)] = [(.positional, "positional"), (.dispatchIO, "dispatchIO")]
    for (engine, lane) in expected {
      let reader = try await RangeReader(path, engine: engine, cache: nil)
      _ = try await reader.read(0..<100)
      _ = try await reader.read(0..<2_000_000)
      let lanes = reader.statistics().source
      #expect(lanes[lane]?.bytes == 2_000_100)
      #expect(lanes.reduce(0) { $0 + ($1.bytes ?? 0) } == 2_000_100)
      await reader.close()
    }
  }

  #if os(Linux)
    // The page cache may drop any page at any time, so what is resident is decided by injected calls.

    @Test func `what is resident needs no disk and no thread`() async throws {
      let (path, bytes) = try await directory.file(count: 2_000_000)
      let syscalls = Syscalls(.init(read: { _, _, _ in -Int(EIO) }, readResident: Syscalls.system.call.read))
      let reader = try await RangeReader(
        FileSource(path, configuration: TestEngine.configuration(.automatic, syscalls: syscalls)))
      #expect(try await reader.read(0..<4096) == Bytes(bytes[0..<4096]))
      #expect(try await reader.read(0..<1_500_000) == Bytes(bytes[0..<1_500_000]))
      #expect(reader.statistics().source["resident"]?.bytes == 1_504_096)
      await reader.close()
    }

    @Test func `what is not resident comes by position, long or short`() async throws {
      let (path, bytes) = try await directory.file(count: 12_000_000)
      let syscalls = Syscalls(.init(readResident: { _, _, _ in -Int(EAGAIN) }))
      let reader = try await RangeReader(
        FileSource(path, configuration: TestEngine.configuration(.automatic, syscalls: syscalls)))
      var sum = 0
      for range in [10_000_000..<10_000_100, 0..<8_000_000, 11_999_999..<12_000_000] {
        #expect(try await reader.read(range) == Bytes(bytes[range]))
        sum += range.count
        #expect(reader.statistics().source["positional"]?.bytes == sum)
      }
      await reader.close()
    }
  #endif

  @Test func `an empty file has no bytes, and one byte has one`() async throws {
    let empty = try await RangeReader(TestEngine.file(try await directory.file("empty", [])))
    #expect(empty.byteCount == 0)
    #expect(try await empty.read(0..<0) == Bytes())
    #expect(try await empty.read(0...) == Bytes())
    #expect(try await empty.read(suffix: 10) == Bytes())
    await #expect(throws: ReadError.self) { try await empty.read(0..<1) }
    for try await _ in empty.stream() { Issue.record("a piece of nothing") }
    await empty.close()

    let one = try await RangeReader(TestEngine.file(try await directory.file("one", [42])))
    #expect(try await one.read(0..<1) == [42])
    #expect(try await one.read(suffix: 10) == [42])
    await one.close()
  }

  @Test func `offsets beyond 4 GiB are offsets`() async throws {
    let size = 5 << 30
    let path = try directory.sparseFile(byteCount: size)
    let mark = [UInt8]("beyond".utf8)
    try write(mark, to: path, at: size - 6, truncating: false)
    try write(mark, to: path, at: 1 << 32, truncating: false)
    try await settle(path)
    let reader = try await RangeReader(TestEngine.file(path))
    #expect(reader.byteCount == size)
    #expect(try await reader.read(suffix: 6) == Bytes(mark))
    #expect(try await reader.read((1 << 32) - 1..<(1 << 32) + 7) == Bytes([0] + mark + [0]))
    #expect(
      try await reader.read((1 << 32) - 1_000_000..<(1 << 32) + 1_000_000).slice(1_000_000..<1_000_006) == Bytes(mark))
    await reader.close()
  }

  @Test func `a vectored read answers in the order asked`() async throws {
    let (path, bytes) = try await directory.file(count: 3_000_000)
    let reader = try await RangeReader(TestEngine.file(path))
    var generator = SeededGenerator(seed: 5)
    var ranges = [2_999_999..<3_000_000, 0..<0, 0..<1, 500..<2_000_000, 400..<600, 3_000_000..<3_000_000]
    for _ in 0..<300 {
      let start = Int.random(in: 0..<2_900_000, using: &generator)
      ranges.append(start..<start + Int.random(in: 0...70_000, using: &generator))
    }
    try dropPages(of: path)
    for (range, answer) in zip(ranges, try await reader.read(ranges)) { #expect(answer == Bytes(bytes[range])) }
    #expect(try await reader.read([]).isEmpty)
    await #expect(throws: ReadError.self) { try await reader.read([0..<1, 0..<3_000_001]) }
    await reader.close()
  }

  @Test func `a scattered read fills a buffer for each block`() async throws {
    let (path, bytes) = try await directory.file(count: 700_001)
    let source = FileSource(path, configuration: TestEngine.configuration())
    let description = try await source.describe()
    let grid = try #require(BlockGrid(blockSize: 4096))
    for range in [0..<700_001, 1..<2, 4095..<4097, 4096..<8192, 100..<600_000, 700_000..<700_001] {
      for isCold in [false, true] {
        if isCold { try dropPages(of: path) }
        let pieces = try await source.read(grid.pieces(of: range).map(\.range), of: description)
        #expect(pieces.map(\.count) == grid.pieces(of: range).map(\.range.count))
        #expect(Bytes(concatenating: pieces) == Bytes(bytes[range]))
        // DispatchIO brings memory of its own.
        for piece in pieces where TestEngine.current != .dispatchIO { #expect(piece.backingByteCount == piece.count) }
      }
    }
    await source.close()
  }

  @Test func `a block size that is no power of two is refused`() async {
    await #expect {
      try await RangeReader(FileSource("/dev/zero", configuration: .init(blockSize: .bytes(1000))))
    } throws: { ($0 as? ReadError)?.code == .invalidConfiguration }
  }

  @Test func `a caller's own buffer gets the bytes`() async throws {
    let (path, bytes) = try await directory.file(count: 100_000)
    let reader = try await RangeReader(TestEngine.file(path))
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
    defer { memory.deallocate() }
    try await reader.read(5..<100).copyBytes(to: memory)
    #expect(memory.prefix(95).elementsEqual(bytes[5..<100]))
    await #expect(throws: ReadError.self) { try await reader.read(Int.min..<Int.max) }
    await reader.close()
  }

  @Test func `an adopted descriptor is read from the start, wherever it stands`() async throws {
    let (path, bytes) = try await directory.file(count: 3_000_000)
    let descriptor = try FileDescriptor.open(path, .readOnly)
    _ = try descriptor.seek(offset: 1000, from: .start)
    // By the call, not by asking the kernel for the number: another test may have been given it since.
    let closed = Noted<CInt>()
    let syscalls = Syscalls(
      .init(close: { number in
        closed.add(number)
        return Syscalls.system.call.close(number)
      }))
    let source = FileSource(adopting: descriptor, configuration: TestEngine.configuration(syscalls: syscalls))
    let reader = try await RangeReader(source)
    #expect(try await reader.read(0..<10) == Bytes(bytes[0..<10]))
    #expect(try await reader.read(1..<2_500_000) == Bytes(bytes[1..<2_500_000]))
    await reader.close()
    #expect(closed.all.filter { $0 == descriptor.rawValue }.count == 1)
  }

  @Test func `a descriptor that is not a file is refused, and closed`() async throws {
    let (read, write) = try FileDescriptor.pipe()
    let closed = Promise<CInt>()
    let syscalls = Syscalls(
      .init(close: { descriptor in
        defer { closed.resolve(.success(descriptor)) }
        return Syscalls.system.call.close(descriptor)
      }))
    let source = FileSource(adopting: read, configuration: TestEngine.configuration(syscalls: syscalls))
    await #expect { _ = try await RangeReader(source) } throws: { ($0 as? ReadError)?.code == .unsupportedSource }
    #expect(try await closed.value() == read.rawValue)
    // By the call alone: a process that another test started meanwhile may have inherited the reading end.
    try write.close()
  }
}
