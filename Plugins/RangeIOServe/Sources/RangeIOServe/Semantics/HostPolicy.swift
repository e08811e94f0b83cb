internal import RangeIORemote

/// Which names of this server a request may give in its `Host` field.
///
/// A page of another site can lead its name to this machine (DNS rebinding), and then read what a server on the local
/// network serves. Such requests bear the name of that site.
package struct HostPolicy: Sendable {
  /// In lower case; `nil` permits all.
  private let names: Set<String>?

  /// - Parameter names: the host names that are ours, besides addresses in digits and `localhost`. `*` permits all.
  package init(_ names: [String]) {
    self.names = names.contains("*") ? nil : Set(names.map { HTTPText.lower($0) } + ["localhost"])
  }

  /// `true` if a request with this `Host` is for this server.
  package func permits(_ authority: String) -> Bool {
    guard let host = Self.host(of: authority) else { return false }
    guard let names else { return true }
    if host.first == "[" || Self.isAddress(host) { return true }
    return names.contains(host.last == "." ? String(host.dropLast()) : host)
  }

  /// `true` for a host, with or without a port.
  package static func isHost(_ authority: String) -> Bool { host(of: authority) != nil }

  /// The host without its port, in lower case; `nil` if it is none.
  private static func host(of authority: String) -> String? {
    let text = HTTPText.lower(authority)
    if text.utf8.first == UInt8(ascii: "[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      let inner = text[text.index(after: text.startIndex)..<end]
      let isInner =
        inner.contains(":")
        && inner.utf8.allSatisfy { byte in
          (48...58).contains(byte) || (97...102).contains(byte) || byte == 46
        }
      return isInner && isPort(text[text.index(after: end)...]) ? String(text[...end]) : nil
    }
    let host = text.prefix { $0 != ":" }
    let isName = host.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (97...122).contains(byte) || byte == 45 || byte == 46 || byte == 95
    }
    return !host.isEmpty && isName && isPort(text[host.endIndex...]) ? String(host) : nil
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || text.utf8.first == UInt8(ascii: ":") && text.utf8.dropFirst().allSatisfy { (48...57).contains($0) }
  }

  /// `true` for an IPv4 address in four numbers.
  private static func isAddress(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { HTTPText.number($0).map { $0 < 256 } ?? false }
  }
}
