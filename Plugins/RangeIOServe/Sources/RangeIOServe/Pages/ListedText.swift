internal import RangeIOSupport

/// How names, sizes and times of a listing are written.
package enum ListedText {
  /// Text within HTML, also in the quotes of an attribute. Signs that are not seen, or that turn the direction in which the rest
  /// is read, stand as signs that are seen: `\u{FFFD}`, and for those of ASCII their pictures, such as `\u{240A}` for a new line.
  package static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\u{0}"..."\u{1F}": escaped.unicodeScalars.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
      case "\u{7F}"..."\u{9F}", "\u{200E}", "\u{200F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{61C}":
        escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// A number of bytes with a unit: `999 B`, `1.0 KiB`, `12.3 MiB`, `123 GiB`.
  package static func size(_ byteCount: Int) -> String {
    guard byteCount >= 1024 else { return "\(byteCount) B" }
    var (units, unit) = (["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][...], 1024.0)
    // What rounds to 1024 of a unit is one of the next.
    while units.count > 1, Double(byteCount) >= unit * 1023.5 { (units, unit) = (units.dropFirst(), unit * 1024) }
    let (number, name) = (Double(byteCount) / unit, units[units.startIndex])
    guard number < 99.95 else { return "\(Int(number.rounded())) \(name)" }
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(name)"
  }

  /// A time in UTC by ISO 8601: `2026-01-02T03:04:05Z`.
  package static func time(secondsSince1970: Int) -> String {
    // `20260102T030405Z`
    let stamp = Array(SigningTime(secondsSince1970: secondsSince1970).stamp)
    func part(_ range: Range<Int>) -> String { String(stamp[range]) }
    return "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(9..<11)):\(part(11..<13)):\(part(13..<15))Z"
  }
}
