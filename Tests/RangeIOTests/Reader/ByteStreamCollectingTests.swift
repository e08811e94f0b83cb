import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite(.simulated) struct ByteStreamCollectingTests {
  @Test(arguments: [0, 1, 999, 1000, 100_000, 3_000_000]) func `all of a stream is collected`(count: Int) async throws {
    let source = SyntheticSource(byteCount: count)
    let reader = try await RangeReader(source)
    #expect(try await reader.stream(chunkSize: .bytes(1000)).collect(upTo: .bytes(count)) == source.expected(0..<count))
    await reader.close()
  }

  @Test func `a stream that has more than the limit throws before it has been read to its end`() async throws {
    let source = SyntheticSource(byteCount: 100 << 20)
    let reader = try await RangeReader(source)
    let error = await #expect(throws: ReadError.self) { _ = try await reader.stream().collect(upTo: .mebibytes(1)) }
    #expect(error?.code == .limitExceeded)
    #expect(source.bytesRead <= 16 << 20)
    await reader.close()
  }

  @Test func `a reader has lines`() async throws {
    let reader = try await RangeReader(ContentSource(Bytes("one\ntwo\r\nthree".utf8)))
    var lines: [String] = []
    for try await line in reader.lines { lines.append(line) }
    #expect(lines == ["one", "two", "three"])
    await reader.close()
  }
}
