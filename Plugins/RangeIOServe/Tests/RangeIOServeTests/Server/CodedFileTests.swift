#if Serve && HTTP
  import Foundation
  import RangeIOHTTPTestServer
  import RangeIOServe
  import Testing

  /// Files that are coded, and files that stand for a directory.
  struct CodedFileTests {
    private func folder() throws -> ServedFolder {
      let folder = try ServedFolder()
      try folder.write(Array("plain text".utf8), to: "page.html")
      try folder.write(Array("as brotli".utf8), to: "page.html.br")
      try folder.write(Array("as gzip, longer".utf8), to: "page.html.gz")
      try folder.write([1, 2, 3], to: "alone.bin")
      return folder
    }

    @Test func `a client that accepts a coding gets the coded file, with a tag and ranges of its own`() async throws {
      let folder = try folder()
      try await withServer([("", try DirectoryUpstream(folder.path))]) {
        $0.servesCodedFiles = true
      } _: { port, _ in
        var tags: Set<String> = []
        for (accepted, coding, body) in [
          ("gzip, br", "br", "as brotli"), ("gzip;q=1, br;q=0.1", "gzip", "as gzip, longer"),
          ("identity", nil, "plain text"), ("deflate", nil, "plain text"), ("br;q=0", nil, "plain text"),
        ] as [(String, String?, String)] {
          for ask in [ask(_:port:method:_:host:), askKept(_:port:method:_:host:)] {
            let answer = try await ask("/page.html", port, "GET", ["Accept-Encoding: \(accepted)"], "127.0.0.1")
            #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self) == body)
            #expect(answer.fields["content-encoding"] == coding && answer.fields["vary"] == "Accept-Encoding")
            #expect(answer.fields["content-type"]?.hasPrefix("text/html") == true)
            tags.insert(try #require(answer.fields["etag"]))
          }
        }
        #expect(tags.count == 3)
        let fields = ["Accept-Encoding: br", "Range: bytes=3-8"]
        let part = try await ask("/page.html", port: port, fields)
        #expect(part.status == 206 && part.fields["content-range"] == "bytes 3-8/9")
        #expect(String(decoding: part.body, as: UTF8.self) == "brotli")
        let tag = try #require(part.fields["etag"])
        let same = try await ask("/page.html", port: port, ["Accept-Encoding: br", "If-None-Match: \(tag)"])
        #expect(same.status == 304 && same.fields["content-encoding"] == nil)
        #expect(try await ask("/page.html", port: port, ["If-None-Match: \(tag)"]).status == 200)
        let past = try await ask("/page.html", port: port, ["Accept-Encoding: br", "Range: bytes=90-"])
        #expect(past.status == 416 && past.fields["content-encoding"] == nil)
        let parts = try await ask("/page.html", port: port, ["Accept-Encoding: br", "Range: bytes=0-1,4-5"])
        #expect(parts.fields["content-encoding"] == "br")
        #expect(String(decoding: parts.body, as: UTF8.self).contains("Content-Type: text/html"))
        #expect(try await ask("/alone.bin", port: port, ["Accept-Encoding: br"]).body == [1, 2, 3])
        #expect(try await ask("/none", port: port, ["Accept-Encoding: br"]).status == 404)
      }
    }

    @Test func `a coded file that is older is not sent, nor one without the option`() async throws {
      let folder = try folder()
      try await withServer([("", try DirectoryUpstream(folder.path))]) { port, _ in
        let answer = try await ask("/page.html", port: port, ["Accept-Encoding: br"])
        #expect(answer.fields["content-encoding"] == nil && answer.fields["vary"] == nil)
      }
      try folder.write(Array("new text".utf8), to: "page.html", settled: false)
      try await withServer([("", try DirectoryUpstream(folder.path))]) {
        $0.servesCodedFiles = true
      } _: { port, _ in
        let answer = try await ask("/page.html", port: port, ["Accept-Encoding: br"])
        #expect(String(decoding: answer.body, as: UTF8.self) == "new text" && answer.fields["content-encoding"] == nil)
      }
    }

    @Test func `a file stands for its directory, for people and not for programs`() async throws {
      let folder = try ServedFolder()
      try folder.write(Array("hello".utf8), to: "sub/index.html")
      try folder.write(Array("coded".utf8), to: "sub/index.html.gz")
      try folder.write([1], to: "other/a.bin")
      try folder.write([1], to: "folder/index.html/a.bin")
      try await withServer([("", try DirectoryUpstream(folder.path))]) {
        $0.indexName = "index.html"
        $0.servesCodedFiles = true
      } _: { port, _ in
        for _ in 0..<2 {
          let page = try await ask("/sub/", port: port)
          #expect(page.status == 200 && page.body == Array("hello".utf8))
          #expect(page.fields["content-type"]?.hasPrefix("text/html") == true)
        }
        let fields = try await askRaw("/sub/", port: port)
        #expect(fields.contains("Vary: Accept\r\n") && fields.contains("Vary: Accept-Encoding\r\n"))
        #expect(try await ask("/sub/", port: port, ["Accept-Encoding: gzip"]).body == Array("coded".utf8))
        #expect(try await ask("/sub/", port: port, ["Range: bytes=1-2"]).body == Array("el".utf8))
        #expect(try await ask("/sub", port: port).fields["location"] == "./sub/")
        #expect(try await ask("/sub/?format=json", port: port).fields["content-type"] == "application/json")
        for path in ["/", "/other/", "/folder/"] {
          let page = String(decoding: try await ask(path, port: port).body, as: UTF8.self)
          #expect(page.contains("<table>"))
        }
      }
    }

    @Test func `an index file is not shown without the slash, of a source under a name either`() async throws {
      let (one, two) = (try ServedFolder(), try ServedFolder())
      try one.write(Array("hello".utf8), to: "index.html")
      let upstreams: [(String, any ServedUpstream)] = [
        ("one", try DirectoryUpstream(one.path)), ("two", try DirectoryUpstream(two.path)),
      ]
      try await withServer(upstreams) {
        $0.indexName = "index.html"
      } _: { port, _ in
        let answer = try await ask("/one", port: port)
        #expect(answer.status == 301 && answer.fields["location"] == "./one/")
        #expect(try await ask("/one/", port: port).body == Array("hello".utf8))
      }
    }

    /// The head of an answer: a field may come more than once.
    private func askRaw(_ path: String, port: Int) async throws -> String {
      let request = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
      return try await RawClient.exchange(request, port: port).parts.head + "\r\n"
    }

    @Test func `what is asked for with 'download' is saved under its name`() async throws {
      let folder = try ServedFolder()
      try folder.write([1, 2], to: "caf\u{e9}.bin")
      try await withServer([("", try DirectoryUpstream(folder.path))]) { port, _ in
        let value = "attachment; filename=\"caf_.bin\"; filename*=UTF-8''caf%C3%A9.bin"
        for path in ["/caf%C3%A9.bin?download", "/caf%C3%A9.bin?a=b&download=1"] {
          let answers = [try await ask(path, port: port), try await askKept(path, port: port)]
          #expect(answers.map { $0.fields["content-disposition"] } == [value, value])
        }
        for path in ["/caf%C3%A9.bin", "/caf%C3%A9.bin?downloads"] {
          let answer = try await ask(path, port: port)
          #expect(answer.status == 200 && answer.fields["content-disposition"] == nil)
        }
      }
    }
  }
#endif
