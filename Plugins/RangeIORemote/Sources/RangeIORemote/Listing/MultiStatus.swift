internal import RangeIO
internal import RangeIOSupport

/// What a server tells of resources, in the answer to PROPFIND.
///
/// Elements are known by their names without the prefix of a namespace, at their places. Of the properties those count whose
/// status is a success.
///
/// - Source: RFC 4918, sections 13 and 14.
struct MultiStatus {
  /// One resource. What the server does not tell of it is `nil`.
  struct Resource {
    let href: [UInt8]
    /// Of the resource as a whole.
    let status: Int?
    var isFolder: Bool?
    var byteCount: Int?
    var tag: String?
    var modified: HTTPDate?

    /// The server failed to describe it.
    var hasFailed: Bool { status.map { !MultiStatus.isSuccess($0) } ?? false }
  }

  /// In the order of the server.
  private(set) var resources: [Resource] = []

  private var hrefs: [[UInt8]] = []
  private var status: Int?
  private var properties: [String: [UInt8]] = [:]
  /// Those of the `propstat` that has not ended, and its status.
  private var group: (properties: [String: [UInt8]], status: Int?) = ([:], nil)

  /// - Throws: `ReadError` with `invalidResponse`: transient, if the end is missing.
  init(_ body: [UInt8]) throws(ReadError) {
    do throws(XMLElements.Fault) {
      var elements = XMLElements(body)
      while let element = try elements.next() {
        guard element.enclosing.first ?? element.name == "multistatus" else { throw .malformed }
        take(element)
      }
    } catch {
      throw error.readError(root: "multistatus")
    }
  }

  private static func isSuccess(_ status: Int) -> Bool { (200...299).contains(status) }

  private mutating func take(_ element: XMLElements.Element) {
    switch (element.enclosing.dropFirst().joined(separator: "/"), element.name) {
    case ("response", "href"): hrefs.append(element.text)
    case ("response", "status"): status = Self.status(element.text)
    case ("response/propstat", "status"): group.status = Self.status(element.text)
    case ("response/propstat/prop", let name) where group.properties[name] == nil: group.properties[name] = element.text
    case ("response/propstat/prop/resourcetype", "collection"): group.properties["collection"] = []
    case ("response", "propstat"):
      if Self.isSuccess(group.status ?? 200) { properties.merge(group.properties) { first, _ in first } }
      group = ([:], nil)
    case ("", "response") where element.enclosing.count == 1: endResponse()
    default: break
    }
  }

  private mutating func endResponse() {
    func text(_ name: String) -> String? {
      properties[name].map { HTTPText.trimmed(String(decoding: $0, as: UTF8.self)) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    let isFolder = properties["resourcetype"].map { _ in properties["collection"] != nil }
    for href in hrefs {
      resources.append(
        Resource(
          href: href, status: status, isFolder: isFolder,
          byteCount: text("getcontentlength").flatMap { HTTPText.number($0) },
          tag: text("getetag").map { ListedEntry.tag($0) },
          modified: text("getlastmodified").flatMap { ListedEntry.date($0) }))
    }
    (hrefs, status, properties) = ([], nil, [:])
  }

  /// Of `HTTP/1.1 200 OK`.
  private static func status(_ line: [UInt8]) -> Int? {
    let words = line.split { $0 <= 32 }
    return words.count > 1 ? HTTPText.number(String(decoding: words[1], as: UTF8.self)) : nil
  }
}
