import RangeIO
import Testing

@testable import RangeIORemote

/// Dates, fields, ranges and tags, as servers write them.
struct HeaderValueTests {
  @Test func `the three forms of a date are one`() {
    for text in [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
      "sun, 6 nov 1994 08:49:37 gmt",
    ] { #expect(HTTPDate(text)?.secondsSince1970 == 784_111_777, "\(text)") }
    #expect(HTTPDate(secondsSince1970: 784_111_777).text == oldDate)
    #expect(HTTPDate("Monday, 23-Nov-26 00:00:00 GMT")?.secondsSince1970 == testNow)
  }

  @Test(arguments: [
    "", "0", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 32 Nov 1994 08:49:37 GMT",
    "Sun, 29 Feb 2023 08:49:37 GMT", "Sun, 06 Xxx 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49 GMT", "Sun, -6 Nov 1994 08:49:37 GMT x", "Sun, 00 Nov 1994 08:49:37 GMT",
  ]) func `what is no date is none`(_ text: String) { #expect(HTTPDate(text) == nil) }

  @Test func `dates come back from their text, from 1601 to 9999`() {
    var random = SeededNumbers(1)
    for _ in 0..<2000 {
      let date = HTTPDate(secondsSince1970: Int.random(in: -11_644_473_600...253_402_300_799, using: &random))
      #expect(HTTPDate(date.text) == date, "\(date.text)")
    }
    #expect(HTTPDate(secondsSince1970: 0).text == "Thu, 01 Jan 1970 00:00:00 GMT")
    #expect(HTTPDate(secondsSince1970: 951_782_400).text == "Tue, 29 Feb 2000 00:00:00 GMT")
    #expect(HTTPDate(secondsSince1970: -1).text == "Wed, 31 Dec 1969 23:59:59 GMT")
    #expect(HTTPDate("Sun, 31 Dec 2016 23:59:60 GMT")?.secondsSince1970 == 1_483_228_799)
  }

  @Test func `fields are found whatever the case of their names`() throws {
    var fields = HeaderFields(["Content-Type": "a", "X-One": " b\t", "x-one": "c"])
    #expect(fields["CONTENT-type"] == "a" && fields["x-ONE"] == "b" && fields.values(of: "X-one") == ["b", "c"])
    fields.set("X-ONE", "d")
    #expect(fields.values(of: "x-one") == ["d"] && fields.count == 2)
    fields.set("content-type", nil)
    #expect(fields["Content-Type"] == nil && fields.all.map(\.name) == ["X-ONE"])
    try fields.append("e", "")
    #expect(fields["E"] == "")
  }

  @Test func `Content-Range is read, and nonsense is invalid`() {
    #expect(ContentRange("bytes 0-9/10") == .range(0..<10, total: 10))
    #expect(ContentRange("Bytes  5-5/ 10 ") == .range(5..<6, total: 10))
    #expect(ContentRange("bytes 5-9/*") == .range(5..<10, total: nil))
    #expect(ContentRange("bytes */10") == .unsatisfied(total: 10))
    #expect(
      ContentRange("bytes=0-9/10") == .range(0..<10, total: 10) && ContentRange("bytes=*/5") == .unsatisfied(total: 5))
    for text in [
      "", "bytes", "bytes ", "bytes */*", "bytes==0-9/10", "bytes:0-9/10", "bytes 9-0/10", "bytes 0-10/10", "bytes 0-9",
      "bytes 0-9/10/10",
      "bytes -9/10", "bytes 0-/10", "bytes +0-9/10", "bytes 0-9/-10", "bytes 0-9223372036854775807/*",
      "bytes 0-9223372036854775808/*", "bytes 0-9/99999999999999999999", "bits 0-9/10", "bytes 0 - 9/10",
    ] { #expect(ContentRange(text) == .invalid, "\(text)") }
  }

  @Test func `tags are weak, strong, without quotes, or none`() {
    #expect(EntityTag("\"a\"")?.condition == "\"a\"" && EntityTag("\"a\"")?.isWeak == false)
    #expect(EntityTag("W/\"a\"")?.isWeak == true && EntityTag("W/\"a\"")?.condition == nil)
    #expect(EntityTag("w/\"a\"") == EntityTag("W/\"a\""))
    #expect(EntityTag("a")?.condition == nil && EntityTag("a") == EntityTag("\"a\""))
    #expect(EntityTag("\"a-gzip\"") != EntityTag("\"a\"") && EntityTag("\"a-gzip\"")?.namesEncoding == true)
    #expect(EntityTag("W/\"a\"") != EntityTag("\"a\""))
    #expect(EntityTag("\"a\u{fffd}\"") == nil)
    #expect(EntityTag("") == nil && EntityTag("\"\"") == nil && EntityTag(" ") == nil)
    // A quote that an accent or another mark makes one character with.
    for text in ["\"\u{301}a\"", "\"a\u{600}\""] { #expect(EntityTag(text)?.condition == text) }
    #expect(EntityTag("\"\u{301}a\"") != EntityTag("\"\u{302}a\""))
    #expect(EntityTag("W/\u{301}a") != EntityTag("W/a"))
    // Equal to Unicode, not to a server.
    #expect(EntityTag("\"e\u{301}\"") != EntityTag("\"\u{e9}\""))
  }

  @Test func `a version is stored by number or strong tag, with its size`() throws {
    let tagged = ObjectVersion.tagged("\"a\"", size: 10)
    #expect(tagged.persistentForm == Array("t".utf8) + [10, 0, 0, 0, 0, 0, 0, 0] + Array("a".utf8))
    #expect(ObjectVersion.tagged("\"a\"", size: 11).persistentForm != tagged.persistentForm)
    let numbered = ObjectVersion(.versionID(ExactText("a")), size: 10)
    #expect(numbered.persistentForm != nil && numbered.persistentForm != tagged.persistentForm)
    #expect(ObjectVersion.tagged("W/\"a\"", size: 10).persistentForm == nil)
    #expect(ObjectVersion.tagged("\"" + String(repeating: "a", count: 4096) + "\"", size: 10).persistentForm == nil)
    let date = try #require(HTTPDate(oldDate))
    #expect(ObjectVersion(.lastModified(date), size: 1).persistentForm == nil)
    #expect(ObjectVersion(.lastModified(date), size: 1, trustsTime: true).persistentForm?.first == UInt8(ascii: "m"))
  }

  @Test func `versions differ by identifier or size, and say how`() {
    let old = ObjectVersion.tagged("\"a\"", size: 10)
    #expect(old.change(to: ObjectVersion.tagged("\"a\"", size: 10)) == .same)
    #expect(old.change(to: ObjectVersion.tagged("\"b\"", size: 10)) == .other)
    #expect(old.change(to: ObjectVersion.tagged("\"a\"", size: 11)) == .other)
    #expect(old.words(for: ObjectVersion.tagged("\"b\"", size: 10)).contains("tag \"b\""))
    #expect(old.words(for: ObjectVersion.tagged("\"b\"", size: 11)).contains("11 bytes where it had 10"))
    let validator: any SourceDescription.Validator = old
    #expect(old.change(to: validator) == .same)
    #expect(ObjectVersion(.unknown, size: 1).validator == nil)
  }

  @Test func `each failure has a code and keeps what it says`() {
    let failure = Failure(.busy(503), "the server is busy", retryAfter: .seconds(3))
    let error = failure.readError(source: "https://h/x", range: 5..<10)
    #expect(error.code == .inputOutput && error.isTransient && error.retryAfter == .seconds(3))
    #expect(error.range == 5..<10 && error.source == "https://h/x" && error.message == "the server is busy")
    #expect(Failure(.changed, "x").code == .sourceChanged && Failure(.notFound, "x").code == .notFound)
    #expect(Failure(.changed, "x").isTransient == false && Failure(.changed, "x", isTransient: true).isTransient)
  }
}
