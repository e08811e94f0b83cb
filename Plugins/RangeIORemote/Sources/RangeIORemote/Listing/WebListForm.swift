internal import Foundation
internal import RangeIO
internal import RangeIOSupport

/// Lists a directory of a web server: the pages of HTML that nginx (`autoindex`), Apache (`mod_autoindex`) and servers like
/// them make, the JSON of nginx (`autoindex_format json`), and that of `rangeio serve`.
///
/// - Source: https://nginx.org/en/docs/http/ngx_http_autoindex_module.html,
///   https://httpd.apache.org/docs/2.4/mod/mod_autoindex.html
struct WebListForm: ListingForm {
  /// Asks for JSON where there is a choice, as in `rangeio serve`.
  static let accept = "application/json, text/html;q=0.9, */*;q=0.1"

  func url(after token: String?, of base: ObjectURL) throws(ReadError) -> ObjectURL {
    guard let token else { return base }
    let next = try base.resolve(token)
    guard next.origin == base.origin, next.path == base.path else {
      throw ReadError(.invalidResponse, "the server names a page of another directory as the next one")
    }
    return next
  }

  func page(in body: [UInt8], from url: ObjectURL) throws(ReadError) -> ListingPage {
    switch body.first(where: { $0 > 32 }) {
    case UInt8(ascii: "["): return try json(body)
    case UInt8(ascii: "<"): return ListingPage(try IndexPage(body).entries)
    default: throw Self.other
    }
  }

  static var other: ReadError {
    ReadError(
      .invalidResponse,
      "the server answered with something else than a directory's index as nginx, Apache or rangeio serve make it: turn "
        + "autoindex or WebDAV on there, or name an object")
  }

  /// A server of WebDAV need not have an index: it answers 403, 405 or 501, or with words for people.
  func other(after error: ReadError) -> (any ListingForm)? {
    [.permissionDenied, .invalidResponse].contains(error.code) && !error.isTransient ? WebDAVListForm() : nil
  }

  /// One name: of nginx with `mtime`, of `rangeio serve` with `modified`, and with `href` where the name says too little.
  private struct Line: Decodable {
    var name: String?
    var type: String?
    var size: Int?
    var mtime: String?
    var modified: String?
    var href: String?
  }

  private func json(_ body: [UInt8]) throws(ReadError) -> ListingPage {
    // As nginx writes it.
    guard String(validating: body, as: UTF8.self) != nil else {
      throw ReadError(
        .invalidResponse,
        "the directory has names that are no UTF-8, which JSON cannot tell: have the server make its index in HTML")
    }
    let lines: [Line]
    do { lines = try JSONDecoder().decode([Line].self, from: Data(body)) } catch { throw Self.other }
    var page = ListingPage()
    for line in lines {
      if line.type == "more" {
        page.next = line.href
        continue
      }
      let linked = line.href.flatMap { IndexPage.name(in: Array($0.utf8)) }
      guard var name = linked ?? line.name.map({ Array($0.utf8) }), let type = line.type else { throw Self.other }
      let isFolder = type == "directory"
      guard ListedEntry.isName(isFolder && name.last == UInt8(ascii: "/") ? name.dropLast() : name[...]) else {
        continue
      }
      if isFolder, name.last != UInt8(ascii: "/") { name.append(UInt8(ascii: "/")) }
      page.entries.append(
        ListedEntry(
          nameBytes: name, isFolder: isFolder, byteCount: isFolder ? nil : line.size,
          modified: (line.mtime ?? line.modified).flatMap { ListedEntry.date($0) }))
    }
    return page
  }
}
