#if Tool
import RangeIO
import Testing

@testable import RangeIOTool

@Suite struct ToolStatusTests {
  @Test func `the numbers are those that scripts rely on`() {
    #expect(ToolStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 130])
  }

  @Test func `each kind of read error has its status`() {
    let expected: [ReadError.Code: ToolStatus] = [
      .notFound: .unusableSource, .permissionDenied: .unusableSource, .unsupportedSource: .unusableSource,
      .rangeNotSatisfiable: .rangeNotSatisfiable, .sourceChanged: .sourceChanged, .inputOutput: .failure,
      .resourcesExhausted: .failure, .closed: .failure, .timedOut: .failure,
    ]
    for (code, status) in expected { #expect(ToolStatus(code) == status) }
  }

  @Test func `a complaint is one line without control characters`() {
    let complaint = Complaint(ToolFailure("no\nfile \u{1B}[31m\u{2028}here\u{0}\u{202E}", status: .unusableSource))
    #expect(complaint?.status == .unusableSource)
    #expect(complaint?.message == "no file \u{FFFD}[31m\u{FFFD}here\u{FFFD}\u{FFFD}")
  }

  @Test func `cancellation and a closed pipe are not complained of`() {
    #expect(Complaint(CancellationError()) == nil)
    #expect(Complaint(BrokenPipe()) == nil)
  }
}
#endif
