/// The value of `Content-Disposition` that makes a browser save what it gets (RFC 6266), under a name (RFC 8187).
package enum ContentDisposition {
  /// - Parameter name: `nil` leaves the name to the browser. Of a name that is no UTF-8, what is none stands as `\u{FFFD}`.
  package static func attachment(_ name: ServedName?) -> String {
    guard let name else { return "attachment" }
    let text = name.description
    // Old clients read the first one. A percent sign would be decoded by some.
    var plain = ""
    for scalar in text.unicodeScalars {
      let isPlain = (" "..."~").contains(scalar) && !"\"\\%/".unicodeScalars.contains(scalar)
      plain.unicodeScalars.append(isPlain ? scalar : "_")
    }
    let short = "attachment; filename=\"\(plain)\""
    return plain == text ? short : short + "; filename*=UTF-8''" + ServedName(text).encoded
  }
}
