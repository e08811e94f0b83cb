#if HTTP
  import NIOCore
  import Testing

  @testable import RangeIORemote

  /// Heads in pieces, with what is around them.
  struct HeadMenderTests {
    private static let plain = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"

    @Test(arguments: [
      (plain + "\r\n\r\n", plain + "\r\n\r\n"),
      ("HTTP/1.1 100 X\n\n" + plain + "body", "HTTP/1.1 100 X\r\n\r\n" + plain + "body"),
      (
        "HTTP/1.1 200 OK\nContent-Length: 4\n\nb\nd\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nb\nd\n"
      ),
      ("HTTP/1.1 103 A\r\nX: a\r\n b\r\n\r\n" + plain, "HTTP/1.1 103 A\r\nX: a b\r\n\r\n" + plain),
      (
        "HTTP/1.1 100 X\r\n\r\nHTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\nHTTP/1.1\nx",
        "HTTP/1.1 100 X\r\n\r\nHTTP/1.1 200 OK\r\nX: a b\r\nConnection: close\r\n\r\nHTTP/1.1\nx"
      ),
      ("SSH-2.0\r\n", "SSH-2.0\r\n"), ("HTTP/1.1 200 OK\r\nX: a\nY: b\r\n", "HTTP/1.1 200 OK\r\nX: a\nY: b\r\n"),
      ("HTTP/1.1 200 OK\r\nX: a", "HTTP/1.1 200 OK\r\nX: a"), ("", ""),
    ]) func `however an answer is cut, the parser gets the same`(_ bytes: String, _ expected: String) {
      let bytes = Array(bytes.utf8)
      for size in 1...max(1, bytes.count) {
        var mender = HeadMender()
        mender.expectHead()
        var parsed = ByteBuffer()
        for start in stride(from: 0, to: bytes.count, by: size) {
          let piece = ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)])
          if var out = mender.received(piece) { parsed.writeBuffer(&out) }
        }
        if var rest = mender.ended() { parsed.writeBuffer(&rest) }
        #expect(String(buffer: parsed) == expected, "in pieces of \(size)")
      }
    }

    @Test func `what is no HTTP is not held back`() {
      var mender = HeadMender()
      mender.expectHead()
      #expect(mender.received(ByteBuffer(string: "HTTP")) == nil)
      #expect(mender.received(ByteBuffer(string: "S ")).map { String(buffer: $0) } == "HTTPS ")
      #expect(mender.received(ByteBuffer(string: "x")).map { String(buffer: $0) } == "x")
    }
  }
#endif
