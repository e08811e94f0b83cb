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

  /// The URL for errors and logs: without user info, and with the values of secret parameters hidden.
  public var redacted: String {
    guard query != nil else { return text }
    let items = queryItems.map { item in
      item.value != nil && QuerySecrets.isSecret(item.name) ? "\(item.name)=redacted" : item.text
    }
    return "\(scheme.rawValue)://\(authority)\(path)?\(items.joined(separator: "&"))"
  }

  /// Names the object for all users: without user info and without the parameters of a signature, so that a URL
  /// that was signed again is the same object. Of other secret values it has a digest.
  public var identity: String {
    guard query != nil else { return text }
    let items = queryItems
    let signature = QuerySecrets.signature(of: items)
    let kept = items.filter { !signature.contains(QuerySecrets.key($0.name)) }.map { item in
      guard let value = item.value, QuerySecrets.isSecret(item.name) else { return item.text }
      return "\(item.name)=sha256-\(SHA256.hexDigest(Array(value.utf8)).prefix(32))"
    }
    let base = "\(scheme.rawValue)://\(authority)\(path)"
    return kept.isEmpty && !items.isEmpty ? base : "\(base)?\(kept.joined(separator: "&"))"
  }
}

/// Which parameters of a query are secret, and which make up a signature.
enum QuerySecrets {
  /// Parts of names whose values are hidden.
  private static let parts = [
    "signature", "credential", "token", "secret", "password", "passwd", "apikey", "api_key", "api-key", "accesskey",
    "access_key", "access-key",
  ]
  private static let names: Set<String> = [
    "sig", "sign", "hmac", "key", "rlkey", "auth", "authorization", "jwt", "policy", "code", "pwd", "pass",
    "googleaccessid", "key-pair-id", "hdnts", "hdnea", "hdntl", "session", "sessionid", "sid",
    "ticket",
  ]
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

  static func isSecret(_ name: String) -> Bool {
    let name = key(name)
    return names.contains(name) || parts.contains { name.contains($0) }
  }

  /// The names that make up the signature of a URL with these parameters. None without a whole signature: a parameter
  /// such as `key` or `expires` alone may well say which object is meant.
  static func signature(of items: [ObjectURL.QueryItem]) -> Set<String> {
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
