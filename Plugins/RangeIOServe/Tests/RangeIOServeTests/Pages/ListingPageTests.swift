#if Serve && HTTP
  import Foundation
  import HTTPTypes
  import RangeIOHTTPTestServer
  import RangeIOSupport
  import Testing

  @testable import RangeIOServe

  /// The page of a directory.
  struct ListingPageTests {
    private static let entries: [ServedItem.Entry] = [
      .init(name: "a", byteCount: 30, modifiedSecondsSince1970: 2000), .init(name: "b", byteCount: nil),
      .init(name: "c", byteCount: 10, modifiedSecondsSince1970: 3000),
      .init(name: "d", byteCount: nil, modifiedSecondsSince1970: 1000),
      .init(name: "e", byteCount: 10, modifiedSecondsSince1970: 1000),
    ]

    private func page(_ path: String, _ entries: [ServedItem.Entry] = entries, isCut: Bool = false) throws -> String {
      ListingPage(try #require(RequestTarget(path)), .init(entries, isCut: isCut)).html
    }

    @Test(arguments: [
      ("", "bdace"), ("?order=desc", "dbeca"), ("?sort=size", "bdcea"), ("?sort=size&order=desc", "bdace"),
      ("?sort=changed", "dbeac"), ("?sort=changed&order=desc", "dbcae"), ("?sort=\"><b>", "bdace"),
    ])
    func `folders come first, and both are in the order that is asked for`(query: String, names: String) throws {
      let html = try page("/" + query)
      #expect(html.matches(of: /<bdi>(.)\/?<\/bdi><\/a>/).map { String($0.1) }.joined() == names)
    }

    @Test func `the links of the columns turn the order round, and keep the place in a listing that is cut`() throws {
      let html = try page("/x/?sort=size&after=%FF", isCut: true)
      let heads = html.matches(of: /<th scope="col"([^>]*)><a href="([^"]*)">/)
      #expect(heads.map { String($0.1) } == ["", " aria-sort=\"ascending\"", ""])
      #expect(
        heads.map { String($0.2) } == [
          "?after=%FF", "?after=%FF&amp;sort=size&amp;order=desc", "?after=%FF&amp;sort=changed&amp;order=desc",
        ])
      #expect(html.contains("Not all names are shown here. <a href=\"?after=e&amp;sort=size\">"))
      let first = try page("/").firstMatch(of: /<th scope="col" aria-sort="ascending"><a href="([^"]*)">/)?.1
      #expect(first == "?sort=name&amp;order=desc")
      #expect(try page("/?order=desc").contains("<a href=\"./\">Name</a>"))
    }

    @Test func `each folder on the way is a link, and what is shown is counted`() throws {
      let html = try page("/maps/%3Cb%3E/2026/")
      #expect(
        html.contains(
          "<h1><a href=\"../../../\">/</a><i>›</i><a href=\"../../\"><bdi>maps</bdi></a><i>›</i>"
            + "<a href=\"../\"><bdi>&lt;b&gt;</bdi></a><i>›</i><bdi>2026</bdi></h1>"))
      #expect(html.contains("<title>/maps/&lt;b&gt;/2026/</title>") && html.contains("<td><a href=\"../\">../</a>"))
      #expect(html.contains("<footer><span>2 folders, 3 files, 50 B</span></footer>"))
      #expect(try page("/", []).contains("<footer><span>This folder is empty</span></footer>"))
      #expect(try page("/", [Self.entries[1]]).contains("<span>1 folder</span>") && !page("/").contains("../"))
    }

    @Test func `a long name stands in full in the title, and sizes and times say what they are`() throws {
      let name = String(repeating: "\"<&'", count: 60) + "\n\u{202E}."
      let html = try page("/", [.init(name: ServedName(name), byteCount: 123_456, modifiedSecondsSince1970: 0)])
      let shown = ListedText.escaped(name)
      let link = "<a href=\"\(ServedName(name).encoded)\"><bdi>\(shown)</bdi></a>"
      #expect(html.contains("<td title=\"\(shown)\">\(link)</td>"))
      #expect(html.contains("<td title=\"123456 bytes\">121 KiB</td>"))
      #expect(html.contains("<time datetime=\"1970-01-01T00:00:00Z\">1970-01-01<span> 00:00</span></time>"))
    }

    @Test func `nothing runs but the page's own script, and nothing is loaded`() async throws {
      let folder = try ServedFolder()
      try folder.write([1], to: "</title><script>alert(1)</script>".replacing("/", with: "\u{2215}"))
      try await withServer([("", try DirectoryUpstream(folder.path))]) { port, _ in
        let answer = try await ask("/", port: port)
        let html = String(decoding: answer.body, as: UTF8.self)
        let policy = answer.fields["content-security-policy"] ?? ""
        #expect(policy.hasPrefix("default-src 'none'; "))
        for element in ["style", "script"] {
          let parts = html.components(separatedBy: "<\(element)>")
          #expect(parts.count == 2)
          let text = parts[1].components(separatedBy: "</\(element)>")[0]
          let hash = Data(SHA256.digest(of: Array(text.utf8))).base64EncodedString()
          #expect(policy.contains("\(element)-src 'sha256-\(hash)'"))
        }
        #expect(html.firstMatch(of: /https?:|url\(|@import|<img|<link|style=| on[a-z]+=/) == nil)
      }
    }

    @Test func `dates in JSON are by ISO 8601`() async throws {
      let folder = try ServedFolder()
      try folder.write([1], to: "a")
      try await withServer([("", try DirectoryUpstream(folder.path))]) { port, _ in
        let text = String(decoding: try await ask("/?format=json", port: port).body, as: UTF8.self)
        #expect(text == "[{\"modified\":\"2001-09-09T01:46:40Z\",\"name\":\"a\",\"size\":1,\"type\":\"file\"}]\n")
      }
    }
  }
#endif
