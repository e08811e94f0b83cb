internal import RangeIOSupport

/// Makes of a head what the parser takes, where HTTP says what it means.
///
/// - A field that goes on in the next line is one line (RFC 9112, 5.2), and there is no space before a colon (5.1).
/// - All lines may end in LF alone (2.2), but not some of them.
/// - A length that is given several times is one if all agree (6.3), and counts for nothing beside chunks (6.1).
/// - What is not ASCII in a `Location` is percent-encoded: its bytes are those of the path, whatever their letters.
///
/// All else is left to the parser, which refuses it: other lengths, control characters, names with spaces.
enum MendedHead {
  private typealias Field = (name: [UInt8], value: [UInt8])

  /// The head in other bytes; `nil` if it passes as it is. After a head whose form was mended the connection is closed:
  /// a proxy on the way may have read it otherwise.
  ///
  /// - Parameter head: with its empty line, and line ends of one kind.
  static func of(_ head: some Collection<UInt8>) -> [UInt8]? {
    let isCR = { (byte: UInt8) in byte == UInt8(ascii: "\r") }
    let lines = head.split(separator: UInt8(ascii: "\n")).map { $0.filter { !isCR($0) } }.filter { !$0.isEmpty }
    guard let status = lines.first, var fields = fields(of: lines.dropFirst()), frame(&fields, status) else {
      return nil
    }
    let isRedirect = status.dropFirst(9).first == UInt8(ascii: "3")
    let isMended = serialized(status, fields) != Array(head)
    if isRedirect {
      for index in fields.indices where isNamed("location", fields[index]) {
        fields[index].value = fields[index].value.flatMap { $0 < 128 ? [$0] : PercentCoding.encoded($0) }
      }
    }
    // After an interim head the answer itself is to come.
    if isMended, !isInterim(status) {
      fields.removeAll { isNamed("connection", $0) }
      fields.append((Array("Connection".utf8), Array(" close".utf8)))
    }
    let mended = serialized(status, fields)
    return mended == Array(head) ? nil : mended
  }

  /// True if another head follows the one that begins with `status`.
  static func isInterim(_ status: some Collection<UInt8>) -> Bool {
    let code = status.dropFirst(9).prefix(3)
    return code.first == UInt8(ascii: "1") && !code.elementsEqual("101".utf8)
  }

  private static func serialized(_ status: [UInt8], _ fields: [Field]) -> [UInt8] {
    var bytes = status + Array("\r\n".utf8)
    for field in fields { bytes += field.name + [UInt8(ascii: ":")] + field.value + Array("\r\n".utf8) }
    return bytes + Array("\r\n".utf8)
  }

  /// `nil` if there is none for a line that goes on, or no colon.
  private static func fields(of lines: ArraySlice<[UInt8]>) -> [Field]? {
    var fields: [Field] = []
    for line in lines {
      if isSpace(line[0]) {
        guard !fields.isEmpty else { return nil }
        fields[fields.count - 1].value += [UInt8(ascii: " ")] + line.drop(while: isSpace)
      } else {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        var name = line[..<colon]
        while let last = name.last, isSpace(last) { name.removeLast() }
        fields.append((Array(name), Array(line[(colon + 1)...])))
      }
    }
    return fields
  }

  /// Leaves one field that says where the body ends. Returns whether they agree.
  private static func frame(_ fields: inout [Field], _ status: [UInt8]) -> Bool {
    let lengths = values(of: "content-length", fields)
    guard let length = lengths.first else { return true }
    guard lengths.allSatisfy({ $0 == length && HTTPText.number($0) != nil }) else { return false }
    let codings = values(of: "transfer-encoding", fields)
    // A peer of HTTP/1.0 does not know chunks.
    guard codings.isEmpty || (codings == ["chunked"] && status.starts(with: "HTTP/1.1".utf8)) else { return false }
    guard lengths.count > 1 || !codings.isEmpty else { return true }
    fields.removeAll { isNamed("content-length", $0) }
    if codings.isEmpty { fields.append((Array("Content-Length".utf8), Array(" \(length)".utf8))) }
    return true
  }

  /// The parts between commas of all fields of this name.
  private static func values(of name: String, _ fields: [Field]) -> [String] {
    fields.filter { isNamed(name, $0) }.flatMap { field in
      field.value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    }.map { HTTPText.lower(HTTPText.trimmed(String(decoding: $0, as: UTF8.self))) }
  }

  private static func isNamed(_ name: String, _ field: Field) -> Bool {
    field.name.elementsEqual(name.utf8) { HTTPText.lower($0) == $1 }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
