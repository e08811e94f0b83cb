internal import RangeIORemote

/// A coding of bytes, of which a file may stand beside the file that it codes, as `page.html.gz` does.
package enum ContentCoding: String, CaseIterable, Sendable {
  // The smaller ones first.
  case brotli = "br"
  case zstandard = "zstd"
  case gzip

  /// What the name of a coded file ends with.
  package var suffix: String {
    switch self {
    case .brotli: ".br"
    case .zstandard: ".zst"
    case .gzip: ".gz"
    }
  }

  /// The codings that a request with these values of `Accept-Encoding` would rather have than the file itself, the best first
  /// (RFC 9110, section 12.5.3).
  package static func accepted(_ values: [String]) -> [ContentCoding] {
    var weights: [String: Double] = [:]
    for element in values.flatMap({ $0.split(separator: ",") }) {
      let parts = element.split(separator: ";", omittingEmptySubsequences: false).map { HTTPText.trimmed($0) }
      let name = HTTPText.lower(parts[0])
      // What cannot be read is not wanted.
      weights[name == "x-gzip" ? "gzip" : name] = parts.dropFirst().first.map { number($0) } ?? 1
    }
    func weight(of coding: ContentCoding) -> Double { weights[coding.rawValue] ?? weights["*"] ?? 0 }
    let identity = weights["identity"] ?? 0
    return allCases.filter { weight(of: $0) > 0 && weight(of: $0) >= identity }
      .sorted { weight(of: $0) > weight(of: $1) }
  }

  /// The number of `q=0.5`; 0 for what is none.
  private static func number(_ parameter: String) -> Double {
    guard HTTPText.lower(parameter).hasPrefix("q="), let number = Double(parameter.dropFirst(2)) else { return 0 }
    return (0...1).contains(number) ? number : 0
  }
}
