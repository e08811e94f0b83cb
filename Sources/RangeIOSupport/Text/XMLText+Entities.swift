extension XMLText {
  private static let named: [(name: [UInt8], byte: UInt8)] = {
    let table: [(String, Unicode.Scalar)] = [
      ("amp", "&"), ("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'"),
    ]
    return table.map { (Array($0.0.utf8), UInt8(ascii: $0.1)) }
  }()

  /// `text` with its entities replaced: the five of XML, and characters by their number, as UTF-8. Others stay.
  ///
  /// - Source: XML 1.0, 4.1 and 4.6.
  public static func replacingEntities(_ text: some Collection<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var rest = text[...]
    while let byte = rest.popFirst() {
      // The longest is `#x10FFFF`.
      guard byte == UInt8(ascii: "&"), let end = rest.prefix(9).firstIndex(of: UInt8(ascii: ";")),
        let character = character(Array(rest[..<end]))
      else {
        result.append(byte)
        continue
      }
      result += character
      rest = rest[rest.index(after: end)...]
    }
    return result
  }

  /// The bytes that an entity stands for, by its name without `&` and `;`.
  private static func character(_ name: [UInt8]) -> [UInt8]? {
    if let found = named.first(where: { $0.name == name }) { return [found.byte] }
    guard name.first == UInt8(ascii: "#") else { return nil }
    let isHexadecimal = name.count > 1 && (name[1] | 32) == UInt8(ascii: "x")
    let digits = String(decoding: name.dropFirst(isHexadecimal ? 2 : 1), as: UTF8.self)
    guard let number = UInt32(digits, radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(number) else {
      return nil
    }
    return Array(String(Character(scalar)).utf8)
  }
}
