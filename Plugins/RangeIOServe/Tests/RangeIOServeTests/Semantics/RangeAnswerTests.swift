import RangeIORemote
import RangeIOServe
import Testing

struct RangeAnswerTests {
  private static let modified = HTTPDate(secondsSince1970: 1_000_000_000)
  private static let version = ServedVersion(tag: EntityTag("\"one\""), modified: modified, size: 100)

  private func answer(
    _ range: String?, size: Int = 100, _ change: (inout Preconditions) -> Void = { _ in }
  ) -> RangeAnswer {
    var conditions = Preconditions()
    change(&conditions)
    var version = Self.version
    version.size = size
    return RangeAnswer(range: range, conditions, for: version)
  }

  @Test(
    arguments: [
      (nil, .whole), ("bytes=0-9", .part(0..<10)), ("bytes=90-", .part(90..<100)), ("bytes=-10", .part(90..<100)),
      ("bytes=-1000", .part(0..<100)), ("bytes=99-1000", .part(99..<100)), ("bytes=100-", .notSatisfiable),
      ("bytes=-0", .notSatisfiable), ("bytes=5-2", .whole), ("bytes=0-1", .part(0..<2)),
      ("bytes=0-1,4-5", .parts([0..<2, 4..<6])), ("bytes=4-5,0-1", .parts([4..<6, 0..<2])),
      ("bytes=0-1,200-", .part(0..<2)), ("bytes=200-,300-", .notSatisfiable),
      ("bytes=0-98,1-99", .whole), ("bytes=0-49,50-99", .parts([0..<50, 50..<100])),
      ("bytes=0-9223372036854775807", .part(0..<100)), ("bytes=-9223372036854775807", .part(0..<100)),
    ] as [(String?, RangeAnswer)])
  func `ranges are answered as RFC 9110 says`(range: String?, expected: RangeAnswer) {
    #expect(answer(range) == expected)
  }

  @Test(
    arguments: [
      // Their sum, and that with the text between them, is no number.
      ("bytes=0-,0-,0-", .whole), ("bytes=0-,0-", .whole), ("bytes=0-9,9-", .whole),
      ("bytes=0-9223372036854775000,9223372036854775001-", .whole),
      ("bytes=0-0,-1", .parts([0..<1, .max - 1 ..< .max])),
      ("bytes=9223372036854775806-", .part(.max - 1 ..< .max)),
    ] as [(String, RangeAnswer)])
  func `an object may be as long as numbers go`(range: String, expected: RangeAnswer) {
    let found = answer(range, size: .max)
    #expect(found == expected)
    guard case .parts(let ranges) = found else { return }
    #expect(MultipartRanges(ranges, size: .max, mediaType: "text/plain", number: 7).byteCount > 2)
  }

  @Test func `sixteen ranges are answered and seventeen are refused`() {
    func ranges(_ count: Int) -> String { "bytes=" + (0..<count).map { "\($0 * 2)-\($0 * 2)" }.joined(separator: ",") }
    #expect(answer(ranges(16)) == .parts((0..<16).map { $0 * 2..<$0 * 2 + 1 }))
    #expect(answer(ranges(17)) == .notSatisfiable)
  }

  @Test func `nothing has no first byte, and its suffix is itself`() {
    #expect(answer("bytes=0-", size: 0) == .notSatisfiable)
    #expect(answer("bytes=-5", size: 0) == .whole)
    #expect(answer("bytes=-0", size: 0) == .notSatisfiable)
    #expect(answer(nil, size: 0) == .whole)
  }

  @Test func `conditions come before ranges, in the order of RFC 9110`() {
    let early = "Sat, 08 Sep 2001 01:46:40 GMT"
    let same = Self.modified.text
    #expect(answer("bytes=0-1") { $0.ifMatch = ["\"two\""] } == .preconditionFailed)
    #expect(answer("bytes=0-1") { $0.ifMatch = ["\"two\", \"one\""] } == .part(0..<2))
    #expect(answer(nil) { $0.ifMatch = ["*"] } == .whole)
    #expect(answer(nil) { $0.ifMatch = ["W/\"one\""] } == .preconditionFailed)
    #expect(answer(nil) { $0.ifUnmodifiedSince = early } == .preconditionFailed)
    #expect(answer(nil) { $0.ifUnmodifiedSince = same } == .whole)
    // If-Match is judged in place of the date.
    #expect(answer(nil) { ($0.ifMatch, $0.ifUnmodifiedSince) = (["\"one\""], early) } == .whole)
    #expect(answer(nil) { $0.ifNoneMatch = ["\"one\""] } == .notModified)
    #expect(answer("bytes=0-1") { $0.ifNoneMatch = ["W/\"one\""] } == .notModified)
    #expect(answer(nil) { $0.ifNoneMatch = ["*"] } == .notModified)
    #expect(answer(nil) { $0.ifNoneMatch = ["\"two\""] } == .whole)
    #expect(answer(nil) { $0.ifModifiedSince = same } == .notModified)
    #expect(answer(nil) { $0.ifModifiedSince = early } == .whole)
    #expect(answer(nil) { ($0.ifNoneMatch, $0.ifModifiedSince) = (["\"two\""], same) } == .whole)
    #expect(answer(nil) { $0.ifModifiedSince = "yesterday" } == .whole)
    #expect(answer(nil) { ($0.ifMatch, $0.ifNoneMatch) = (["\"two\""], ["\"one\""]) } == .preconditionFailed)
  }

