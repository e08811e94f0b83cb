import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct VectoredReadTests {
  private let content: [UInt8] = Array(0..<100)

  @Test(arguments: [true, false])
  func `several ranges are one request, answered in the order asked`(isPrompt: Bool) async throws {
    let source = ContentSource(content, isPrompt: isPrompt)
    let notes = Noted<NotingStage.Seen>()
    let reader = try await RangeReader(source, [.stage(NotingStage(name: "s", notes: notes))])
    let ranges = [50..<60, 0..<3, 55..<58, 99..<100]
    let answers = try await reader.read(ranges)
    #expect(answers.map(Array.init) == ranges.map { Array(content[$0]) })
    #expect(source.requests == [.init(ranges: ranges, id: "content")])
    #expect(notes.all.count == 1)
    #expect(notes.all.first?.moreRanges == [0..<3, 55..<58, 99..<100])
    #expect(reader.statistics().reads == 1)
    #expect(reader.statistics().bytes == 17)
  }

  @Test func `empty ranges are answered without the source`() async throws {
    let source = ContentSource(content)
    let reader = try await RangeReader(source)
    #expect(try await reader.read([] as [ByteRange]) == [])
    #expect(try await reader.read([5..<5, 100..<100]) == [Bytes(), Bytes()])
    #expect(source.requests.isEmpty)
    let mixed = try await reader.read([5..<5, 1..<3, 9..<9, 4..<5, 0..<0])
    #expect(mixed.map(Array.init) == [[], [1, 2], [], [4], []])
    #expect(source.requests == [.init(ranges: [1..<3, 4..<5], id: "content")])
  }

  @Test func `one range past the end fails all before the source is asked`() async throws {
    let source = ContentSource(content)
    let reader = try await RangeReader(source)
    let error = await #expect(throws: ReadError.self) { try await reader.read([0..<1, 99..<101]) }
    #expect(error?.code == .rangeNotSatisfiable)
    #expect(error?.message.contains("100 bytes") == true)
    #expect(source.requests.isEmpty)
  }

  @Test func `a deriving stage moves every range`() async throws {
    let reader = try await RangeReader(
      ContentSource(content), [.stage(NotingStage(name: "s", notes: Noted(), header: 10))])
    #expect(try await reader.read([0..<2, 80..<82]).map(Array.init) == [[10, 11], [90, 91]])
  }

  @Test func `a source with one verb answers several ranges one by one, and those without a gap together`() async throws
  {
    struct Plain: RangeSource {
      let bytes: Bytes
      func describe() async throws -> SourceDescription {
        SourceDescription(id: "plain", validator: nil, byteCount: bytes.count)
      }
      let asked = Noted<ByteRange>()
      func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
        asked.add(range)
        return bytes.slice(range)
      }
    }
    let source = Plain(bytes: Bytes(content))
    let reader = try await RangeReader(source)
    #expect(try await reader.read([9..<11, 0..<1]).map(Array.init) == [[9, 10], [0]])

    let description = try await source.describe()
    let grid = try #require(BlockGrid(blockSize: 16))
    let scattered = try await source.read(grid.pieces(of: 10..<50).map(\.range), of: description)
    #expect(source.asked.all == [9..<11, 0..<1, 10..<50])
    #expect(scattered.map(Array.init) == [Array(10..<16), Array(16..<32), Array(32..<48), Array(48..<50)])
  }
}
