#if Tool
import RangeIO

/// A source as the user named it on the command line: a path, or a URL.
struct SourceName {
  enum Kind: Equatable { case path, http, s3, azure, gcs }

  let text: String
  private(set) var kind: Kind
  /// The user wrote `-`.
  let isStandardInput: Bool

  /// Standard input that can only be read forward.
  var isPipe: Bool { isStandardInput && !StandardInput.isFile }

  /// A file whose path begins like a URL, or is `-`, can be named with `./` before it.
  init(_ text: String) {
    self.init(path: text)
    let text = self.text
    let scheme = text.prefix { $0 != ":" }
    guard text[scheme.endIndex...].hasPrefix("://") else { return }
    switch scheme.lowercased() {
    case "http", "https": kind = .http
    case "s3": kind = .s3
    case "az", "abfss": kind = .azure
    case "gs": kind = .gcs
    default: kind = .path
    }
  }

  /// A path, or `-` for standard input.
  init(path: String) {
    isStandardInput = path == "-"
    text = isStandardInput ? "/dev/stdin" : path
    kind = .path
  }

  var isURL: Bool { kind != .path }

  /// A bucket, of which no name follows.
  var isBucket: Bool {
    guard kind == .s3 || kind == .gcs, let start = text.firstRange(of: "://")?.upperBound else { return false }
    return start < text.endIndex && !text[start...].contains("/")
  }

  /// A host, a bucket or an account follows the scheme of the URL.
  var hasHost: Bool {
    guard isURL, let start = text.firstRange(of: "://")?.upperBound else { return false }
    return text[start...].first.map { !"/?#:".contains($0) } ?? false
  }

  /// The last name of the path, decoded if it is one of HTTP; `nil` if there is none that a file could have.
  var lastName: String? {
    var path = text[...]
    if let start = text.firstRange(of: "://")?.upperBound, isURL {
      let rest = text[start...].prefix { $0 != "?" && $0 != "#" }
      guard let slash = rest.firstIndex(of: "/") else { return nil }
      path = rest[slash...]
    }
    let last = path.split(separator: "/").last.map(String.init)
    guard let name = kind == .http ? last.flatMap(Self.decoded) : last, ![".", ".."].contains(name),
      name.unicodeScalars.allSatisfy({ $0 != "/" && $0 != "\u{FFFD}" && $0.properties.generalCategory != .control })
    else { return nil }
    return name
  }

  /// `text` without percent-encoding; `nil` if that is wrong, or encodes no UTF-8.
  private static func decoded(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Added to the message that there is no such file, if the path looks like a URL; empty otherwise.
  var advice: String {
    guard kind == .path, !text.hasPrefix("/"), !text.hasPrefix("."), !text.hasPrefix("~") else { return "" }
    let scheme = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
    let rest = text[scheme.endIndex...]
    let isKnown = ["http", "https", "s3", "az", "abfss", "gs"].contains(scheme.lowercased())
    if rest.hasPrefix("://"), !scheme.isEmpty {
      return isKnown
        ? " (this command reads files only)"
        : " ('\(scheme)' is no scheme that rangeio reads: http, https, s3, az, abfss, gs)"
    }
    if rest.hasPrefix(":"), isKnown { return " (for a URL write \(scheme)://)" }
    // A host with a port, or with two dots or a path.
    let host = text.prefix { $0 != "/" }
    let name = host.prefix { $0 != ":" }
    let isHost =
      host.count > name.count + 1
      ? host.dropFirst(name.count + 1).allSatisfy(\.isWholeNumber)
      : name.contains(".") && (host.endIndex < text.endIndex || name.hasPrefix("www."))
    return isHost ? " (for a URL write https:// before it)" : ""
  }

  /// The name for messages, progress and statistics, without what may be secret.
  var shown: String { ShownName.typed(text) }
}
#endif
