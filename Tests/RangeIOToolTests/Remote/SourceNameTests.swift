#if Tool
import Testing

@testable import RangeIOTool

@Suite struct SourceNameTests {
  @Test func `URLs are told from paths`() {
    let kinds: [(String, SourceName.Kind)] = [
      ("file.bin", .path), ("/data/x", .path), ("./http://x", .path), ("http:", .path), ("http:/x", .path), ("", .path),
      ("ftp://x/y", .path), ("C://x", .path), ("http://x/y", .http), ("HTTPS://x", .http), ("s3://bucket/key", .s3),
      ("az://account/container/blob", .azure), ("ABFSS://c@a.dfs.core.windows.net/b", .azure), ("abfs://x", .path),
      ("gs://b/k", .gcs),
    ]
    for (text, kind) in kinds { #expect(SourceName(text).kind == kind, "\(text)") }
    #expect(SourceName(path: "http://x/y").kind == .path)
  }

  #if S3 && Azure && GCS
  @Test(arguments: [
    ("s3://b/k", false), ("s3://b/k?versionId=null", true), ("s3://b/k?versionId", false), ("s3://b/k#1", false),
    ("az://a/c/b?versionid=1", true), ("az://a/c/b?snapshot=1", true), ("az://a/c/b?x=1", false),
    ("gs://b/o#12", true), ("gs://b/o#x", false), ("http://h/x?versionId=1", false), ("x?versionId=1", false),
  ]) func `an address of a version is told from that of an object`(text: String, namesVersion: Bool) {
    #expect(SourceName(text).namesVersion(nil) == namesVersion)
  }
  #endif

  @Test func `what is shown has no password and no value of the query`() {
    let cases = [
      ("./a?b=c", "./a?b=c"), ("https://h/p", "https://h/p"), ("https://u:pw@h:8/p", "https://h:8/p"),
      ("https://u:p@w@h/p", "https://h/p"), ("https://u:pw@h", "https://h"), ("https://u:pw@h?a=b", "https://h?…"),
      ("s3://b/k?versionId=abc&sig=d", "s3://b/k?versionId=abc&…"), ("htp:/u:pw@h/p", "htp:/h/p"),
    ]
    for (text, shown) in cases { #expect(SourceName(text).shown == shown) }
  }
}

@Suite struct LastNameTests {
  @Test(
    arguments: [
      ("a/b.bin", "b.bin"), ("b", "b"), ("dir/", "dir"), ("/", nil), ("..", nil), ("a/.", nil), ("x\u{FFFD}", nil),
      ("./a%20b", "a%20b"), ("https://h/a/b.bin?x=/y#z", "b.bin"), ("https://h/a%20b%C3%BC.mkv", "a bü.mkv"),
      ("http://h/a/", "a"), ("http://h", nil), ("http://h/", nil), ("http://h/a%2Fb", nil), ("http://h/%2e%2e", nil),
      ("http://h/a%0Ab", nil), ("http://h/a%", nil), ("http://h/%FF", nil),
      ("s3://bucket/k/e%20y?versionId=1", "e%20y"),
      ("s3://bucket", nil), ("s3://bucket/", nil), ("az://account/container/b%20c?versionid=1", "b%20c"),
    ] as [(String, String?)])
  func `a copy into a directory has the source's last name`(source: String, name: String?) {
    #expect(SourceName(source).lastName == name)
  }

  @Test(arguments: [
    ("http:/h/x", "write http://"), ("S3:b/k", "write S3://"), ("www.example.org", "https:// before"),
    ("example.org/x", "https:// before"), ("localhost:8000/x", "https:// before"), ("h:80", "https:// before"),
    ("ftp://h/x", "no scheme"), ("file.bin", ""), ("a/b.bin", ""), ("./example.org/x", ""), ("/a.b/c", ""), ("", ""),
    ("C:\\x", ""), ("~/a.b/c", ""), ("a:b/c", ""),
  ])
  func `a path that looks like a URL is told how to be one`(path: String, part: String) {
    let advice = SourceName(path).advice
    #expect(part.isEmpty ? advice.isEmpty : advice.contains(part), "\(advice)")
  }
}

@Suite struct RemoteSettingsTests {
  @Test func `a header is a name and a value`() throws {
    let cases = [
      ("A: b", "A", "b"), ("Authorization:Bearer x:y", "Authorization", "Bearer x:y"), ("X-a:  b c\t", "X-a", "b c"),
      ("X:", "X", ""), ("X: ü", "X", "ü"),
    ]
    for (text, name, value) in cases {
      let header = try RemoteHeader(parsing: text)
      #expect(header.name == name && header.value == value)
    }
  }

  @Test func `what is no header is refused without being shown`() {
    for text in ["secret", "", ": secret", "a b: secret", "ü: secret", "A: secret\r\nB: c", "A: secret\u{0}"] {
      let failure = #expect(throws: ToolFailure.self) { try RemoteHeader(parsing: text) }
      #expect(failure?.status == .usage && failure?.message.contains("secret") == false, "\(text)")
    }
  }

  @Test func `headers that decide what comes back are not the user's`() {
    for name in ["Range", "if-match", "Accept-Encoding", "Host", "Content-Length", "Transfer-Encoding"] {
      #expect(throws: ToolFailure.self) { try RemoteHeader(parsing: "\(name): x") }
    }
  }

  @Test func `a header does not show its value`() throws {
    let header = try RemoteHeader(parsing: "Authorization: secret")
    #expect("\(header)" == "Authorization: …")
  }

  @Test func `options are for the sources that they change`() throws {
    var settings = RemoteSettings(headers: [try RemoteHeader(parsing: "A: b")])
    for name in ["https://h/", "s3://b/k"] {
      #expect(throws: Never.self) { try settings.check(for: SourceName(name)) }
    }
    #expect(throws: ToolFailure.self) { try settings.check(for: SourceName("file")) }
    for change in [
      { $0.certificates = "c" }, { $0.timeLimit = .seconds(1) }, { $0.retries = 0 }, { $0.acceptsEncoded = true },
    ] as [(inout RemoteSettings) -> Void] {
      settings = RemoteSettings()
      change(&settings)
      for name in ["https://h/", "s3://b/k"] {
        #expect(throws: Never.self) { try settings.check(for: SourceName(name)) }
      }
      #expect(throws: ToolFailure.self) { try settings.check(for: SourceName("file")) }
    }
    for change in [{ $0.trustsTimes = true }, { $0.renew = "c" }] as [(inout RemoteSettings) -> Void] {
      settings = RemoteSettings()
      change(&settings)
      #expect(throws: Never.self) { try settings.check(for: SourceName("http://h/")) }
      for name in ["file", "s3://b/k"] {
        #expect(throws: ToolFailure.self) { try settings.check(for: SourceName(name)) }
      }
    }
    for change in [
      { $0.endpoint = "http://e" }, { $0.signs = false },
    ] as [(inout RemoteSettings) -> Void] {
      settings = RemoteSettings()
      change(&settings)
      for name in ["s3://b/k", "az://a/c/b", "abfss://c@a.dfs.core.windows.net/b"] {
        #expect(throws: Never.self) { try settings.check(for: SourceName(name)) }
      }
      for name in ["file", "http://h/"] {
        #expect(throws: ToolFailure.self) { try settings.check(for: SourceName(name)) }
      }
    }
    for change in [{ $0.profile = "p" }, { $0.region = "r" }] as [(inout RemoteSettings) -> Void] {
      settings = RemoteSettings()
      change(&settings)
      #expect(throws: Never.self) { try settings.check(for: SourceName("s3://b/k")) }
      for name in ["file", "http://h/", "az://a/c/b"] {
        #expect(throws: ToolFailure.self) { try settings.check(for: SourceName(name)) }
      }
    }
  }
}
#endif
