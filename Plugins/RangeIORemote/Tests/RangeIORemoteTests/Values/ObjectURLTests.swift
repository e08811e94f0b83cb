import RangeIO
import Testing

@testable import RangeIORemote

/// URLs: what goes over the wire, what is shown, what names an object.
struct ObjectURLTests {
  @Test func `path and query stay byte for byte`() throws {
    let text = "https://example.org/a//b/../c+d@e:f%2F%7e!$&'()*,;=?x=1&&y=+%20?#z"
    let url = try ObjectURL(text)
    #expect(url.text == String(text.dropLast(2)))
    #expect(url.path == "/a//b/../c+d@e:f%2F%7e!$&'()*,;=" && url.query == "x=1&&y=+%20?")
    #expect(url.target == url.path + "?" + "x=1&&y=+%20?")
  }

  @Test(arguments: Array("[]|^{}`\"<>\\%"))
  func `what no URL may have is encoded, and what is encoded stays`(_ character: Character) throws {
    let encoded = "%" + String(character.asciiValue.map { $0 } ?? 0, radix: 16, uppercase: true)
    let base = try ObjectURL("http://h/x")
    for (given, sent) in [
      ("/a~b.bin", "/a~b.bin"), ("/a%20x~b.bin", "/a%20x~b.bin"), ("/a x~b.bin", "/a%20x~b.bin"), ("/é~", "/%C3%A9~"),
      ("/a?q=~", "/a?q=~"), ("/a?p=%2F&q=~", "/a?p=%2F&q=~"), ("/~~%2f~", "/~~%2f~"), ("/%5B~%5b", "/%5B~%5b"),
      ("/a~zz", "/a~zz"), ("/~", "/~"),
    ] {
      let given = given.replacing("~", with: String(character))
      let sent = sent.replacing("~", with: encoded)
      #expect(try ObjectURL("http://h" + given).target == sent, "\(given)")
      #expect(try base.resolve(given).target == sent, "\(given)")
      #expect(try base.resolve("//[::1]:8080" + given).text == "http://[::1]:8080" + sent, "\(given)")
      // What was sent once is sent alike again.
      #expect(try ObjectURL("http://h" + sent).target == sent)
    }
  }

  @Test func `brackets and marks of a path and a query are sent as browsers do`() throws {
    #expect(try ObjectURL("http://h/My%20Show%20[1080p].mkv").target == "/My%20Show%20%5B1080p%5D.mkv")
    #expect(try ObjectURL("http://h/x?filter[name]=a%20b#[").target == "/x?filter%5Bname%5D=a%20b")
    // In a part of its own a mark belongs to the path.
    #expect(try ObjectURL(scheme: .http, host: "h", path: "/100%?#", query: "50%").target == "/100%25%3F%23?50%25")
    #expect(try ObjectURL("http://us[er:pa|ss@h/").password == "pa|ss")
  }

  @Test func `what may not stand in a URL is encoded`() throws {
    let url = try ObjectURL(" https://example.org/ä b\u{1}\r\n?q=日 ")
    #expect(url.text == "https://example.org/%C3%A4%20b%01%0D%0A?q=%E6%97%A5")
    // Two ways to write one letter are two objects.
    #expect(try ObjectURL("http://a/e\u{301}") != ObjectURL("http://a/\u{e9}"))
  }