  @Test func `If-Range decides whether a range applies`() {
    #expect(answer("bytes=0-1") { $0.ifRange = "\"one\"" } == .part(0..<2))
    #expect(answer("bytes=0-1") { $0.ifRange = "\"two\"" } == .whole)
    #expect(answer("bytes=0-1") { $0.ifRange = "W/\"one\"" } == .whole)
    // Another version may have the same date, and there is a tag.
    #expect(answer("bytes=0-1") { $0.ifRange = Self.modified.text } == .whole)
    #expect(answer("bytes=0-1") { $0.ifRange = "one" } == .whole)
    #expect(answer(nil) { $0.ifRange = "\"two\"" } == .whole)
    #expect(answer("bytes=500-") { $0.ifRange = "\"two\"" } == .whole)
  }

  @Test func `without a tag a date decides, after its second`() {
    let version = ServedVersion(tag: nil, modified: Self.modified, size: 100)
    let during = version.shown(at: Self.modified)
    let after = version.shown(at: HTTPDate(secondsSince1970: Self.modified.secondsSince1970 + 1))
    let (date, later) = (Self.modified.text, HTTPDate(secondsSince1970: Self.modified.secondsSince1970 + 60).text)
    func answer(_ version: ServedVersion, _ change: (inout Preconditions) -> Void) -> RangeAnswer {
      var conditions = Preconditions()
      change(&conditions)
      return RangeAnswer(range: "bytes=0-1", conditions, for: version)
    }
    #expect(answer(after) { $0.ifRange = date } == .part(0..<2))
    #expect(answer(during) { $0.ifRange = date } == .whole)
    #expect(answer(after) { $0.ifRange = later } == .whole)
    #expect(answer(after) { $0.ifModifiedSince = date } == .notModified)
    #expect(answer(during) { $0.ifModifiedSince = date } == .part(0..<2))
    #expect(answer(during) { $0.ifModifiedSince = later } == .part(0..<2))
    #expect(answer(after) { $0.ifUnmodifiedSince = date } == .part(0..<2))
    #expect(answer(during) { $0.ifUnmodifiedSince = date } == .preconditionFailed)
  }

  @Test func `a weak tag names a version for caches, and not for parts`() {
    let young = ServedVersion(tag: EntityTag("W/\"one\""), modified: Self.modified, size: 100)
    var conditions = Preconditions()
    conditions.ifRange = "\"one\""
    #expect(RangeAnswer(range: "bytes=0-1", conditions, for: young) == .whole)
    conditions = Preconditions()
    conditions.ifMatch = ["\"one\""]
    #expect(RangeAnswer(range: nil, conditions, for: young) == .preconditionFailed)
    conditions = Preconditions()
    conditions.ifNoneMatch = ["\"one\""]
    #expect(RangeAnswer(range: nil, conditions, for: young) == .notModified)
  }

  @Test func `tags with commas in them are kept whole`() {
    let list = EntityTagList(["\"a,b\" , W/\"c\"", "\"d\"", "nothing"])
    #expect(list == .tags([EntityTag("\"a,b\"")!, EntityTag("W/\"c\"")!, EntityTag("\"d\"")!]))
  }

  @Test func `the body of several ranges has the length that was announced`() {
    let parts = MultipartRanges([0..<2, 90..<100], size: 100, mediaType: "text/plain", number: 7)
    var body = ""
    for index in parts.ranges.indices {
      body += parts.head(at: index) + String(repeating: "x", count: parts.ranges[index].count)
    }
    body += parts.end
    #expect(body.utf8.count == parts.byteCount)
    #expect(parts.contentType == "multipart/byteranges; boundary=rangeio-0000000000000007")
    #expect(
      body.hasPrefix(
        "--rangeio-0000000000000007\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/100\r\n\r\nxx\r\n--"))
  }
}
