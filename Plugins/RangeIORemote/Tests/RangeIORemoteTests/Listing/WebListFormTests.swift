import RangeIO
import Testing

@testable import RangeIORemote

/// The indexes that web servers make, as nginx 1.26, Apache 2.4 and `rangeio serve` write them.
struct WebListFormTests {
  private func page(_ text: String) throws(ReadError) -> ListingPage {
    try WebListForm().page(in: Array(text.utf8), from: ObjectURL("http://host/d/"))
  }

  @Test func `a page of nginx`() throws {
    let page = try page(
      """
      <html>\r
      <head><title>Index of /d/</title></head>\r
      <body>\r
      <h1>Index of /d/</h1><hr><pre><a href="../">../</a>\r
      <a href="sub/">sub/</a>                                               29-Nov-2026 15:47                   -\r
      <a href="a%20b%26%3Cc%3E">a b&amp;&lt;c&gt;</a>                                       29-Nov-2026 15:47                   3\r
      <a href="long-name-that-does-not-fit-into-the-column-of-names-at-all.bin">long-name-that-does-not-fit-into-the-column-of-..&gt;</a> 01-Jan-2026 00:00           123456789\r
      <a href="%FF%3F">\u{FFFD}?</a>                                                 29-Nov-2026 15:47                 12K\r
      </pre><hr></body>\r
      </html>\r

      """)
    #expect(
      page.entries.map(\.name) == [
        "sub/", "a b&<c>", "long-name-that-does-not-fit-into-the-column-of-names-at-all.bin", "\u{FFFD}?",
      ])
    #expect(page.entries.map(\.byteCount) == [nil, 3, 123_456_789, nil])
    #expect(page.entries.map(\.isFolder) == [true, false, false, false])
    #expect(page.entries[3].nameBytes == [0xFF, UInt8(ascii: "?")])
    #expect(page.entries[1].modified == HTTPDate("Sun, 29 Nov 2026 15:47:00 GMT"))
  }

  @Test func `a page of Apache, in columns`() throws {
    let page = try page(
      """
      <!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">
      <html>
       <head>
        <title>Index of /d</title>
       </head>
       <body>
      <h1>Index of /d</h1>
      <pre><img src="/icons/blank.gif" alt="Icon "> <a href="?C=N;O=D">Name</a>                    <a href="?C=M;O=A">Last modified</a>      <a href="?C=S;O=A">Size</a>  <a href="?C=D;O=A">Description</a><hr><img src="/icons/back.gif" alt="[PARENTDIR]"> <a href="/">Parent Directory</a>                             -
      <a href="sub/"><img src="/icons/folder.gif" alt="[DIR]"></a> <a href="sub/">sub/</a>                    2026-11-29 15:47    -
      <img src="/icons/unknown.gif" alt="[   ]"> <a href="./a:b.bin">a:b.bin</a>                 2026-11-29 15:47  123
      <a href="./x:y/"><img src="/icons/folder.gif" alt="[DIR]"></a> <a href="./x:y/">x:y/</a>                    2026-11-29 15:47    -
      <img src="/icons/unknown.gif" alt="[   ]"> <a href="c%3ad.bin">c:d.bin</a>                 2026-11-29 15:47  124
      <img src="/icons/unknown.gif" alt="[   ]"> <a href="mailto:a">elsewhere</a>                2026-11-29 15:47  125
      <img src="/icons/unknown.gif" alt="[   ]"> <a href="big.bin">big.bin</a>                 2026-11-29 15:47  1.2M
      <hr></pre>
      </body></html>
      """)
    #expect(page.entries.map(\.name) == ["sub/", "a:b.bin", "x:y/", "c:d.bin", "big.bin"])
    #expect(page.entries.map(\.byteCount) == [nil, 123, nil, 124, nil])
    #expect(page.entries.allSatisfy { $0.modified == nil })
  }

  @Test func `a table and a list of Apache`() throws {
    let table = try page(
      """
      <html><head><title>Index of /d</title></head><body><table>
      <tr><td valign="top"><img src="/icons/back.gif"></td><td><a href="/">Parent Directory</a></td><td>&nbsp;</td></tr>
      <tr><td></td><td><a href="a.txt">a.txt</a></td><td align="right">2026-11-29 15:47  </td><td align="right"> 17 </td><td>Report 2024</td></tr>
      </table></body></html>
      """)
    #expect(table.entries == [ListedEntry(nameBytes: Array("a.txt".utf8), byteCount: 17)])
    let list = try page(
      "<html><title>Index of /d</title><ul><li><a href=\"/\"> Parent Directory</a></li>\n<li><a href=\"b/\"> b/</a></li></ul></html>"
    )
    #expect(list.entries == [ListedEntry(nameBytes: Array("b/".utf8), isFolder: true)])
  }

  @Test func `a size and a time before the link are not those of the name before`() throws {
    // As http-server of npm has them.
    func row(_ name: String, _ size: Int) -> String {
      "<tr><td><i></i></td><td>(-rw-r--r--)</td><td class=\"last-modified\">29-Nov-2026 15:47</td>"
        + "<td class=\"file-size\"><code>\(size)</code></td><td><a href=\"./\(name)\">\(name)</a></td></tr>\n"
    }
    let page = try page(
      "<html><title>Index of /d/</title><table>\(row("a", 1))\(row("b", 2))\(row("c", 3))</table></html>")
    #expect(page.entries == ["a", "b", "c"].map { ListedEntry(nameBytes: Array($0.utf8)) })
  }

  @Test(arguments: [
    "http://other/x", "//other/x", "/x", "../x", "a/b", "?C=N", "#x", "javascript:x", ".", "..", "./", "",
    "%2e%2e/", "%2E", "a%2Fb", "a%2f",
  ])
  func `links to elsewhere are no names`(link: String) {
    #expect(IndexPage.name(in: Array(link.utf8)) == nil)
  }

  @Test func `JSON of nginx`() throws {
    let page = try page(
      """
      [
      { "name":"sub", "type":"directory", "mtime":"Sun, 29 Nov 2026 15:47:22 GMT" },
      { "name":"a b", "type":"file", "mtime":"Sun, 29 Nov 2026 15:47:22 GMT", "size":3 }
      ]
      """)
    let date = HTTPDate("Sun, 29 Nov 2026 15:47:22 GMT")
    #expect(
      page.entries == [
        ListedEntry(nameBytes: Array("sub/".utf8), isFolder: true, modified: date),
        ListedEntry(nameBytes: Array("a b".utf8), byteCount: 3, modified: date),
      ])
  }

  @Test func `JSON of serve, whose pages go on`() throws {
    let page = try page(
      """
      [{"name":"a","size":3,"type":"file"},{"href":"./%FF/","name":"\u{FFFD}","type":"directory"},\
      {"href":"?after=%FF&format=json","type":"more"}]
      """)
    #expect(page.entries.map(\.nameBytes) == [[UInt8(ascii: "a")], [0xFF, UInt8(ascii: "/")]])
    let next = try WebListForm().url(after: page.next, of: ObjectURL("http://host/d/"))
    #expect(next.text == "http://host/d/?after=%FF&format=json")
  }

  @Test(arguments: ["http://other/d/?after=a", "/e/?after=a", "../?after=a"])
  func `a next page elsewhere is refused`(token: String) throws {
    let base = try ObjectURL("http://host/d/")
    #expect(throws: ReadError.self) { try WebListForm().url(after: token, of: base) }
  }

  @Test func `a size below zero is none`() throws {
    let page = try page(#"[{"name":"a","type":"file","size":-5},{"name":"b","type":"file","size":0}]"#)
    #expect(page.entries.map(\.byteCount) == [nil, 0])
  }

  @Test(arguments: [
    "%2e%2e/", "%2e", ".%2E", "..%2f..%2fetc%2fpasswd", "a%2fb", "a%00", "//other/x", "javascript:x", "/x", "a/b", "..",
  ]) func `a link that leads elsewhere, however it is written, is no name`(link: String) throws {
    let page = try page("<html><title>Index of /d/</title><a href=\"\(link)\">x</a> <a href=\"y\">y</a></html>")
    #expect(page.entries.map(\.name) == ["y"])
  }

  @Test(arguments: ["..", "../", "../../etc/passwd", "a/b", "a/b/", "/", "", ".", "a\\u0000"])
  func `a name in JSON that leads elsewhere is left out`(name: String) throws {
    for type in ["file", "directory"] {
      let page = try page(#"[{"name":"\#(name)","type":"\#(type)"},{"name":"y","type":"file"}]"#)
      #expect(page.entries.map(\.name) == ["y"])
    }
  }

  @Test(arguments: ["", "{}", "[1]", "[{}]", "<html><title>Log in</title></html>", "text"])
  func `what is no index is told`(text: String) {
    let error = #expect(throws: ReadError.self) { try page(text) }
    #expect(error?.code == .invalidResponse)
  }

  @Test func `JSON with names that are no UTF-8 is told`() {
    let text = Array("[{\"name\":\"".utf8) + [0xFF] + Array("\",\"type\":\"file\",\"size\":1}]".utf8)
    let error = #expect(throws: ReadError.self) {
      try WebListForm().page(in: text, from: ObjectURL("http://host/d/"))
    }
    #expect(error?.message.contains("UTF-8") == true)
  }

  @Test func `a page that breaks off may be asked for again`() {
    let error = #expect(throws: ReadError.self) { try page("<html><title>Index of /</title><a href=\"a\">a</a>") }
    #expect(error?.isTransient == true)
  }
}