  @Test func `parts are found`() throws {
    let url = try ObjectURL("HTTPS://us%40er:p%3Aa:ss@EXAMPLE.org:8443/x")
    #expect(url.scheme == .https && url.user == "us@er" && url.password == "p:a:ss" && url.host == "example.org")
    #expect(url.port == 8443 && url.effectivePort == 8443 && url.authority == "example.org:8443")
    let bare = try ObjectURL("http://example.org")
    #expect(bare.path == "/" && bare.query == nil && bare.effectivePort == 80 && bare.user == nil)
    let question = try ObjectURL("http://example.org:?")
    #expect(question.text == "http://example.org/?" && question.query == "" && question.port == nil)
    let six = try ObjectURL("http://[2001:DB8::1]:80/x")
    #expect(
      six.host == "2001:db8::1" && six.authority == "[2001:db8::1]" && six.origin.description == "http://[2001:db8::1]")
  }

  @Test(arguments: [
    "", "x", "example.org/x", "ftp://example.org/", "http:", "http:/x", "http://", "http:///x", "http://:80/",
    "http://a:b/", "http://a:0/", "http://a:65536/", "http://a:-1/", "http://a:80:90/", "http://[::1/",
    "http://[::1]x/",
    "http://[a]/", "http://a b/", "http://a%20b/", "http://ä.org/", "http://a\\b/", "http://user@/x", "https://a\n.b/",
    "http://[::1%25eth0]/", "http://" + String(repeating: "a", count: 256) + "/",
    "http://a/" + String(repeating: "a", count: 32_768),
  ]) func `what is no URL of HTTP is refused`(_ text: String) {
    #expect(throws: ReadError.self) { try ObjectURL(text) }
  }

  @Test func `a refusal does not show the URL`() {
    do throws(ReadError) {
      _ = try ObjectURL("https://user:hunter2@a b/x?sig=hunter2")
      Issue.record("it was taken")
    } catch {
      #expect(!error.message.contains("hunter2") && error.code == .invalidConfiguration)
    }
  }

  /// RFC 3986, section 5.4, but for the references that keep a fragment or another scheme.
  @Test(arguments: [
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
    ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"),
    (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
    ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
    ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
    ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
    ("g/./h", "http://a/b/c/g/h"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("https://u:p@h:1/x", "https://h:1/x"),
  ]) func `references are resolved`(_ reference: String, _ expected: String) throws {
    let base = try ObjectURL("http://user:secret@a/b/c/d;p?q")
    let resolved = try base.resolve(reference)
    #expect(resolved.text == expected && resolved.user == nil)
  }

  @Test func `what is secret is not shown`() throws {
    let url = try ObjectURL(
      "https://me:hunter2@h/x?X-Amz-Signature=hunter2&x%2Damz-credential=hunter2&X-Amz-Security-Token=hunter2&sig=hunter2"
        + "&Signature=hunter2&token=hunter2&access_token=hunter2&key=hunter2&AWSAccessKeyId=hunter2&v=1&flag&api_key=hunter2"
        + "&hdnts=hunter2&hmac=hunter2&sign=hunter2&rlkey=hunter2&sessionid=hunter2"
    )
    var dumped = String(reflecting: url)
    dump(url, to: &dumped)
    dump([url], to: &dumped)
    #expect(!dumped.contains("hunter2"), "\(dumped)")
    #expect(!"\(url)".contains("hunter2") && !url.redacted.contains("me") && !url.identity().contains("hunter2"))
    #expect(url.redacted == "https://h/x?…" && url.identity().hasPrefix("https://h/x?…#sha256-"))
    #expect(url.text.contains("X-Amz-Signature=hunter2") && !url.text.contains("me:"))
  }

  @Test func `a URL that is signed again is the same object`() throws {
    func identity(_ query: String) throws -> String { try ObjectURL("https://u:p@h/x?\(query)").identity() }
    let amazon = try identity(
      "X-Amz-Algorithm=A&X-Amz-Credential=C&X-Amz-Date=20260101T000000Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host"
        + "&versionId=7&X-Amz-Security-Token=T&X-Amz-Signature=1")
    #expect(amazon == "https://h/x?versionId=7")
    #expect(try identity("X-Goog-Signature=1&X-Goog-Date=2&generation=3") == "https://h/x?generation=3")
    #expect(try identity("Expires=1&Signature=2&Key-Pair-Id=3") == "https://h/x")
    #expect(try identity("AWSAccessKeyId=1&Expires=1&Signature=2") == "https://h/x")
    #expect(try identity("sv=2024&se=2026&sr=b&sp=r&sig=x&snapshot=4") == "https://h/x?snapshot=4")
    #expect(try identity("sv=2024&sig=x&sr=b&page=4") == identity("sv=2025&sig=y&sr=c&page=4"))
    #expect(try ObjectURL("https://h/x?").identity() == "https://h/x?")
  }

  @Test func `what only looks like a signature still tells objects apart`() throws {
    func identity(_ query: String) throws -> String { try ObjectURL("https://h/get?\(query)").identity() }
    #expect(try identity("key=a.zip") != identity("key=b.zip"))
    #expect(try identity("expires=1") != identity("expires=2"))
    #expect(try identity("se=1&sr=b") != identity("se=1&sr=c"))
    #expect(try identity("key=a.zip") == identity("key=a.zip") && !identity("key=a.zip").contains("a.zip"))
    // The digest is of the whole URL, so that it is worth nothing elsewhere.
    let elsewhere = try ObjectURL("https://h/put?key=a.zip").identity()
    #expect(try identity("key=a.zip").suffix(32) != elsewhere.suffix(32))
  }

  @Test func `when a signature ends is read from the URL`() throws {
    func expiry(_ query: String) throws -> Int? { try ObjectURL("https://h/x?\(query)").expiry }
    #expect(try expiry("X-Amz-Signature=1&X-Amz-Date=19700102T000001Z&X-Amz-Expires=60") == 86_461)
    #expect(try expiry("X-Goog-Signature=1&X-Goog-Date=19700101T000000Z&X-Goog-Expires=60") == 60)
    #expect(try expiry("Signature=1&Expires=1700000000") == 1_700_000_000)
    #expect(try expiry("sig=1&se=2026-11-23T00%3A00%3A00Z") == testNow)
    #expect(try expiry("sig=1&se=2026-11-23") == testNow)
    #expect(try expiry("x=1") == nil && expiry("Expires=1700000000") == nil && expiry("sig=1") == nil)
    #expect(try expiry("X-Amz-Signature=1&X-Amz-Date=never&X-Amz-Expires=60") == nil)
    #expect(try expiry("X-Amz-Signature=1&X-Amz-Date=19700101T000000Z&X-Amz-Expires=99999999999999999999") == nil)
  }

  @Test(arguments: ["0", "9223372036854775807", "9223372036854775000", "99999999999999999999", "-5", ""])
  func `no end of a signature overflows`(_ number: String) throws {
    for query in [
      "X-Amz-Signature=1&X-Amz-Date=20260101T000000Z&X-Amz-Expires=\(number)", "Signature=1&Expires=\(number)",
      "X-Amz-Signature=1&X-Amz-Date=16010101T000000Z&X-Amz-Expires=\(number)", "sig=1&se=\(number)",
    ] {
      let url = try ObjectURL("https://cdn.example/x?\(query)")
      let route = Route(origin: try ObjectURL("https://example.org/x"))
        .redirected(to: url, isPermanent: false, lifetime: 31_536_000, at: testNow)
      #expect(route.expiry ?? 0 <= testNow + 31_536_000 && url.expiry ?? 0 >= 0)
    }
  }
}
