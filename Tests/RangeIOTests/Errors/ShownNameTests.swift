import Testing

@testable import RangeIO

/// What may be shown of a URL, wherever it is shown.
struct ShownNameTests {
  @Test(arguments: [
    ("https://h/p", "https://h/p"), ("https://u:pw@h:8/p", "https://h:8/p"), ("https://token@h/p", "https://h/p"),
    ("https://u:p@w@h/p", "https://h/p"), ("https://u:pw@h", "https://h"), ("https://u:pw@h?a=b", "https://h?…"),
    ("https://h/p?token", "https://h/p?…"), ("https://h/p?", "https://h/p?"), ("https://h/p#token=1", "https://h/p#…"),
    ("https://h/p?a=1&versionId=3&b&GENERATION=4", "https://h/p?versionId=3&GENERATION=4&…"),
    ("https://h/p?versionId=3;sig=4", "https://h/p?…"), ("https://h/p?versionId", "https://h/p?…"),
    // Passwords that are not encoded, so that the text is no URL.
    ("https://u:pw/x@h/p", "https://h/p"), ("https://u:pw?x@h/p", "https://…"), ("https://u:pw#x@h/p", "https://…"),
    ("https://u:p]w/x@h/p", "https://h/p"), ("https://[u/x@h", "https://h"), ("https://u:pw", "https://u:…"),
    ("https://u:p@ss?word@host/", "https://…"), ("https://u:p@ss#word@host/", "https://…"),
    ("https://u:p@ss/word@host/", "https://host/"), ("https://user:12/34@host/p", "https://host/p"),
    ("https://user:12?34@host/p", "https://…"), ("https://u:pw@h:8/p@q", "https://q"),
    ("https://token?x@host/", "https://…"), ("https://u:pw@h/p?to=a@b", "https://…"),
    ("https://h:8/p?to=a@b", "https://…"),
    // A host alone has no password.
    ("https://h/p@q", "https://h/p@q"), ("https://h/p?to=a@b", "https://h/p?…"), ("s3://b/k@1:2", "s3://b/k@1:2"),
    ("https://[::1]:8/a@b", "https://[::1]:8/a@b"), ("https://[::1", "https://…"),
    // Parameters of paths.
    ("https://h/a;jsessionid=1/b;c", "https://h/a;…/b;…"), ("https://h;a=1/b", "https://h;…/b"),
    ("https://h/a%3bsid%3D1/b%3Fsig%3d1", "https://h/a%3b…/b%3F…"), ("https://h/hmac=1a/b", "https://h/hmac=…/b"),
    ("https://h/year=2026/day=2026-01-02/b", "https://h/year=2026/day=2026-01-02/b"),
    // A slash that got lost, as in a path that was made of a URL.
    ("htps:/u:pw@h/p?q", "htps:/h/p?…"), ("s3://bucket/key with ünïcode", "s3://bucket/key with ünïcode"),
    ("s3://b/e\u{301}?\u{301}", "s3://b/e\u{301}?…"),
    // A URL within other words.
    ("gz:https://u:pw@h/x?sig=1", "gz:https://h/x?…"), ("url=https://u:pw@h/x", "url=https://h/x"),
    (" https://u:pw@h/x", " https://h/x"), ("https://u:/pw@h/p", "https://h/p"),
    ("https://https://u:pw@h/x", "https://h/x"),
    // What is no URL.
    ("a?b=c", "a?b=c"), ("/a:b@c?d", "/a:b@c?d"), ("", ""), ("://", "://"), ("C:/a?b", "C:/a?b"), (":", ":"),
    ("file:///a;b?c", "file:///a;b?c"), ("memory", "memory"),
  ]) func `of a URL, only what grants nothing is shown`(name: String, shown: String) {
    #expect(ShownName.of(name) == shown)
    #expect(ShownName.of(shown) == shown)
    #expect(ReadError(.notFound, "none", source: name).source == shown)
    #expect(SourceDescription(id: name, validator: nil, byteCount: 1).name == shown)
    #expect(SourceDescription(id: "1", name: name, validator: nil, byteCount: 1).name == shown)
  }

  @Test(arguments: [
    ("http//u:pw@h/p", "http//h/p"), ("https;//u:pw@h/p?a", "https;//h/p?…"), ("https:u:pw@h", "https:h"),
    ("//u:pw@h/p", "//h/p"), ("u:pw@h/p", "h/p"), ("u:pw/x@h/p", "h/p"), ("u:pw?x@h/p", "…"),
    ("u:p@ss?word@h/p", "…"), ("user:12/34@h/p", "h/p"), ("https:u:p@ss/word@h/p", "https:h/p"), ("h/p?sig=1", "h/p?…"),
    ("h/p;jsessionid=1", "h/p;…"), ("logo@2x.png", "logo@2x.png"), ("a=b/c=d", "a=b/c=d"), ("./u:pw@h?a", "./u:pw@h?a"),
    ("~/u:pw@h?a", "~/u:pw@h?a"), ("note: a.txt", "note: a.txt"), ("file:/a?b", "file:/a?b"), ("", ""),
    ("https://u:pw@h/p?a", "https://h/p?…"),
  ]) func `a scheme that was mistyped or forgotten hides no less`(text: String, shown: String) {
    #expect(ShownName.typed(text) == shown)
    #expect(ShownName.typed(shown) == shown)
  }

  @Test func `the target of a request is shown without its query`() {
    #expect(ShownName.target("/a b/c?d=e") == "/a b/c?…" && ShownName.target("/") == "/" && ShownName.target("") == "")
  }
}
