import RangeIO
import RangeIOSupport
import Testing

@testable import RangeIORemote

/// Answers to PROPFIND, as Apache 2.4, nginx with dav-ext, Nextcloud (sabre) and WsgiDAV 4 write them.
struct WebDAVListFormTests {
  private func page(_ text: String, of url: String = "http://host/d/") throws(ReadError) -> ListingPage {
    try WebDAVListForm().page(in: Array(text.utf8), from: ObjectURL(url))
  }

  /// A response whose properties have a status of 200.
  private func response(_ href: String, _ properties: String = "<D:resourcetype/>") -> String {
    "<D:response><D:href>\(href)</D:href><D:propstat><D:prop>\(properties)</D:prop><D:status>HTTP/1.1 200 OK</D:status>"
      + "</D:propstat></D:response>"
  }

  private func multistatus(_ responses: String...) -> String {
    "<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">\(responses.joined())</D:multistatus>"
  }

  private let date = HTTPDate("Sun, 29 Nov 2026 19:20:53 GMT")

  @Test func `an answer of Apache`() throws {
    let page = try page(
      """
      <?xml version="1.0" encoding="utf-8"?>
      <D:multistatus xmlns:D="DAV:" xmlns:ns0="DAV:">
      <D:response xmlns:lp1="DAV:" xmlns:lp2="http://apache.org/dav/props/" xmlns:g0="DAV:">
      <D:href>/d/</D:href>
      <D:propstat>
      <D:prop>
      <lp1:resourcetype><D:collection/></lp1:resourcetype>
      <lp1:getetag>"1000-6616f311fa3bd"</lp1:getetag>
      <lp1:getlastmodified>Sun, 29 Nov 2026 19:20:53 GMT</lp1:getlastmodified>
      </D:prop>
      <D:status>HTTP/1.1 200 OK</D:status>
      </D:propstat>
      <D:propstat>
      <D:prop>
      <g0:getcontentlength/>
      </D:prop>
      <D:status>HTTP/1.1 404 Not Found</D:status>
      </D:propstat>
      </D:response>
      <D:response xmlns:lp1="DAV:" xmlns:lp2="http://apache.org/dav/props/">
      <D:href>/d/x%20y%23%3f%2541.bin</D:href>
      <D:propstat>
      <D:prop>
      <lp1:resourcetype/>
      <lp1:getcontentlength>5</lp1:getcontentlength>
      <lp1:getetag>"5-6616f311fa3bd"</lp1:getetag>
      <lp1:getlastmodified>Sun, 29 Nov 2026 19:20:53 GMT</lp1:getlastmodified>
      </D:prop>
      <D:status>HTTP/1.1 200 OK</D:status>
      </D:propstat>
      </D:response>
      <D:response xmlns:lp1="DAV:" xmlns:lp2="http://apache.org/dav/props/" xmlns:g0="DAV:">
      <D:href>/d/%c3%a4%20b&amp;%3cc%3e%25/</D:href>
      <D:propstat>
      <D:prop>
      <lp1:resourcetype><D:collection/></lp1:resourcetype>
      <lp1:getlastmodified>Sun, 29 Nov 2026 19:20:53 GMT</lp1:getlastmodified>
      </D:prop>
      <D:status>HTTP/1.1 200 OK</D:status>
      </D:propstat>
      <D:propstat>
      <D:prop>
      <g0:getcontentlength/>
      </D:prop>
      <D:status>HTTP/1.1 404 Not Found</D:status>
      </D:propstat>
      </D:response>
      </D:multistatus>
      """)
    #expect(
      page.entries == [
        ListedEntry(
          nameBytes: Array("x y#?%41.bin".utf8), byteCount: 5, version: "5-6616f311fa3bd", modified: date),
        ListedEntry(nameBytes: Array("ä b&<c>%/".utf8), isFolder: true, modified: date),
      ])
    #expect(page.next == nil)
  }

  @Test func `an answer of WsgiDAV, and one of nginx without tags`() throws {
    let wsgi = try page(
      """
      <?xml version="1.0" encoding="utf-8" ?>
      <ns0:multistatus xmlns:ns0="DAV:"><ns0:response><ns0:href>/d/</ns0:href><ns0:propstat><ns0:prop><ns0:resourcetype>\
      <ns0:collection /></ns0:resourcetype></ns0:prop><ns0:status>HTTP/1.1 200 OK</ns0:status></ns0:propstat><ns0:propstat>\
      <ns0:prop><ns0:getcontentlength /><ns0:getetag /></ns0:prop><ns0:status>HTTP/1.1 404 Not Found</ns0:status>\
      </ns0:propstat></ns0:response><ns0:response><ns0:href>/d/a.txt</ns0:href><ns0:propstat><ns0:prop><ns0:resourcetype />\
      <ns0:getcontentlength>3</ns0:getcontentlength><ns0:getetag>16460156-1795980053-3</ns0:getetag></ns0:prop>\
      <ns0:status>HTTP/1.1 200 OK</ns0:status></ns0:propstat></ns0:response></ns0:multistatus>
      """)
    #expect(
      wsgi.entries == [
        ListedEntry(nameBytes: Array("a.txt".utf8), byteCount: 3, version: "16460156-1795980053-3")
      ])
    let nginx = try page(
      """
      <?xml version="1.0" encoding="utf-8" ?>
      <D:multistatus xmlns:D="DAV:">
      <D:response>
      <D:href>/d/</D:href>
      <D:propstat>
      <D:prop>
      <D:getlastmodified>Sun, 29 Nov 2026 19:20:53 GMT</D:getlastmodified>
      <D:resourcetype><D:collection/></D:resourcetype>
      </D:prop>
      <D:status>HTTP/1.1 200 OK</D:status>
      </D:propstat>
      </D:response>
      <D:response>
      <D:href>/d/sub/</D:href>
      <D:propstat>
      <D:prop>
      <D:resourcetype><D:collection/></D:resourcetype>
      </D:prop>
      <D:status>HTTP/1.1 200 OK</D:status>
      </D:propstat>
      </D:response>
      <D:response>
      <D:href>/d/big</D:href>
      <D:propstat>
      <D:prop>
      <D:getcontentlength>5000000000</D:getcontentlength>
      <D:getlastmodified>Sun, 29 Nov 2026 19:20:53 GMT</D:getlastmodified>
      <D:resourcetype></D:resourcetype>
      </D:prop>
      <D:status>HTTP/1.1 200 OK</D:status>
      </D:propstat>
      </D:response>
      </D:multistatus>
      """)
    #expect(
      nginx.entries == [
        ListedEntry(nameBytes: Array("sub/".utf8), isFolder: true),
        ListedEntry(nameBytes: Array("big".utf8), byteCount: 5_000_000_000, modified: date),
      ])
  }

  @Test func `an answer of Nextcloud`() throws {
    let page = try page(
      """
      <?xml version="1.0"?>
      <d:multistatus xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns" xmlns:oc="http://owncloud.org/ns" \
      xmlns:nc="http://nextcloud.org/ns"><d:response><d:href>/remote.php/dav/files/me/</d:href><d:propstat><d:prop>\
      <d:resourcetype><d:collection/></d:resourcetype><d:getetag>&quot;65a1&quot;</d:getetag></d:prop><d:status>HTTP/1.1 200 \
      OK</d:status></d:propstat></d:response><d:response><d:href>/remote.php/dav/files/me/Photos/</d:href><d:propstat><d:prop>\
      <d:resourcetype><d:collection/></d:resourcetype><d:getetag>&quot;65a2&quot;</d:getetag></d:prop><d:status>HTTP/1.1 200 \
      OK</d:status></d:propstat></d:response><d:response><d:href>/remote.php/dav/files/me/R%c3%a9sum%C3%A9.pdf</d:href>\
      <d:propstat><d:prop><d:resourcetype/><d:getcontentlength>12</d:getcontentlength><d:getetag>&quot;65a3&quot;</d:getetag>\
      </d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>
      """, of: "https://cloud/remote.php/dav/files/me/")
    #expect(
      page.entries == [
        ListedEntry(nameBytes: Array("Photos/".utf8), isFolder: true, version: "65a2"),
        ListedEntry(nameBytes: Array("Résumé.pdf".utf8), byteCount: 12, version: "65a3"),
      ])
  }

  @Test(arguments: [
    "/d/a", "http://host/d/a", "https://host:443/d/a", "http://HOST/d/a?x=1", "./a", "a", "/%64/%61", "/d//a",
    "/e/../d/a",
  ])
  func `an href may be absolute or not, and encode what it likes`(href: String) throws {
    #expect(try page(multistatus(response(href))).entries.map(\.name) == ["a"])
  }

  @Test(arguments: [
    "http://other/d/a", "//other/a", "/e/a", "/a", "/d/../a", "/d/s/a", "/d/%2e%2e", "/d/%2E/", "/d/a%2Fb",
    "ftp://host/d/a", "", "/", "../d2/a", "/d%2Fa",
  ])
  func `names that are not directly in the directory are refused`(href: String) {
    let error = #expect(throws: ReadError.self) { try page(multistatus(response("/d/x"), response(href))) }
    #expect(error?.code == .invalidResponse && error?.isTransient == false)
  }

  @Test func `only properties with a status of success count`() throws {
    let page = try page(
      multistatus(
        """
        <D:response><D:href>/d/a</D:href>
        <D:propstat><D:status>HTTP/1.1 403 Forbidden</D:status><D:prop><D:getetag>no</D:getetag></D:prop></D:propstat>
        <D:propstat><D:prop><D:getetag>yes</D:getetag><D:resourcetype/></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>
        <D:propstat><D:prop><D:getcontentlength>1</D:getcontentlength></D:prop><D:status>HTTP/1.1 500 Sorry</D:status>
        </D:propstat></D:response>
        """,
        // A value of another element by that name.
        response("/d/b", "<D:resourcetype/><x:lock><D:getcontentlength>9</D:getcontentlength></x:lock>")))
    #expect(
      page.entries == [
        ListedEntry(nameBytes: Array("a".utf8), version: "yes"), ListedEntry(nameBytes: Array("b".utf8)),
      ])
  }

  @Test func `a name that the server cannot describe is listed, and one that was removed is not`() throws {
    func failed(_ hrefs: String, _ status: Int) -> String {
      "<D:response>\(hrefs)<D:status>HTTP/1.1 \(status) Sorry</D:status></D:response>"
    }
    let page = try page(
      multistatus(
        failed("<D:href>/d/a</D:href><D:href>/d/b/</D:href>", 403), failed("<D:href>/d/c</D:href>", 404),
        response("/d/e")))
    #expect(
      page.entries == [
        ListedEntry(nameBytes: Array("a".utf8)), ListedEntry(nameBytes: Array("b/".utf8), isFolder: true),
        ListedEntry(nameBytes: Array("e".utf8)),
      ])
  }

  @Test(arguments: [
    (403, ReadError.Code.permissionDenied), (404, .notFound), (507, .invalidResponse), (500, .invalidResponse),
  ])
  func `a directory that the server cannot list is an error`(status: Int, code: ReadError.Code) {
    let error = #expect(throws: ReadError.self) {
      try page(
        multistatus(
          response("/d/a"), "<D:response><D:href>/d/</D:href><D:status>HTTP/1.1 \(status) No</D:status></D:response>"))
    }
    #expect(error?.code == code)
  }

  @Test func `an object is no directory`() {
    let error = #expect(throws: ReadError.self) { try page(multistatus(response("/d"))) }
    #expect(error?.message.contains("no directory") == true)
  }

  @Test func `an answer that breaks off may be asked for again, and what is none is told`() throws {
    let whole = multistatus(response("/d/a"))
    for end in whole.indices.dropFirst(22) {
      let error = #expect(throws: ReadError.self) { try page(String(whole[..<end])) }
      #expect(error?.isTransient == true)
    }
    for text in ["<html></html>", "<D:error xmlns:D=\"DAV:\"/>", "<multistatus></other>"] {
      let error = #expect(throws: ReadError.self) { try page(text) }
      #expect(error?.code == .invalidResponse && error?.isTransient == false)
    }
    #expect(try page(multistatus()).entries.isEmpty)
  }

  @Test func `the request asks for what is listed`() throws {
    let asked = try #require(WebDAVListForm().properties)
    #expect(asked.fields["Depth"] == "1")
    var elements = XMLElements(asked.body)
    var names: [String] = []
    while let element = try elements.next() { names.append(element.name) }
    #expect(names == ["resourcetype", "getcontentlength", "getetag", "getlastmodified", "prop", "propfind"])
  }
}
