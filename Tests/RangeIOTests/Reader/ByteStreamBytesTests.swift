import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct ByteStreamBytesTests {
  private let content = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  @Test(arguments: [1, 7, 1024, 2999, 3000, 1 << 20])
  func `every byte comes once and in order, however the stream is cut`(chunkSize: Int) async throws {
    let reader = try await RangeReader(ContentSource(content))
    var all: [UInt8] = []
    for try await byte in reader.stream(chunkSize: .bytes(chunkSize)).bytes { all.append(byte) }
    #expect(all == content)
    var part: [UInt8] = []
    for try await byte in reader.stream(100..<2000, chunkSize: .bytes(chunkSize)).bytes { part.append(byte) }
    #expect(part == Array(content[100..<2000]))
  }

  @Test func `pieces that are ropes are read across their seams`() async throws {
    let source = ContentSource(content) { range, all in
      Bytes(concatenating: range.map { all.slice($0..<$0 + 1) })
    }
    var all: [UInt8] = []
    for try await byte in try await RangeReader(source).stream(chunkSize: .bytes(50)).bytes { all.append(byte) }
    #expect(all == content)
  }

  @Test func `an empty range has no bytes, and the end is the end`() async throws {
    let reader = try await RangeReader(ContentSource(content))
    var empty = reader.stream(5..<5).bytes.makeAsyncIterator()
    #expect(try await empty.next() == nil)
    var two = reader.stream(0..<2).bytes.makeAsyncIterator()
    #expect(try await two.next() == content[0])
    #expect(try await two.next() == content[1])
    #expect(try await two.next() == nil)
    #expect(try await two.next() == nil)
  }

  @Test func `each iteration starts anew`() async throws {
    let bytes = try await RangeReader(ContentSource(content)).stream(0..<10).bytes
    for _ in 0..<2 {
      var count = 0
      for try await _ in bytes { count += 1 }
      #expect(count == 10)
    }
  }

  @Test func `an error is thrown and then the sequence ends`() async throws {
    let source = ContentSource(content) { _, _ in throw Refusal.no }
    var iterator = try await RangeReader(source).stream().bytes.makeAsyncIterator()
    await #expect(throws: Refusal.no) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  /// What is generic asks for the next element by the protocol.
  private func all<S: AsyncSequence>(
    of sequence: S, isolation: isolated (any Actor)? = #isolation
  ) async throws -> [S.Element] {
    var all: [S.Element] = []
    for try await element in sequence {
      isolation?.assertIsolated()
      all.append(element)
    }
    return all
  }

  @MainActor @Test func `generic code on an actor stays there, and gets the same`() async throws {
    let reader = try await RangeReader(ContentSource(content))
    let stream = reader.stream(chunkSize: .bytes(100))
    #expect(try await all(of: stream.bytes) == content)
    #expect(try await all(of: stream).flatMap { Array($0) } == content)
    #expect(try await all(of: stream.map { $0.count }).reduce(0, +) == 3000)
    #expect(try await all(of: stream.lines).count == content.count { $0 == 10 } + 1)
  }

  @MainActor @Test func `a loop on the main actor stays there`() async throws {
    let reader = try await RangeReader(ContentSource(content))
    var sum = 0
    for try await byte in reader.stream(chunkSize: .bytes(100)).bytes {
      MainActor.assertIsolated()
      sum += Int(byte)
    }
    #expect(sum == content.reduce(0) { $0 + Int($1) })
  }
}
