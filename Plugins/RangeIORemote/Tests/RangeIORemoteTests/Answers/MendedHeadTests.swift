import Testing

@testable import RangeIORemote

/// Heads that are mended before they are parsed, and those that are left as they are, so that the parser refuses them.
struct MendedHeadTests {
  /// The outcome of scanning `text`, and the scan, which counts the bytes of the head.
  private func scan(_ text: String) -> (step: HeadScan.Step, scan: HeadScan) {
    var scan = HeadScan()
    for byte in text.utf8 {
      let step = scan.take(byte)
      if step != .more { return (step, scan) }
    }
    return (.more, scan)
  }

  /// `head` as it is passed on; `nil` if it is refused as it stands.
  private func mended(_ head: String) -> String? {
    let (step, scan) = scan(head)
    guard step == .end, scan.count == head.utf8.count else { return nil }
    guard scan.isOdd else { return head }
    return MendedHead.of(Array(head.utf8)).map { String(decoding: $0, as: UTF8.self) } ?? head
  }

  private static let status = "HTTP/1.1 206 X\r\n"
  private static let close = "Connection: close\r\n\r\n"

  @Test(arguments: [
    ("X-Long: a\r\n  b\r\n\tc\r\n\r\n", "X-Long: a b c\r\n"), ("X: a\r\n \r\nY: b\r\n\r\n", "X: a \r\nY: b\r\n"),
    ("X-Note : 1\r\nETag\t: \"a\"\r\n\r\n", "X-Note: 1\r\nETag: \"a\"\r\n"),
    ("Content-Length: 5\r\nX: y\r\ncontent-length:5\r\n\r\n", "X: y\r\nContent-Length: 5\r\n"),
    ("Content-Length: 5, 5\r\n\r\n", "Content-Length: 5\r\n"),
    ("Content-Length: 5\r\nTransfer-Encoding: Chunked\r\n\r\n", "Transfer-Encoding: Chunked\r\n"),
    (
      "Content-Length: 5\r\nContent-Length: 5\r\nTransfer-Encoding:\r\n chunked\r\n\r\n",
      "Transfer-Encoding: chunked\r\n"
    ),
    ("Connection: keep-alive\r\nX: a\r\n b\r\n\r\n", "X: a b\r\n"),
  ]) func `what HTTP says the meaning of is mended, and ends the connection`(_ fields: String, _ expected: String) {
    #expect(mended(Self.status + fields) == Self.status + expected + Self.close)
    let lines = (Self.status + fields).replacing("\r\n", with: "\n")
    #expect(mended(lines) == Self.status + expected + Self.close)
  }

  @Test func `heads that end in LF alone are mended, those of both kinds are not`() {
    let head = "HTTP/1.1 200 OK\nETag: \"a\"\n\n"
    #expect(mended(head) == "HTTP/1.1 200 OK\r\nETag: \"a\"\r\n" + Self.close)
    for text in [
      "HTTP/1.1 200 OK\r\nA: b\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n\n", "HTTP/1.1 200 OK\nA: b\r\n\n",
      "HTTP/1.1 200 OK\nA: b\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\rC: d\r\n\r\n",
      "HTTP/1.1 200 OK\nA: b\rC: d\n\n", "\r\nHTTP/1.1 200 OK\r\n\r\n", "SSH-2.0-x\r\n\r\n", "HTTP/2 200\r\n\r\n",
      "ICY 200 OK\r\n\r\n",
    ] { #expect(scan(text).step == .refused, "\(text)") }
  }

  @Test(arguments: [
    "Content-Length: 5\r\nContent-Length: 6\r\n\r\n", "Content-Length: 5, 6\r\n\r\n",
    "Content-Length: 5\r\nContent-Length: 05\r\n\r\n",
    "Content-Length: 5,\r\n\r\n", "Content-Length: -5\r\nContent-Length: -5\r\n\r\n",
    "Content-Length: 5\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n",
    "Content-Length: 5\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
    "Content-Length: 5\r\nTransfer-Encoding: identity\r\n\r\n",
    " X: a\r\nY: b\r\n\r\n", "X: a\r\n b\r\nno colon\r\n\r\n",
  ]) func `what is doubtful is left to the parser`(_ fields: String) {
    #expect(mended(Self.status + fields) == Self.status + fields)
  }

  @Test func `chunks beside a length are none for HTTP/1.0`() {
    let head = "HTTP/1.0 206 X\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
    #expect(mended(head) == head)
  }

  @Test(arguments: [
    "ETag: \"a\"\r\nContent-Length: 5\r\nContent-Type: x, y\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n", "\r\n",
    "A:b\r\nC:\td\r\n\r\n",
    "Content-Disposition: attachment; filename=d\u{e9}j\u{e0}.bin\r\n\r\n", "X Note: 1\r\n\r\n", "X: a\u{0}b\r\n\r\n",
    "Content-Range: a:b\r\n\r\n",
  ]) func `all other heads pass as they are`(_ fields: String) {
    #expect(mended(Self.status + fields) == Self.status + fields)
  }

  @Test func `the bytes of a Location are kept`() throws {
    let head =
      Array("HTTP/1.1 302 Found\r\nLocation: /d".utf8) + [0xE9] + Array("j\u{e0} [1].bin\r\nX: ".utf8) + [0xFF]
      + Array("\r\n\r\n".utf8)
    let mended = try #require(MendedHead.of(head))
    let expected =
      Array("HTTP/1.1 302 Found\r\nLocation: /d%E9j%C3%A0 [1].bin\r\nX: ".utf8) + [0xFF] + Array("\r\n\r\n".utf8)
    #expect(mended == expected)
    // Only where it is followed.
    #expect(MendedHead.of(Array("HTTP/1.1 201 Created\r\nLocation: /d".utf8) + [0xE9] + Array("\r\n\r\n".utf8)) == nil)
  }

  @Test func `after an interim head the connection goes on`() {
    let head = "HTTP/1.1 103 Early Hints\nLink: <a>\n\n"
    #expect(mended(head) == "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n" && MendedHead.isInterim(Array(head.utf8)))
    #expect(!MendedHead.isInterim(Array("HTTP/1.1 101 X".utf8)) && !MendedHead.isInterim(Array("HTTP/1.1".utf8)))
  }
}
