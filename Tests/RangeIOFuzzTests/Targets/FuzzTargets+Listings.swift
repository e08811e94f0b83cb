@testable import RangeIO
@testable import RangeIORemote
@testable import RangeIOSupport

/// What stores and web servers list.
extension FuzzTargets {
  static let listings: [FuzzTarget] = [
    FuzzTarget("listings", seeds: pages, words: markup) { bytes in
      var input = FuzzInput(bytes)
      let forms: [any ListingForm] = [
        WebListForm(), WebDAVListForm(), ObjectListForm(ListedPrefix("a/", isRecursive: false)),
      ]
      let form = forms[input.below(3)]
      let base = try ObjectURL("https://host.example/a/")
      // `try?`: most bodies are no listing.
      guard let page = try? form.page(in: Array(input.rest), from: base) else { return }
      try promise(page.entries.count <= bytes.count, "more names than bytes")
      for entry in page.entries {
        try promise(entry.byteCount ?? 0 >= 0, "\(entry.name) has \(entry.byteCount ?? 0) bytes")
        let name = entry.isFolder && entry.nameBytes.last == 47 ? entry.nameBytes.dropLast() : entry.nameBytes[...]
        try promise(form is ObjectListForm || ListedEntry.isName(name), "\(entry.name) leads elsewhere")
      }
      // `try?`: what leads elsewhere is refused.
      guard let next = page.next, let url = try? form.url(after: next, of: base) else { return }
      try promise(url.origin == base.origin, "the next page is at \(url)")
    },
    FuzzTarget("xml", seeds: pages.map { Array($0.dropFirst()) }, words: markup) { bytes in
      var elements = XMLElements(bytes)
      var count = 0
      do throws(XMLElements.Fault) {
        while let element = try elements.next() {
          count += 1
          // An entity is longer than what it stands for.
          if element.text.count > bytes.count || element.enclosing.count > 64 { count = .max - 1 }
        }
      } catch {}
      try promise(count <= bytes.count, "more elements than bytes")
    },
  ]

  private static let pages: [[UInt8]] = [
    "\u{0}<html><head><title>Index of /a/</title></head><a href=\"b%20c\">b c</a> 29-Nov-2026 15:47  123\n"
      + "<a href=\"d/\">d/</a></html>",
    "\u{0}[{\"name\":\"a\",\"type\":\"file\",\"mtime\":\"Sun, 06 Nov 1994 08:49:37 GMT\",\"size\":-5},"
      + "{\"type\":\"more\",\"href\":\"?after=b\"}]",
    "\u{1}<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>/a/b</D:href><D:propstat><D:prop>"
      + "<D:getcontentlength>5</D:getcontentlength><D:resourcetype/></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>"
      + "</D:response></D:multistatus>",
    "\u{2}<ListBucketResult><Contents><Key>a/b&amp;c</Key><Size>5</Size><ETag>&quot;x&quot;</ETag></Contents><IsTruncated>true"
      + "</IsTruncated><NextContinuationToken>t</NextContinuationToken><CommonPrefixes><Prefix>a/d/</Prefix></CommonPrefixes>"
      + "</ListBucketResult>",
  ].map { Array($0.utf8) }

  private static let markup = [
    "<", ">", "</", "/>", "&#x0;", "&#xD800;", "&#99999999999;", "&amp;", "<![CDATA[", "]]>", "<!--", "-->", "<?", "?>",
    "\"",
    "<a href=\"", "</a>", "</html", "../", "9223372036854775808", "-1", "\\u0000", "%2F", "%00", "://",
  ]
}
