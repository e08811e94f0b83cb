#if Serve && HTTP
  import Foundation
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOServe
  import SystemPackage
  import Testing

  /// Listings of many names, and of names that are no text.
  struct ListingTests {
    private struct Line: Decodable {
      let name: String?
      let type: String
      let href: String?
    }

    private func lines(_ path: String, _ port: Int) async throws -> [Line] {
      let answer = try await ask(path, port: port)
      #expect(answer.status == 200)
      return try JSONDecoder().decode([Line].self, from: Data(answer.body))
    }

    @Test func `a listing that is cut says so, and where the rest is`() async throws {
      let folder = try ServedFolder()
      let count = DirectoryUpstream.maxEntries + 20
      for number in 0..<count {
        let file = open(folder.path + "/\(number + 100_000)", O_CREAT | O_WRONLY, 0o600)
        #expect(file >= 0 && close(file) == 0)
      }
      try await withServer([("", try DirectoryUpstream(folder.path))]) { port, _ in
        let first = try await lines("/?format=json", port)
        #expect(first.count == DirectoryUpstream.maxEntries + 1)
        let more = try #require(first.last)
        #expect(more.type == "more" && more.name == nil)
        let rest = try await lines("/" + (more.href ?? ""), port)
        #expect((first.dropLast() + rest).compactMap(\.name) == (0..<count).map { "\($0 + 100_000)" })
        #expect(rest.count == 20)
        let page = String(decoding: try await ask("/", port: port).body, as: UTF8.self)
        let link = try #require(page.firstMatch(of: /Not all names are shown here. <a href="([^"]*)">/)?.1)
        let next = String(decoding: try await ask("/" + link, port: port).body, as: UTF8.self)
        #expect(next.contains("<a href=\"\(100_000 + count - 1)\">") && !next.contains("Not all names"))
      }
    }

    @Test func `a program that follows each link finds names alone, and its way ends`() async throws {
      let folder = try ServedFolder()
      for name in ["one/a:b", "one/two/c", "d e"] { try folder.write([1], to: name) }
      try await withServer([("", try DirectoryUpstream(folder.path))]) { port, _ in
        var found: [String: [String]] = [:]
        var queue = ["/"]
        while let path = queue.popLast() {
          let page = String(decoding: try await ask(path, port: port, ["Accept: */*"]).body, as: UTF8.self)
          let links = page.matches(of: /<a href="([^"]*)">/).map { String($0.1) }
          found[path] = links
          queue += links.filter { $0.hasSuffix("/") && $0 != "../" }.map { path + $0 }
        }
        #expect(found == ["/": ["one/", "d%20e"], "/one/": ["../", "two/", "a%3Ab"], "/one/two/": ["../", "c"]])
        let people = try await ask("/one/", port: port, ["Accept: text/html,*/*;q=0.8"])
        #expect(String(decoding: people.body, as: UTF8.self).contains("<a href=\"?sort=size"))
        #expect(people.fields["vary"] == "Accept")
      }
    }

    @Test func `names that are no UTF-8 are listed and served by their bytes`() async throws {
      let folder = try ServedFolder()
      // Two names that look alike as text.
      for byte in [UInt8(0xFE), 0xFF] {
        let directory = Array(folder.path.utf8) + [UInt8(ascii: "/"), byte]
        let file = directory + Array("/a".utf8) + [byte]
        // Some file systems have no such names.
        guard mkdir((directory + [0]).map { CChar(bitPattern: $0) }, 0o700) == 0 else { return }
        let descriptor = open((file + [0]).map { CChar(bitPattern: $0) }, O_CREAT | O_WRONLY, 0o600)
        #expect(write(descriptor, [byte], 1) == 1 && close(descriptor) == 0)
      }
      try await withServer([("", try DirectoryUpstream(folder.path))]) { port, _ in
        let top = try await lines("/?format=json", port)
        #expect(top.map(\.name) == ["\u{FFFD}", "\u{FFFD}"] && top.map(\.href) == ["%FE/", "%FF/"])
        for (byte, name) in [(UInt8(0xFE), "%FE"), (0xFF, "%FF")] {
          let page = String(decoding: try await ask("/\(name)/", port: port).body, as: UTF8.self)
          #expect(page.contains("<a href=\"a\(name)\">"))
          #expect(try await ask("/\(name)/a\(name)", port: port).body == [byte])
          #expect(try await askKept("/\(name)/a\(name)", port: port).body == [byte])
          #expect(try await ask("/\(name)", port: port).fields["location"] == "./\(name)/")
          #expect(try await ask("/-/explain?path=/\(name)/a\(name)", port: port).status == 200)
        }
        #expect(try await lines("/?format=json&after=%FE", port).map(\.href) == ["%FF/"])
        #expect(try await ask("/%EF%BF%BD/", port: port).status == 404)
      }
    }
  }
#endif
