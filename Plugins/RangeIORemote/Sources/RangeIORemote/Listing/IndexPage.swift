internal import RangeIO
internal import RangeIOSupport

/// The names in a page of HTML that lists a directory.
///
/// A name is what a link leads to, not what it shows, which servers shorten. Links to elsewhere are none: those that sort, those to
/// other directories. A size is believed if it is a number of bytes. A time is taken from pages of nginx, which are in UTC;
/// Apache's are in a zone that it does not tell.
struct IndexPage {
  private(set) var entries: [ListedEntry] = []

  /// - Throws: `ReadError` with `invalidResponse` for a page that is no index, transient for one that breaks off.
  init(_ body: [UInt8]) throws(ReadError) {
    guard let title = XMLText.first("title", in: body) ?? XMLText.first("h1", in: body),
      title.hasPrefix("Index of") || title.hasPrefix("Directory listing for")
    else { throw WebListForm.other }
    let end = Self.find("</html", in: body, from: 0) ?? Self.find("</HTML", in: body, from: 0)
    guard end != nil else {
      throw ReadError(
        .invalidResponse, "the page with the directory's index breaks off before its end: try again", isTransient: true)
    }
    var position = 0
    while let link = Self.find("<a href=\"", in: body, from: position) {
      let start = link + 9
      let target = body[start...].prefix { $0 != UInt8(ascii: "\"") }
      let close = Self.find("</a>", in: body, from: target.endIndex) ?? body.count
      position = min(close + 4, body.count)
      let tail = body[position..<(Self.find("<a href=\"", in: body, from: position) ?? body.count)]
      guard let name = Self.name(in: XMLText.replacingEntities(target)) else { continue }
      // An icon may be a link of its own.
      if entries.last?.nameBytes == name { entries.removeLast() }
      let isFolder = name.last == UInt8(ascii: "/")
      let words = Self.words(tail)
      entries.append(
        ListedEntry(
          nameBytes: name, isFolder: isFolder, byteCount: isFolder ? nil : Self.size(words), modified: Self.date(words))
      )
    }
  }

  /// The name that a link leads to: one below the page's own directory.
  static func name(in link: [UInt8]) -> [UInt8]? {
    var link = link[...]
    // Apache writes it before a name with a colon, which would be a scheme (RFC 3986, section 4.2).
    let isBelow = link.starts(with: "./".utf8)
    if isBelow { link = link.dropFirst(2) }
    let isElsewhere = !isBelow && link.prefix { $0 != UInt8(ascii: "/") }.contains(UInt8(ascii: ":"))
    guard let first = link.first, !"/?#".utf8.contains(first), !isElsewhere else { return nil }
    let path = link.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let isFolder = path.last == UInt8(ascii: "/")
    let name = PercentCoding.decoded(bytes: isFolder ? path.dropLast() : path)
    return ListedEntry.isName(name[...]) ? name + (isFolder ? [UInt8(ascii: "/")] : []) : nil
  }

  /// The words after a link and in its row, without tags.
  private static func words(_ tail: ArraySlice<UInt8>) -> [String] {
    var text: [UInt8] = []
    var isInTag = false
    for (index, byte) in zip(tail.indices, tail.prefix(1_024)) {
      if byte == UInt8(ascii: "<") {
        // The size and the time of the next row may stand before its link.
        if tail[index...].starts(with: "</tr".utf8) { break }
        isInTag = true
      }
      text.append(isInTag ? 32 : byte)
      if byte == UInt8(ascii: ">") { isInTag = false }
    }
    return text.split { $0 <= 32 }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The number after the time; a description may follow.
  private static func size(_ words: [String]) -> Int? {
    guard let time = words.firstIndex(where: { $0.count == 5 && $0.dropFirst(2).first == ":" }),
      words.indices.contains(time + 1)
    else { return nil }
    return HTTPText.number(words[time + 1])
  }

  /// `29-Nov-2026 15:47`.
  private static func date(_ words: [String]) -> HTTPDate? {
    for (day, time) in zip(words, words.dropFirst()) {
      let parts = day.split(separator: "-")
      guard parts.count == 3, parts[2].count == 4, time.count == 5 else { continue }
      return HTTPDate("Sun, \(parts[0]) \(parts[1]) \(parts[2]) \(time):00 GMT")
    }
    return nil
  }

  private static func find(_ mark: StaticString, in body: [UInt8], from start: Int) -> Int? {
    mark.withUTF8Buffer { mark in
      var index = start
      while index + mark.count <= body.count {
        if body[index] == mark[0], body[index..<index + mark.count].elementsEqual(mark) { return index }
        index += 1
      }
      return nil
    }
  }
}
