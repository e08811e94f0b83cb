import RangeIOServe
import Testing

/// The lines of an access log.
struct AccessRecordTests {
  private func record(
    target: String = "/a.bin", user: String? = nil, referrer: String? = nil, agent: String? = nil,
    isComplete: Bool = true
  ) -> AccessRecord {
    AccessRecord(
      client: "192.0.2.1", user: user, secondsSince1970: 1_000_000_000, method: "GET", target: target,
      version: "HTTP/1.1", status: 206, bodyBytes: 12, isComplete: isComplete, duration: .microseconds(1_002_900),
      referrer: referrer, userAgent: agent)
  }

  @Test func `a line has the combined format, or is an object`() {
    let full = record(user: "an na", referrer: "https://site.example/page", agent: "curl/8")
    #expect(
      full.combined == #"192.0.2.1 - an\x20na [09/Sep/2001:01:46:40 +0000] "GET /a.bin HTTP/1.1" 206 12 "#
        + #""https://site.example/page" "curl/8" 1.002"# + "\n")
    #expect(
      record(isComplete: false).combined
        == #"192.0.2.1 - - [09/Sep/2001:01:46:40 +0000] "GET /a.bin HTTP/1.1" 206 12 "-" "-" 1.002"# + "\n")
    let start =
      #"{"time":"2001-09-09T01:46:40Z","client":"192.0.2.1","method":"GET","target":"/a.bin","#
      + #""version":"HTTP/1.1","status":206,"bytes":12,"seconds":1.002"#
    #expect(
      full.json == start + #","user":"an na","referrer":"https://site.example/page","userAgent":"curl/8"}"# + "\n")
    #expect(record(isComplete: false).json == start + #","cut":true}"# + "\n")
  }

  @Test(arguments: ["a\"b\\c\nd\re\u{1B}[31m\u{7F}\u{2028}\u{E9}", "\"}\n{\"", "\u{0}"])
  func `no text of a client ends its field or its line`(text: String) {
    let hostile = record(target: "/" + text, user: text, referrer: text, agent: text)
    for line in [hostile.combined, hostile.json] {
      #expect(line.utf8.dropLast().allSatisfy { $0 >= 32 && $0 != 127 } && line.utf8.last == 10)
    }
    #expect(hostile.combined.utf8.allSatisfy { $0 < 127 })
    #expect(hostile.combined.count { $0 == "\"" } == 6)
  }

  @Test func `long text is cut`() {
    let long = record(target: "/" + String(repeating: "x", count: 9000), agent: String(repeating: "\"", count: 9000))
    #expect(long.combined.utf8.count < 12_000 && long.json.utf8.count < 12_000)
  }

  @Test(arguments: [
    ("/a.bin?token=5ecret&versionId=3", "/a.bin?versionId=3&\u{2026}"), ("/a;sid=5ecret/b", "/a;\u{2026}/b"),
    ("/country=de/", "/country=\u{2026}/"),
  ])
  func `of a query only what grants nothing is told`(target: String, shown: String) {
    for start in ["https://user:5ecret@site.example", "//user:5ecret@site.example", "", ".", "~"] {
      let record = record(target: target, referrer: start + target)
      #expect(record.target == shown)
      #expect(!record.combined.contains("5ecret") && !record.json.contains("5ecret"), "\(start)")
    }
  }
}
