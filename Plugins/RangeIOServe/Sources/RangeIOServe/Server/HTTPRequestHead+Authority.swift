#if Serve
  internal import NIOHTTP1

  extension HTTPRequestHead {
    /// Puts the authority of a target that is a whole URL in the place of `Host`, as RFC 9112, section 3.2.2, asks: what a
    /// proxy before this server went by counts for this server too.
    ///
    /// No `Host`, and more than one, are left for the answer to refuse.
    mutating func takeAuthorityOfTarget() {
      guard uri.utf8.first != UInt8(ascii: "/"), let start = uri.firstRange(of: "://")?.upperBound,
        headers[canonicalForm: "Host"].count == 1
      else { return }
      headers.replaceOrAdd(name: "Host", value: String(uri[start...].prefix { !"/?#".contains($0) }))
    }
  }
#endif
