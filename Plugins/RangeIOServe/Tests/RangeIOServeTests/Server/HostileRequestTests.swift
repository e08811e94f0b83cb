#if Serve && HTTP
  import Foundation
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOServe
  import SystemPackage
  import Testing

  /// Requests that try what they should not.
  struct HostileRequestTests {
    private func withFolder(
      _ body: (_ port: Int, _ folder: ServedFolder) async throws -> Void,
      configure: (inout RangeServer.Configuration) -> Void = { _ in }
    ) async throws {
      let folder = try ServedFolder()
      try folder.write(ServedFolder.bytes(100), to: "public/a.bin")
      try folder.write(Array("secret".utf8), to: "secret.txt")
      try folder.write(Array("secret".utf8), to: "public/.hidden")
      try folder.write(Array("secret".utf8), to: "public/.git/config")
      let root = folder.path + "/public"
      try FileManager.default.createSymbolicLink(atPath: root + "/out", withDestinationPath: "../secret.txt")
      try FileManager.default.createSymbolicLink(
        atPath: root + "/away", withDestinationPath: folder.path + "/secret.txt")
      try FileManager.default.createSymbolicLink(atPath: root + "/up", withDestinationPath: "..")
      try FileManager.default.createSymbolicLink(atPath: root + "/within", withDestinationPath: "a.bin")
      try FileManager.default.createSymbolicLink(atPath: root + "/shown", withDestinationPath: ".hidden")
      try FileManager.default.createSymbolicLink(atPath: root + "/repository", withDestinationPath: ".git")
      try FileManager.default.createSymbolicLink(atPath: root + "/twice", withDestinationPath: "shown")
      try FileManager.default.createSymbolicLink(atPath: root + "/loop", withDestinationPath: "loop")
      mkfifo(root + "/pipe", 0o600)
      try await withServer([("", try DirectoryUpstream(root))], configure) { port, _ in
        try await body(port, folder)
      }
    }

    @Test func `no path leads out of the directory or to a hidden file`() async throws {
      try await withFolder { port, _ in
        for path in [
          "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/a/../../secret.txt", "/./../secret.txt",
          "//../secret.txt", "/%2e%2e%2fsecret.txt", "/..%5csecret.txt", "/out", "/away", "/up/secret.txt", "/up/",
          "/.hidden", "/%2ehidden", "/shown", "/twice", "/repository/config", "/repository/", "/.git/config", "/loop",
          "/pipe", "/a.bin/", "/a.bin/x", "/a.bin%00.txt", "/none",
          "/" + String(repeating: "x", count: 300), "/" + String(repeating: "x/", count: 2000),
        ] {
          let answer = try await ask(path, port: port)
          #expect(answer.status == 404, "\(path)")
          #expect(!String(decoding: answer.body, as: UTF8.self).contains("secret\n"), "\(path)")
        }
        #expect(try await ask("/a.bin", port: port).body == ServedFolder.bytes(100))
        #if os(Linux)
          #expect(try await ask("/within", port: port).body == ServedFolder.bytes(100))
        #endif
      }
    }

    @Test func `a listing shows what is served, and nothing else`() async throws {
      try await withFolder { port, _ in
        let json = try await ask("/?format=json", port: port)
        #expect(json.status == 200 && json.fields["content-type"] == "application/json")
        let text = String(decoding: json.body, as: UTF8.self)
        #expect(text.contains(#""name":"a.bin""#))
        #expect(text.contains(#""size":100"#))
        for name in ["hidden", "git", "out", "away", "up", "loop", "pipe", "secret", "shown", "twice", "repository"] {
          #expect(!text.contains("\"\(name)\""), "\(name)")
        }
        let page = try await ask("/", port: port)
        #expect(page.fields["content-type"] == "text/html; charset=utf-8")
        #expect(String(decoding: page.body, as: UTF8.self).contains(#"<a href="a.bin"><bdi>a.bin</bdi></a>"#))
      }
    }

    @Test func `names in a listing are text, whatever is in them`() async throws {
      let folder = try ServedFolder()
      let name = "<script>alert(\"1\")&'.bin"
      try folder.write([1], to: name)
      try folder.write([2], to: "sub/b.bin")
      try await withServer([("", try DirectoryUpstream(folder.path))]) { port, _ in
        let page = String(decoding: try await ask("/", port: port).body, as: UTF8.self)
        #expect(page.firstMatch(of: /<script>alert/) == nil)
        #expect(page.contains("&lt;script&gt;alert(&quot;1&quot;)&amp;&#39;.bin"))
        #expect(try await ask("/" + ServedName(name).encoded, port: port).body == [1])
        let moved = try await ask("/sub", port: port)
        #expect(moved.status == 301 && moved.fields["location"] == "./sub/")
        let asked = try await ask("/sub?format=json", port: port)
        #expect(asked.status == 301 && asked.fields["location"] == "./sub/?format=json")
        #expect(try await ask("/sub/b.bin", port: port).body == [2])
      }
    }

    @Test func `another name than ours is misdirected`() async throws {
      try await withFolder { port, _ in
        #expect(try await ask("/a.bin", port: port, host: "evil.example").status == 421)
        #expect(try await ask("/a.bin", port: port, host: "files.example:8080").status == 200)
        #expect(try await ask("/a.bin", port: port, host: "localhost").status == 200)
        #expect(try await ask("/a.bin", port: port, host: "").status == 421)
        for host in ["local host", "a/b", "a@b", "[::1", "a:b"] {
          #expect(try await ask("/a.bin", port: port, host: host).status == 400, "\(host)")
        }
        #expect(try await ask("/" + String(repeating: "a", count: 14 << 10), port: port).status == 414)
        // On a connection that stays, and of an object that is open.
        #expect(try await askKept("/a.bin", port: port).status == 200)
        #expect(try await askKept("/a.bin", port: port, host: "evil.example").status == 421)
        let double = "GET /a.bin HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
        #expect(ReceivedAnswer(try await RawClient.exchange(double, port: port)).status == 400)
        let none = "GET /a.bin HTTP/1.1\r\nConnection: close\r\n\r\n"
        #expect(ReceivedAnswer(try await RawClient.exchange(none, port: port)).status == 400)
        // No proxy: of a URL as target, the authority counts instead of `Host`.
        for (target, host, status) in [
          ("http://localhost/a.bin", "localhost", 200), ("http://localhost/a.bin", "evil.example", 200),
          ("HTTPS://Files.example:443/a.bin", "evil.example", 200), ("http://evil.example/a.bin", "localhost", 421),
          ("http://localhost@evil.example/a.bin", "localhost", 400), ("http://evil.example?/a.bin", "localhost", 421),
          ("http:///a.bin", "localhost", 421),
          ("http://localhost/../secret.txt", "localhost", 404), ("localhost:80", "localhost", 400),
        ] {
          let text = "GET \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
          let answer = ReceivedAnswer(try await RawClient.exchange(text, port: port))
          #expect(answer.status == status, "\(target)")
          if status == 200 { #expect(answer.body == ServedFolder.bytes(100)) }
        }
      } configure: {
        $0.hostNames = ["files.example"]
      }
    }

    /// Two lengths, or a length and chunks: a proxy before us may see another request there than we do.
    @Test(arguments: [
      "Content-Length: 5\r\nTransfer-Encoding: chunked", "Content-Length: 5\r\nContent-Length: 6",
      "Transfer-Encoding: chunked, identity", "Transfer-Encoding: xchunked", "Content-Length: -1", "Content-Length: 5x",
      "Content-Length: 40", "Transfer-Encoding: chunked", "Transfer-Encoding : chunked", "Content-Length:\t5\u{b}",
    ])
    func `nothing is smuggled behind a request`(fields: String) async throws {
      try await withFolder { port, _ in
        let hidden = "GET /a.bin HTTP/1.1\r\nHost: localhost\r\nX-Marker: y\r\n\r\n"
        let text = "GET /none HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\r\n0\r\n\r\n" + hidden
        let received = try await RawClient.exchange(text, port: port)
        #expect(received.end != .open)
        #expect(!received.text.contains("HTTP/1.1 200"), "\(fields)")
        #expect(received.text.components(separatedBy: "HTTP/1.1 ").count <= 2, "\(fields)")
      }
    }

    @Test func `floods of fields and lines are refused`() async throws {
      try await withFolder { port, _ in
        let many = (0..<200).map { "X-\($0): 1" }
        #expect([400, 431].contains(try await ask("/a.bin", port: port, many).status))
        let long = "X: " + String(repeating: "y", count: 100_000)
        let flood = try await RawClient.exchange(
          "GET /a.bin HTTP/1.1\r\nHost: localhost\r\n\(long)\r\n\r\n", port: port)
        #expect(!flood.text.contains("HTTP/1.1 200"))
        let line = try await RawClient.exchange(
          "GET /" + String(repeating: "z", count: 100_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", port: port)
        #expect(!line.text.contains("HTTP/1.1 200"))
        #expect(try await ask("/a.bin", port: port).status == 200)
      }
    }

    @Test func `noise is refused, and the next client is answered`() async throws {
      try await withFolder { port, _ in
        var random = SystemRandomNumberGenerator()
        for _ in 0..<50 {
          let noise = String(
            String.UnicodeScalarView((0..<200).map { _ in Unicode.Scalar(UInt8.random(in: 1...126, using: &random)) }))
          let received = try await RawClient.exchange(noise + "\r\n\r\n", port: port)
          #expect(!received.text.contains("HTTP/1.1 200"))
        }
        #expect(try await ask("/a.bin", port: port).status == 200)
      }
    }

    @Test func `requests sent ahead are answered in their order`() async throws {
      try await withFolder { port, _ in
        // The first one must wait, and the others need not.
        _ = try await ask("/a.bin", port: port)
        let one = { (range: String) in "GET /a.bin HTTP/1.1\r\nHost: localhost\r\nRange: bytes=\(range)\r\n\r\n" }
        let text =
          (0..<20).map { one("\($0)-\($0)") }.joined()
          + "GET /a.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        let received = try await RawClient.exchange("GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n" + text, port: port)
        #expect(received.text.hasPrefix("HTTP/1.1 404"))
        let ranges = received.text.components(separatedBy: "content-range: bytes ").count
        let other = received.text.components(separatedBy: "Content-Range: bytes ").count
        #expect(max(ranges, other) == 21)
        #expect(received.bytes.suffix(100).elementsEqual(ServedFolder.bytes(100)))
      }
    }

    @Test func `statistics are for this machine only, or are not served`() async throws {
      try await withFolder { port, folder in
        _ = try await ask("/a.bin", port: port)
        let stats = try await ask("/-/stats", port: port)
        #expect(stats.status == 200)
        #expect(String(decoding: stats.body, as: UTF8.self).contains("\"bodyBytes\" : 100"))
        let metrics = try await ask("/-/stats?format=prometheus", port: port)
        #expect(String(decoding: metrics.body, as: UTF8.self).contains("rangeio_server_answers2xx 2"))
        let explained = try await ask("/-/explain?path=/a.bin&range=0-9", port: port)
        #expect(explained.status == 200)
        #expect(String(decoding: explained.body, as: UTF8.self).contains("\"origin\" : \"source\""))
        #expect(try await ask("/-/explain?path=/none", port: port).status == 404)
        // A value is decoded once.
        try folder.write([1, 2, 3], to: "public/100%3f?.bin")
        #expect(try await ask("/-/explain?path=/100%253f%3f.bin", port: port).status == 200)
        #expect(try await ask("/-/explain?path=/%2e%2e/secret.txt", port: port).status == 400)
        #expect(try await ask("/-/explain?path=/../x", port: port).status == 400)
        #expect(try await ask("/-/explain?path=/a.bin&range=500-", port: port).status == 400)
        #expect(try await ask("/-/other", port: port).status == 404)
        // So large that each of its blocks would take long to look up.
        let handle = open(folder.path + "/public/sparse", O_CREAT | O_WRONLY, 0o600)
        #expect(ftruncate(handle, 64 << 30) == 0 && close(handle) == 0)
        let huge = try await ask("/-/explain?path=/sparse", port: port)
        #expect(huge.status == 400)
        #expect(String(decoding: huge.body, as: UTF8.self).contains("&range=0-1073741823"))
        #expect(try await ask("/-/explain?path=/sparse&range=5-1073741828", port: port).status == 200)
      }
      try await withFolder { port, _ in
        let stats = try await ask("/-/stats", port: port)
        #expect(stats.status == 404)
        let explained = try await ask("/-/explain?path=/a.bin", port: port)
        #expect(explained.status == 404)
      } configure: {
        $0.administration = .nobody
      }
    }

    @Test func `statistics of the program stand beside those of the server`() async throws {
      let folder = try ServedFolder()
      let added: @Sendable () -> [String: any Encodable & Sendable] = { ["store": ["memory": ["hits": 5]]] }
      let upstream = try DirectoryUpstream(folder.path)
      try await withServer([("", upstream)], { _ in }, statistics: added) { port, _ in
        let metrics = try await ask("/-/stats?format=prometheus", port: port)
        let text = String(decoding: metrics.body, as: UTF8.self)
        #expect(text.contains("\nrangeio_store_memory_hits 5\n"))
        #expect(text.contains("\nrangeio_connections 1\n"))
      }
    }

    @Test func `pages of permitted origins may read, and no others`() async throws {
      try await withFolder { port, _ in
        let preflight = try await ask(
          "/a.bin", port: port, method: "OPTIONS",
          [
            "Origin: https://maps.example", "Access-Control-Request-Method: GET",
            "Access-Control-Request-Headers: range",
          ])
        #expect(preflight.status == 204)
        #expect(preflight.fields["access-control-allow-origin"] == "https://maps.example")
        #expect(preflight.fields["access-control-allow-headers"] == "Range, If-Range, If-Match, If-None-Match")
        let read = try await ask("/a.bin", port: port, ["Origin: https://maps.example", "Range: bytes=0-1"])
        #expect(read.fields["access-control-expose-headers"] == "Content-Range, Content-Length, Accept-Ranges, ETag")
        #expect(read.fields["vary"] == "Origin")
        let other = try await ask("/a.bin", port: port, ["Origin: https://evil.example"])
        #expect(other.status == 200 && other.fields["access-control-allow-origin"] == nil)
      } configure: {
        $0.allowedOrigins = ["https://maps.example"]
      }
    }
  }
#endif
