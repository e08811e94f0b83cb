internal import RangeIO
internal import RangeIOSupport

extension ObjectURL {
  /// One parameter of a query, as it stands there.
  public struct QueryItem: Hashable, Sendable {
    /// Not decoded.
    public let name: String
    /// Not decoded; `nil` without an equals sign.
    public let value: String?

    var text: String { value.map { "\(name)=\($0)" } ?? name }
  }

  /// The parameters of the query, as they stand there.
  public var queryItems: [QueryItem] {
    guard let query else { return [] }
    return query.split(separator: "&", omittingEmptySubsequences: false).map { part in
      guard let equals = part.firstIndex(of: "=") else { return QueryItem(name: String(part), value: nil) }
      return QueryItem(name: String(part[..<equals]), value: String(part[part.index(after: equals)...]))
    }
  }

  /// The URL for errors and logs: see ``ShownName``.
  var redacted: String { ShownName.of(text) }

  /// The part that may be shown of `text`, which a user typed as a URL.
  public static func shown(_ text: String) -> String { ShownName.typed(text) }

  /// Names the object for all users: without user info and without the parameters of a signature, so that a URL
  /// that was signed again is the same object. Of what may not be shown it has a digest.
  ///
  /// - Parameter ignored: names of parameters that say nothing of the object, decoded.
  func identity(without ignored: Set<String> = []) -> String {
    let items = queryItems
    let signature = QuerySignature.names(in: items)
    let kept = items.filter {
      !signature.contains(QuerySignature.key($0.name)) && !ignored.contains(PercentCoding.decoded($0.name))
    }
    let base = "\(scheme.rawValue)://\(authority)\(path)"
    let whole = query == nil || kept.isEmpty ? base : "\(base)?\(kept.map(\.text).joined(separator: "&"))"
    let shown = ShownName.of(whole)
    // No URL that is sent has a fragment.
    return shown == whole ? whole : "\(shown)#sha256-\(SHA256.hexDigest(Array(whole.utf8)).prefix(32))"
  }
}

/// Which parameters of a query make up a signature.
enum QuerySignature {
  private static let amazon: Set<String> = [
    "x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-expires", "x-amz-signedheaders", "x-amz-signature",
    "x-amz-security-token", "x-amz-content-sha256", "x-amz-checksum-mode",
  ]
  private static let google: Set<String> = [
    "x-goog-algorithm", "x-goog-credential", "x-goog-date", "x-goog-expires", "x-goog-signedheaders",
    "x-goog-signature",
  ]
  private static let azure: Set<String> = [
    "sv", "ss", "srt", "sp", "se", "st", "spr", "sig", "sr", "sip", "skoid", "sktid", "skt", "ske", "sks", "skv", "sdd",
    "saoid", "suoid", "scid", "ses",
  ]

  /// A name as it is looked up: decoded, in lower case.
  static func key(_ name: String) -> String { HTTPText.lower(PercentCoding.decoded(name)) }

  /// The names that make up the signature of a URL with these parameters. None without a whole signature: a parameter
  /// such as `key` or `expires` alone may well say which object is meant.
  static func names(in items: [ObjectURL.QueryItem]) -> Set<String> {
    let has = Set(items.map { key($0.name) })
    var all: Set<String> = []
    if has.contains("x-amz-signature") { all.formUnion(amazon) }
    if has.contains("x-goog-signature") { all.formUnion(google) }
    if has.contains("sig"), has.contains("sv") { all.formUnion(azure) }
    if has.contains("signature") {
      if has.contains("key-pair-id") {
        all.formUnion(["signature", "key-pair-id", "policy", "expires", "hash-algorithm"])
      }
      if has.contains("awsaccesskeyid") {
        all.formUnion(["signature", "awsaccesskeyid", "expires", "x-amz-security-token"])
      }
      if has.contains("googleaccessid") { all.formUnion(["signature", "googleaccessid", "expires"]) }
    }
    return all
  }
}
