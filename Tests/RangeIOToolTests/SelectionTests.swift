#if Tool
import RangeIO
import Testing

@testable import RangeIOTool

@Suite struct SelectionTests {
  @Test(arguments: [
    ("0..<4096", Selection.span(offset: 0, count: 4096)),
    ("4KiB..<64KiB", .span(offset: 4096, count: 61_440)),
    ("..<8", .span(offset: 0, count: 8)),
    ("7..<7", .span(offset: 7, count: 0)),
    ("1G...", .from(1 << 30)),
    ("0..<\(Int.max)", .span(offset: 0, count: .max)),
    ("0...10", .span(offset: 0, count: 11)), ("5...5", .span(offset: 5, count: 1)),
    ("...9", .span(offset: 0, count: 10)),
    ("0-99", .span(offset: 0, count: 100)), ("100-", .from(100)), ("-100", .suffix(100)),
    ("1.5K-64KB", .span(offset: 1536, count: 64_001 - 1536)),
    ("1...\(Int.max - 1)", .span(offset: 1, count: .max - 1)),
  ])
  func `a range is read as people write it`(text: String, expected: Selection) throws {
    #expect(try Selection.parse(range: text) == expected)
  }

  @Test(arguments: [
    "5..<3", "\(Int.max)..<0", "", "..", "...", "..<", "5", "-1..<3", "1..<-3", "1...-3", "1..<2..<3", "a..<b",
    "-", "--5", "5-3", "1-2-3", "0-99,200-299", "1...2...3", "0...\(Int.max)", "0-\(Int.max)", "1.5..<2",
    "0..<9223372036854775808", "9999999999999999999...", "16777216TiB...",
  ])
  func `what is no range is a usage error and never a trap`(text: String) {
    let failure = #expect(throws: ToolFailure.self) { try Selection.parse(range: text) }
    #expect(failure?.status == .usage)
  }

  @Test func `offset and length go together and must not overflow`() throws {
    #expect(
      try Selection(range: nil, offset: "1KiB", length: "3", suffix: nil) == .span(offset: 1024, count: 3))
    for (offset, length) in [("1", nil), (nil, "1"), ("\(Int.max)", "1"), ("1", "\(Int.max)")] {
      let failure = #expect(throws: ToolFailure.self) {
        try Selection(range: nil, offset: offset, length: length, suffix: nil)
      }
      #expect(failure?.status == .usage)
    }
  }

  @Test func `only one way of choosing may be used`() {
    for (range, offset, suffix) in [("0...", "1", nil), ("0...", nil, "1"), (nil, "1", "1")] {
      #expect(throws: ToolFailure.self) { try Selection(range: range, offset: offset, length: offset, suffix: suffix) }
    }
  }

  @Test func `several ranges are selections in their order`() throws {
    #expect(
      try Selection.all(ranges: ["5-9", "0..<2", "-3"], offset: nil, length: nil, suffix: nil)
        == [.span(offset: 5, count: 5), .span(offset: 0, count: 2), .suffix(3)])
    #expect(try Selection.all(ranges: [], offset: "1", length: "2", suffix: nil) == [.span(offset: 1, count: 2)])
    #expect(try Selection.all(ranges: [], offset: nil, length: nil, suffix: nil) == [.whole])
    for ranges in [["0-1", "2-3"], ["0-1"]] {
      #expect(throws: ToolFailure.self) {
        try Selection.all(ranges: ranges, offset: nil, length: nil, suffix: "1")
      }
    }
  }

  @Test func `no option selects the whole source`() throws {
    #expect(try Selection(range: nil, offset: nil, length: nil, suffix: nil) == .whole)
  }

  @Test func `a selection becomes a range of a source`() {
    #expect(Selection.whole.range(in: 10) == 0..<10)
    #expect(Selection.from(4).range(in: 10) == 4..<10)
    #expect(Selection.from(11).range(in: 10) == 10..<10)
    #expect(Selection.suffix(3).range(in: 10) == 7..<10)
    #expect(Selection.suffix(30).range(in: 10) == 0..<10)
    #expect(Selection.span(offset: 2, count: 3).range(in: 10) == 2..<5)
  }
}
#endif
