/// Walks over the elements of a whole XML document, such as a list of names. It passes on each element where it ends,
/// with the elements that enclose it.
///
/// No validator. Knows tags, attributes as text, character data, CDATA and entities; skips comments, instructions and
/// declarations, and fetches nothing. Prefixes of namespaces are left out.
///
/// - Source: XML 1.0, https://www.w3.org/TR/xml/
public struct XMLElements {
  /// Why a document cannot be walked over.
  public enum Fault: Error, Equatable, Sendable {
    /// It ends before its first element does.
    case cut
    /// It is no XML, or nested more than 64 deep.
    case malformed
  }

  /// An element that has ended.
  public struct Element {
    /// Its name.
    public let name: String
    /// The names of those around it, the outermost first.
    public let enclosing: [String]
    /// The text within it, with entities replaced; of an element with others in it, nothing.
    public let text: [UInt8]
    fileprivate let attributes: ArraySlice<UInt8>

    /// True if its start has the attribute `name="value"`.
    public func has(_ name: String, _ value: String) -> Bool {
      let words = attributes.split { $0 <= 32 }.map { String(decoding: $0, as: UTF8.self) }
      return words.contains { $0 == "\(name)=\"\(value)\"" || $0 == "\(name)='\(value)'" }
    }
  }

  private static let maxDepth = 64
  private let body: [UInt8]
  private var index = 0
  private var open: [String] = []
  private var hasBegun = false
  private var attributes: ArraySlice<UInt8> = []
  /// The text since the last tag; `nil` if that was an end.
  private var text: [UInt8]?

  /// The elements of `body`.
  public init(_ body: [UInt8]) { self.body = body }

  /// The next element that ends; `nil` after the outermost.
  ///
  /// - Throws: ``Fault``.
  public mutating func next() throws(Fault) -> Element? {
    while index < body.count {
      guard body[index] == UInt8(ascii: "<") else {
        takeText()
        continue
      }
      if hasNext("<!--") {
        try skip(past: "-->")
      } else if hasNext("<![CDATA[") {
        let start = index + 9
        try skip(past: "]]>")
        text?.append(contentsOf: body[start..<index - 3])
      } else if hasNext("<?") {
        try skip(past: "?>")
      } else if hasNext("<!") {
        try skip(past: ">")
      } else if let ended = try takeTag() {
        return ended
      }
    }
    guard open.isEmpty, hasBegun else { throw .cut }
    return nil
  }

  private mutating func takeText() {
    let end = body[index...].firstIndex(of: UInt8(ascii: "<")) ?? body.count
    if text != nil { text? += XMLText.replacingEntities(body[index..<end]) }
    index = end
  }

  private mutating func takeTag() throws(Fault) -> Element? {
    let start = index + 1
    let end = try endOfTag(from: start)
    index = end + 1
    guard start < end else { throw .malformed }
    if body[start] == UInt8(ascii: "/") {
      let name = Self.local(body[start + 1..<end])
      guard open.popLast() == name else { throw .malformed }
      defer { text = nil }
      return Element(name: name, enclosing: open, text: text ?? [], attributes: text == nil ? [] : attributes)
    }
    let isEmpty = body[end - 1] == UInt8(ascii: "/")
    let tag = body[start..<(isEmpty ? end - 1 : end)]
    let name = Self.local(tag)
    guard !name.isEmpty, open.count < Self.maxDepth, !(open.isEmpty && hasBegun) else { throw .malformed }
    hasBegun = true
    attributes = tag.drop { $0 > 32 }
    if isEmpty {
      text = nil
      return Element(name: name, enclosing: open, text: [], attributes: attributes)
    }
    open.append(name)
    text = []
    return nil
  }

  /// Where the `>` of a tag is: not within quotes.
  private func endOfTag(from start: Int) throws(Fault) -> Int {
    var quote: UInt8?
    for position in start..<body.count {
      switch (body[position], quote) {
      case (let byte, let open?): if byte == open { quote = nil }
      case (UInt8(ascii: "\""), nil), (UInt8(ascii: "'"), nil): quote = body[position]
      case (UInt8(ascii: ">"), nil): return position
      case (UInt8(ascii: "<"), nil): throw .malformed
      default: break
      }
    }
    throw .cut
  }

  /// The name that a tag begins with, without the prefix of a namespace.
  private static func local(_ tag: ArraySlice<UInt8>) -> String {
    let name = tag.prefix { $0 > 32 }
    let colon = name.lastIndex(of: UInt8(ascii: ":")).map { name.index(after: $0) }
    return String(decoding: name[(colon ?? name.startIndex)...], as: UTF8.self)
  }

  private func hasNext(_ mark: StaticString) -> Bool {
    mark.withUTF8Buffer { body[index...].starts(with: $0) }
  }

  private mutating func skip(past mark: String) throws(Fault) {
    let mark = Array(mark.utf8)
    while index + mark.count <= body.count {
      if body[index..<index + mark.count].elementsEqual(mark) {
        index += mark.count
        return
      }
      index += 1
    }
    throw .cut
  }
}
