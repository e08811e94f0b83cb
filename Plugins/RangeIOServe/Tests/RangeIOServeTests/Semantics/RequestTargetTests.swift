import RangeIOServe
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct RequestTargetTests {
  @Test func `names are decoded, and slashes count once`() {
    let target = RequestTarget("/a//b%20c/d%C3%A9?x=%31&y")
    #expect(target?.names == ["a", "b c", "d\u{e9}"])
    #expect(target?.endsInSlash == false)
    #expect(target?.parameter("x") == "1")
    #expect(target?.parameter("y") == "")
    #expect(target?.parameter("z") == nil)
    #expect(RequestTarget("/")?.names == [])
    #expect(RequestTarget("/a/")?.endsInSlash == true)
  }

  @Test(arguments: [
    "", "a", "*", "/../etc/passwd", "/a/../b", "/a/./b", "/%2e%2e/etc", "/.%2e/x", "/%2E./x", "/.git/config",
    "/a/.htaccess",
    "/a%2fb", "/a%2Fb", "/..%2f..%2fetc", "/a%00.bin", "/%", "/%4", "/%zz", "http://host/a",
  ])
  func `what leads up, is hidden or is malformed names nothing`(path: String) {
    #expect(RequestTarget(path) == nil)
  }

  @Test func `in a log a path is one line`() {
    let path = "/a%0A%0D%1B[31m%7F%C2%85%E2%80%A8%E2%80%AEb c%C3%A9"
    #expect(
      RequestTarget(path)?.shown == #"/a\u{A}\u{D}\u{1B}[31m\u{7F}\u{85}\u{2028}\u{202E}b c"# + "\u{E9}")
  }

  @Test(arguments: [
    ("http://host/a?b", "host", "/a?b"), ("HTTPS://Host:443", "Host:443", "/"), ("http://host?x", "host", "/?x"),
    ("http://host/a#b", "host", "/a"), ("http://host#b", "host", "/"), ("http:///a", "", "/a"),
    ("http://user@host/a", "user@host", "/a"), ("x+y-1.z://h/..", "h", "/.."), ("http://h//a//", "h", "//a//"),
    ("http://h/a?u=http://other/b", "h", "/a?u=http://other/b"), ("http://[::1]:8080/a", "[::1]:8080", "/a"),
  ])
  func `a whole URL has a host and a path`(target: String, authority: String, path: String) {
    let url = TargetURL(target)
    #expect(url.map { String($0.authority) } == authority && url?.path == path)
  }

  @Test(arguments: [
    "", "/", "/a", "//host/a", "*", "host:80", "/a?u=http://other/b", "a?u=http://other/b", "://host/a",
    "1http://host/a",
    "ht tp://host/a", "http:/host/a", "h\u{e9}://host/a", "mailto:a@b",
  ])
  func `what is no URL has none`(target: String) {
    #expect(TargetURL(target) == nil)
  }

  @Test func `a name comes back as it was sent`() {
    for name in ["a b", "100%", "\u{e9}?#&", "a/b"] {
      let encoded = ServedName(name).encoded
      #expect(encoded.utf8.allSatisfy { $0 > 32 && $0 < 127 })
      #expect(RequestTarget("/" + encoded)?.names == (name.contains("/") ? nil : [ServedName(name)]))
    }
  }

  @Test(arguments: [
    "localhost", "LOCALHOST:8080", "127.0.0.1", "10.1.2.3:80", "[::1]:8080", "[::ffff:1.2.3.4]", "maps.example",
    "Maps.Example:443", "maps.example.",
  ])
  func `names of ours and addresses are permitted`(host: String) {
    #expect(HostPolicy(["maps.example"]).permits(host))
  }

  @Test(arguments: [
    "", "evil.example", "maps.example.evil.example", "127.0.0.1.evil.example", "[::1", "[evil]:80", "localhost:x",
    "maps.example:80:80", "user@localhost", "local host", "1.2.3", "1.2.3.999", "[]", ":80",
  ])
  func `names of others are refused`(host: String) {
    #expect(!HostPolicy(["maps.example"]).permits(host))
  }

  @Test func `any name can be permitted, and must still be one`() {
    #expect(HostPolicy(["*"]).permits("evil.example"))
    #expect(!HostPolicy(["*"]).permits("a b"))
  }

  @Test func `metrics are numbers by their paths`() throws {
    let json = #"{"server":{"bodyBytes":12,"answers2xx":3,"name":"x"},"store":{"memory":{"hits":1.5}},"list":[1]}"#
    let text = try MetricsText(json: .init(json.utf8)).text
    #expect(text.contains("\nrangeio_server_body_bytes 12\n"))
    #expect(text.contains("rangeio_server_answers2xx 3\n"))
    #expect(text.contains("rangeio_store_memory_hits 1.5\n"))
    #expect(!text.contains("name") && !text.contains("list"))
  }

  @Test func `metrics of what stands in a list have its name as a label, and counts their own names`() throws {
    let json = #"""
      {"nodes":[{"name":"a:1","counts":[{"name":"hits","value":7},{"name":"not asked","value":2}],"wastedBytes":0},
      {"name":"b \"2\"","counts":[{"name":"hits","value":9}],"wastedBytes":3}],
      "shared":{"name":"SharedCaching","counts":[{"name":"brought by others","value":4}]}}
      """#
    let lines = try MetricsText(json: .init(json.utf8)).text.split(separator: "\n").map(String.init)
    #expect(
      lines == [
        "# TYPE rangeio_nodes_hits untyped", #"rangeio_nodes_hits{name="a:1"} 7"#,
        #"rangeio_nodes_hits{name="b \"2\""} 9"#, "# TYPE rangeio_nodes_not_asked untyped",
        #"rangeio_nodes_not_asked{name="a:1"} 2"#, "# TYPE rangeio_nodes_wasted_bytes untyped",
        #"rangeio_nodes_wasted_bytes{name="a:1"} 0"#, #"rangeio_nodes_wasted_bytes{name="b \"2\""} 3"#,
        "# TYPE rangeio_shared_brought_by_others untyped", "rangeio_shared_brought_by_others 4",
      ])
  }
}
