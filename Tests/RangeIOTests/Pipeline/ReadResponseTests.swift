import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct ReadResponseTests {
  private let source = SourceDescription(id: "s", validator: nil, byteCount: 100)

  @Test func `counts include all ranges and pieces`() {
    #expect(ReadRequest(10..<15, of: source).byteCount == 5)
    #expect(ReadRequest(10..<15, moreRanges: [0..<1, 7..<9], of: source).byteCount == 8)
    #expect(ReadResponse(Bytes([1, 2]), moreBytes: [Bytes([3]), Bytes()]).byteCount == 3)
  }

  @Test func `a request is a demand without a deadline`() {
    let request = ReadRequest(0..<1, of: source)
    #expect(request.purpose == .demand)
    #expect(request.deadline == nil)
    #expect(request.moreRanges.isEmpty)
  }

  @Test func `map transforms each piece with its range`() throws {
    let request = ReadRequest(0..<1, moreRanges: [5..<7, 9..<10], of: source)
    let response = ReadResponse([1], moreBytes: [[2, 3], [4]])
    let mapped = response.map(request) { range, bytes in Bytes(bytes.map { $0 &+ UInt8(range.lowerBound) }) }
    #expect(mapped.bytes == [1])
    #expect(mapped.moreBytes == [[7, 8], [13]])
    #expect(throws: Refusal.no) { try response.map(request) { _, _ throws(Refusal) in throw .no } }
  }
}

/// Sources and stages that break their contract.
@Suite struct WrongCountTests {
  @Test(arguments: [true, false], [-1, 1])
  func `a source that answers with too few or too many bytes is rejected`(isPrompt: Bool, by: Int) async throws {
    let source = ContentSource(Array(0..<100), isPrompt: isPrompt) { range, all in
      all.slice(range.lowerBound..<range.upperBound + by)
    }
    let reader = try await RangeReader(source)
    let error = await #expect(throws: ReadError.self) { try await reader.read(10..<20) }
    #expect(error?.code == .invalidResponse)
    #expect(error?.context == .init(source: "content", offset: 10, count: 10))
    let vectored = await #expect(throws: ReadError.self) { try await reader.read([0..<5, 10..<20]) }
    #expect(vectored?.code == .invalidResponse)
    #expect(reader.statistics().failures == 2)
    #expect(reader.statistics().reads == 0)
  }

  @Test(arguments: [true, false])
  func `a wrong count is found in every piece of a vectored read`(isPrompt: Bool) async throws {
    for broken in [0..<5, 10..<20, 50..<51] {
      let source = ContentSource(Array(0..<100), isPrompt: isPrompt) { range, all in
        range == broken ? all.slice(range.lowerBound..<range.upperBound + 1) : all.slice(range)
      }
      let reader = try await RangeReader(source)
      let error = await #expect(throws: ReadError.self) { try await reader.read([0..<5, 10..<20, 50..<51]) }
      #expect(error?.code == .invalidResponse)
      #expect(error?.context?.offset == broken.lowerBound)
    }
  }

  private struct Answering: ReadStage {
    let response: ReadResponse
    func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse { response }
  }

  @Test func `a stage that answers with the wrong count is rejected`() async throws {
    let reader = try await RangeReader(
      ContentSource(Array(0..<100)), [.stage(Answering(response: ReadResponse([1, 2])))])
    #expect(try await reader.read(5..<7) == [1, 2])
    await #expect(throws: ReadError.self) { try await reader.read(5..<8) }
    await #expect(throws: ReadError.self) { try await reader.read(5..<6) }
  }

  @Test func `a stage that answers the wrong number of ranges is rejected`() async throws {
    let one = try await RangeReader(ContentSource(Array(0..<100)), [.stage(Answering(response: ReadResponse([1, 2])))])
    let missing = await #expect(throws: ReadError.self) { try await one.read([5..<7, 8..<9]) }
    #expect(missing?.code == .invalidResponse)
    let two = try await RangeReader(
      ContentSource(Array(0..<100)), [.stage(Answering(response: ReadResponse([1, 2], moreBytes: [[3]])))])
    let extra = await #expect(throws: ReadError.self) { try await two.read(5..<7) }
    #expect(extra?.code == .invalidResponse)
    #expect(try await two.read([5..<7, 8..<9]) == [[1, 2], [3]])
  }
}
