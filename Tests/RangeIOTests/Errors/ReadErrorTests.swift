import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct ReadErrorTests {
  @Test func `the description holds the code, the message and what was being read`() {
    let plain = ReadError(.closed, "open it again")
    #expect("\(plain)" == "closed: open it again")
    let opening = ReadError(.notFound, "check the path", context: .init(source: "/a b"))
    #expect("\(opening)" == "notFound: check the path [/a b]")
    let reading = ReadError(.inputOutput, "try again", context: .init(source: "x", offset: 4096, count: 16))
    #expect("\(reading)" == "inputOutput: try again [x, 16 bytes at 4096]")
  }

  @Test func `what an error is made of is kept, and nothing is transient unless said`() {
    let error = ReadError(.timedOut, "wait", isTransient: true, context: .init(source: "s"), cause: Refusal.no)
    #expect(error.code == .timedOut)
    #expect(error.message == "wait")
    #expect(error.isTransient)
    #expect(error.context == ReadError.Context(source: "s", offset: 0, count: 0))
    #expect(error.cause as? Refusal == .no)
    #expect(!ReadError(.timedOut, "wait").isTransient)
  }

  @Test func `codes have names of their own`() {
    let codes: [(ReadError.Code, String)] = [
      (.rangeNotSatisfiable, "rangeNotSatisfiable"), (.notFound, "notFound"), (.permissionDenied, "permissionDenied"),
      (.unsupportedSource, "unsupportedSource"), (.sourceChanged, "sourceChanged"), (.closed, "closed"),
      (.inputOutput, "inputOutput"), (.resourcesExhausted, "resourcesExhausted"),
      (.invalidResponse, "invalidResponse"), (.invalidConfiguration, "invalidConfiguration"),
      (.limitExceeded, "limitExceeded"), (.timedOut, "timedOut"),
    ]
    for (code, name) in codes { #expect(code.description == name) }
    #expect(Set(codes.map(\.0)).count == codes.count)
  }

  @Test func `a range past the end says the size`() {
    let error = ReadError.rangeNotSatisfiable("90..<120", byteCount: 100, source: "file")
    #expect(error.code == .rangeNotSatisfiable)
    #expect(error.message.contains("90..<120"))
    #expect(error.message.contains("100 bytes"))
    #expect(error.context?.source == "file")
    #expect(!error.isTransient)
  }

  @Test func `closed and changed say what to do`() {
    #expect(ReadError.closed.code == .closed)
    #expect(ReadError.closed.message.contains("make a new one"))
    let changed = ReadError.changed("the file shrank", .init(source: "f", offset: 1, count: 2))
    #expect(changed.code == .sourceChanged)
    #expect(changed.message.hasPrefix("the file shrank"))
    #expect(changed.message.contains("open it again"))
    #expect(changed.context == .init(source: "f", offset: 1, count: 2))
  }
}
