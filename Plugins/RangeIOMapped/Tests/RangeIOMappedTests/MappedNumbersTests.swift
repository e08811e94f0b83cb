import RangeIO
import Testing

@testable import RangeIOMapped

/// Ranges and sizes as no honest program has them are answered or refused.
struct MappedNumbersTests {
  private let directory: TemporaryDirectory
  private let integers: [Int] = [.min, .min + 1, -4097, -1, 0, 1, 4095, 8193, 1 << 47, 1 << 62, .max - 1, .max]

  init() throws { directory = try TemporaryDirectory() }

  private var ranges: [ByteRange] {
    integers.flatMap { lower in integers.filter { $0 >= lower }.map { lower..<$0 } }
  }

  @Test func `a file is read and advised about in any range`() async throws {
    let path = directory.path("file")
    try write(Bytes(repeatElement(7, count: 8193)), to: path)
    let source = MappedSource(path)
    let reader = try await RangeReader(source)
    for range in ranges {
      source.advise(.willNeed, range, of: reader.source)
      reader.advise(.willNeed, range)
      reader.advise(.dontNeed, range)
      let isThere = range.isEmpty && range.lowerBound >= 0 || range.lowerBound >= 0 && range.upperBound <= 8193
      do {
        #expect(try await reader.read(range).count == range.count && isThere)
      } catch let error as ReadError {
        #expect(error.code == .rangeNotSatisfiable && !isThere, "\(range)")
      }
    }
    await reader.close()
  }

  @Test func `a block size may be any`() async throws {
    let path = directory.path("file")
    try write(Bytes(repeatElement(7, count: 8193)), to: path)
    for size in integers where size >= 0 {
      let source = MappedSource(path, configuration: .init(blockSize: .bytes(size)))
      if size > 0, size & (size - 1) == 0 {
        #expect(try await source.describe().preferredBlockSize.bytes == min(size, 1 << 30))
      } else {
        await #expect(throws: ReadError.self) { try await source.describe() }
      }
      await source.close()
    }
  }
}
