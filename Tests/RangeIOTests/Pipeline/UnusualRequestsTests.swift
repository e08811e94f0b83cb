import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// A stage of the user's may pass on anything: what the stages below then see, and what the stage gets.
@Suite(.simulated) struct UnusualRequestsTests {
  /// Passes on other ranges than it was asked for.
  private final class Straying: ReadStage {
    let ranges: [ByteRange]
    /// The bytes that stages above do not see, at the end; `nil` for a stage that shows what is below.
    let hidden: Int?
    let got = Noted<[Bytes]>()
    let isHere = Noted<Bool>()

    init(_ ranges: [ByteRange], hidden: Int? = nil) { (self.ranges, self.hidden) = (ranges, hidden) }

    func describe(_ below: SourceDescription) -> SourceDescription {
      hidden.map { below.deriving("cut:\($0)", byteCount: below.byteCount - $0) } ?? below
    }

    private func stray(_ request: ReadRequest) -> ReadRequest {
      var other = request
      other.range = ranges[0]
      other.moreRanges = Array(ranges.dropFirst())
      return other
    }

    func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse> {
      isHere.add(next.answer(stray(request)).value != nil)
      return .later
    }

    func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
      let response = try await next(stray(request))
      got.add([response.bytes] + response.moreBytes)
      return ReadResponse(Bytes([UInt8](repeating: 0, count: request.range.count)))
    }
  }

  enum Below: CaseIterable {
    case source, waitingSource, caching, exactCaching, secondReads, merging, limiting, header
  }

  private let content: [UInt8] = Array(0..<100)

  private func reader(_ straying: Straying, _ below: Below) async throws -> (RangeReader, ContentSource) {
    let source = ContentSource(content, isPrompt: below != .waitingSource)
    let lower: ReadPipeline =
      switch below {
      case .source, .waitingSource: []
      case .caching: .caching(MemoryStore(limit: .mebibytes(1)))
      case .exactCaching: .caching(MemoryStore(limit: .mebibytes(1)), fill: .requestedFirst, blockSize: .bytes(16))
      case .secondReads: .caching(MemoryStore(limit: .mebibytes(1)), onSecondRead: true)
      case .merging: .merging()
      case .limiting: .limiting(maxConcurrentReads: 2)
      case .header: .stage(NotingStage(name: "header", notes: Noted(), header: 10))
      }
    let reader = try await RangeReader(source, [.stage(straying), lower])
    return (reader, source)
  }

  @Test(arguments: Below.allCases) func `an empty range gives empty bytes, wherever it lies`(_ below: Below)
    async throws
  {
    for empty in [0..<0, 50..<50, 100..<100, 1000..<1000, -3 ..< -3, Int.max..<Int.max] {
      let straying = Straying([empty])
      let (reader, source) = try await reader(straying, below)
      _ = try await reader.read(0..<10)
      #expect(straying.got.all == [[Bytes()]] && straying.isHere.all == [false] && source.requests.isEmpty)
      await reader.close()
    }
  }

  @Test(arguments: Below.allCases) func `empty ranges among others leave the others as they are`(_ below: Below)
    async throws
  {
    let straying = Straying([0..<0, 5..<7, 90..<90, 20..<30, 8..<8])
    let (reader, _) = try await reader(straying, below)
    let first = UInt8(below == .header ? 10 : 0)
    for _ in 0..<2 {
      _ = try await reader.read(0..<10)
      let expected = [[], Array(5..<7), [], Array(20..<30), []].map { (bytes: [UInt8]) in
        Bytes(bytes.map { $0 + first })
      }
      #expect(straying.got.takeAll() == [expected])
    }
    await reader.close()
  }

  @Test(arguments: Below.allCases)
  func `a range that is not within the source is refused, and the message names the stage`(_ below: Below) async throws
  {
    for range in [99..<101, 100..<101, 5000..<5001, -1..<5, -10 ..< -5, 0..<Int.max, Int.min..<0, Int.min..<Int.max] {
      for ranges in [[range], [0..<10, range], [range, 3..<3, 0..<10]] {
        let straying = Straying(ranges)
        let (reader, source) = try await reader(straying, below)
        let error = await #expect(throws: ReadError.self) { try await reader.read(0..<10) }
        #expect(error?.code == .invalidResponse && error?.message.contains("Straying asks for \(range)") == true)
        #expect(straying.isHere.all == [false] && source.requests.isEmpty)
        await reader.close()
      }
    }
  }

  @Test func `what counts is the description below, not the one that the stage shows`() async throws {
    let straying = Straying([60..<100], hidden: 50)
    let (reader, _) = try await reader(straying, .caching)
    #expect(reader.byteCount == 50)
    _ = try await reader.read(0..<10)
    #expect(straying.got.all == [[Bytes(60..<100)]])
    await reader.close()

    let beyond = Straying([60..<101], hidden: 50)
    let (other, _) = try await self.reader(beyond, .caching)
    let error = await #expect(throws: ReadError.self) { try await other.read(0..<10) }
    #expect(error?.code == .invalidResponse && error?.message.contains("of 100 bytes") == true)
    await other.close()
  }
}
