import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct KernelTextTests {
  @Test(
    arguments: [
      ("0", 0), ("4096", 4096), ("007", 7), ("9223372036854775807", .max), ("9223372036854775808", .max),
      ("18446744073709551615", .max), ("99999999999999999999999999999999", .max), ("", nil), ("max", nil), ("-1", nil),
      ("1 ", nil), ("1.5", nil), ("+1", nil), ("12x", nil), ("٣", nil),
    ] as [(String, Int?)])
  func `a number is digits and stops at the largest`(text: String, wanted: Int?) {
    #expect(KernelText(text).number == wanted)
  }

  @Test(
    arguments: [
      ("0.00", 0), ("12.50", 0.125), ("100.00", 1), ("7", 0.07), ("250.00", 1), ("99999999999999999999.0", 1),
      ("1.0000000000000000000000001", 0.01), ("", nil), (".", nil), (".5", nil), ("5.", nil), ("nan", nil),
      ("inf", nil), ("1e3", nil), ("-1.0", nil), ("1.-1", nil), ("1.2.3", nil),
    ] as [(String, Double?)])
  func `a percentage is a part of one`(text: String, wanted: Double?) {
    #expect(KernelText(text).percentage == wanted)
  }

  @Test(arguments: [
    (#"/a\040b"#, "/a b"), (#"\134040"#, #"\040"#), (#"tab\011line\012"#, "tab\tline\n"), (#"\303\244"#, "ä"),
    (#"end\"#, #"end\"#), (#"short\04"#, #"short\04"#), (#"\08x\400\999"#, #"\08x\400\999"#), ("", ""),
  ])
  func `octal codes stand for bytes, and all else for itself`(text: String, wanted: String) {
    #expect(KernelText(text).unescaped == KernelText(wanted))
  }

  @Test func `a number is found by the whole of its name`() {
    let text = KernelText("inactive_anon 1\ntotal_inactive_file 2\ninactive_file 3\ninactive_file 4\nbad\ntwo 1 2\n")
    #expect(text.number(of: "inactive_file") == 3)
    #expect(text.number(of: "total_inactive_file") == 2)
    #expect(text.number(of: "inactive") == nil)
    #expect(text.number(of: "bad") == nil)
    #expect(text.number(of: "two") == nil)
  }

  @Test func `how much time was lost is read from the averages over ten seconds`() {
    #expect(StallShares(KernelText(FakeSystem.stalls(some: "12.50", full: "3.00"))) == StallShares(0.125, 0.03))
    #expect(StallShares(KernelText("some avg10=50.00 avg60=0.00 avg300=0.00 total=0\n")) == StallShares(0.5, nil))
    #expect(StallShares(KernelText("full avg60=1.00 avg10=50.00\nsome avg60=1.00\n")) == StallShares(nil, 0.5))
    #expect(StallShares(nil) == StallShares(nil, nil))
  }

  @Test(arguments: [
    "", "\n\n", "some", "some avg10=", "some avg10=x", "some avg10 =1", "avg10=1.00", "most avg10=1.00",
  ])
  func `lost time that makes no sense is not known`(text: String) {
    #expect(StallShares(KernelText(text)) == StallShares(nil, nil))
  }
}

extension StallShares {
  fileprivate init(_ some: Double?, _ all: Double?) {
    self.init(nil)
    (self.some, self.all) = (some, all)
  }
}
