extension String {
  /// `true` if both have the same UTF-8. `==` also finds `é` as one character equal to `é` as two.
  public func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

  /// `true` if the UTF-8 of this text comes first, byte by byte.
  public func precedesByBytes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }

  /// Where `text` first occurs, byte by byte.
  public func utf8Range(of text: String) -> Range<Index>? {
    let (all, part) = (utf8, Array(text.utf8))
    var start = all.startIndex
    while start != all.endIndex {
      if all[start...].starts(with: part) { return start..<all.index(start, offsetBy: part.count) }
      start = all.index(after: start)
    }
    return nil
  }
}

/// Bytes as lower-case hexadecimal digits.
public func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  return String(decoding: text, as: UTF8.self)
}
