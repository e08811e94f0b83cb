internal import RangeIO
internal import RangeIOSupport

/// Lists a collection of a server of WebDAV, such as Apache's `mod_dav`, nginx with `dav-ext`, Nextcloud or WsgiDAV. All names
/// are in one page.
///
/// - Source: RFC 4918, section 9.1.
struct WebDAVListForm: ListingForm {
  var properties: PropertyRequest? {
    PropertyRequest(
      fields: HeaderFields(["Depth": "1", "Content-Type": "application/xml; charset=utf-8"]),
      body: Array(
        ("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:propfind xmlns:D=\"DAV:\"><D:prop><D:resourcetype/>"
          + "<D:getcontentlength/><D:getetag/><D:getlastmodified/></D:prop></D:propfind>").utf8))
  }

  func url(after token: String?, of base: ObjectURL) throws(ReadError) -> ObjectURL { base }

  func page(in body: [UInt8], from url: ObjectURL) throws(ReadError) -> ListingPage {
    let folder = Self.names(in: url.path)
    var page = ListingPage()
    for resource in try MultiStatus(body).resources {
      let path = try Self.path(of: resource, seenFrom: url)
      let names = Self.names(in: path)
      guard names.starts(with: folder), names.count <= folder.count + 1 else { throw Self.elsewhere }
      guard names.count > folder.count, var name = names.last else {
        try Self.check(resource)
        continue
      }
      guard ListedEntry.isName(name[...]) else { throw Self.elsewhere }
      // It was removed just now.
      if [404, 410].contains(resource.status) { continue }
      let isFolder = resource.isFolder ?? path.hasSuffix("/")
      if isFolder { name.append(UInt8(ascii: "/")) }
      page.entries.append(
        ListedEntry(
          nameBytes: name, isFolder: isFolder, byteCount: isFolder ? nil : resource.byteCount, version: resource.tag,
          modified: resource.modified))
    }
    return page
  }

  /// The names of which a path consists, decoded: servers differ in what they encode.
  private static func names(in path: String) -> [[UInt8]] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { PercentCoding.decoded(bytes: Array($0)) }
  }

  /// The path that a resource's `href` leads to, on the server itself. Its scheme and port are not compared: a server behind a
  /// proxy writes its own.
  private static func path(of resource: MultiStatus.Resource, seenFrom url: ObjectURL) throws(ReadError) -> String {
    guard let href = String(validating: resource.href, as: UTF8.self), !href.isEmpty else { throw elsewhere }
    let target: ObjectURL
    do throws(ReadError) { target = try url.resolve(href) } catch { throw elsewhere }
    guard target.host == url.host else { throw elsewhere }
    return target.path
  }

  private static let elsewhere = ReadError(
    .invalidResponse,
    "the server lists names that are not in the directory that was asked for: check the URL, and a proxy that changes paths"
  )

  /// The directory itself, among what is listed.
  private static func check(_ resource: MultiStatus.Resource) throws(ReadError) {
    switch resource.status {
    case 401?, 403?:
      throw ReadError(.permissionDenied, "the server may not list this directory for you: pass credentials")
    case 404?, 410?: throw ReadError(.notFound, "there is no such directory")
    case let status? where resource.hasFailed:
      throw ReadError(.invalidResponse, "the server lists the directory in part, or not at all (\(status))")
    default: break
    }
    if resource.isFolder == false {
      throw ReadError(.invalidResponse, "this is an object, no directory: read it, or list the directory that it is in")
    }
  }
}
