#if Azure
  internal import Foundation
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  extension AzureAddress {
    static func parse(_ text: String) throws(ReadError) -> AzureAddress {
      guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw unknown }
      let rest = text[text.utf8.index(after: colon)...]
      switch (text[..<colon].lowercased(), rest.utf8.starts(with: "//".utf8)) {
      case ("az", true): return try plain(rest.dropFirst(2))
      case ("abfss", true): return try lake(rest.dropFirst(2))
      case ("abfs", true):
        throw invalid("abfs goes without TLS, which is not supported: write abfss://container@account.dfs…/blob")
      case ("https", true), ("http", true): return try web(text)
      default: throw unknown
      }
    }

    private static var unknown: ReadError {
      invalid(
        "this is no address of a blob: write az://account/container/blob, abfss://container@account.dfs…/blob or the "
          + "blob's https URL")
    }

    /// `account/container/blob`.
    private static func plain(_ rest: Substring) throws(ReadError) -> AzureAddress {
      guard let (account, tail) = split(rest), let (container, named) = split(tail) else {
        throw invalid("the container or the blob is missing: write az://account/container/blob")
      }
      let (blob, moment) = BlobMoment.cut(named)
      return try AzureAddress(account, container, blob, moment, endpoint: nil, sas: nil, name: nil)
    }

    /// `container@account.dfs.core.windows.net/blob`.
    private static func lake(_ rest: Substring) throws(ReadError) -> AzureAddress {
      guard let (authority, named) = split(rest), let at = authority.utf8.firstIndex(of: UInt8(ascii: "@")) else {
        throw invalid("write abfss://container@account.dfs.core.windows.net/blob")
      }
      let host = String(authority[authority.utf8.index(after: at)...])
      let (endpoint, account) = try BlobEndpoint.ofHost(ObjectURL("https://\(host)"))
      let (blob, moment) = BlobMoment.cut(named)
      // Shown as az://…: what stands before a host counts as a user, and is hidden.
      return try AzureAddress(account, String(authority[..<at]), blob, moment, endpoint: endpoint, sas: nil, name: nil)
    }

    /// A URL of the blob service.
    private static func web(_ text: String) throws(ReadError) -> AzureAddress {
      let url = try ObjectURL(text)
      guard url.user == nil else { throw invalid("the URL has a user name: pass credentials in the configuration") }
      let (moment, sas) = try query(of: url)
      // An escape that is no UTF-8 names no blob.
      guard let path = url.path.removingPercentEncoding else {
        throw invalid("the URL has escapes that are no UTF-8, which no blob's name has")
      }
      var rest = path.dropFirst()
      let endpoint: BlobEndpoint
      let account: String
      if BlobEndpoint.hasAccountInPath(url) {
        guard let (first, tail) = split(rest) else {
          throw invalid("the URL has no account and container: write http://host:port/account/container/blob")
        }
        account = first
        endpoint = try BlobEndpoint(url, prefix: "/\(account)")
        rest = tail
      } else {
        (endpoint, account) = try BlobEndpoint.ofHost(url)
      }
      guard let (container, blob) = split(rest) else {
        throw invalid(
          "the URL has no container and blob: write the blob's whole URL, with $root for the root container")
      }
      return try AzureAddress(
        account, container, String(blob), moment, endpoint: endpoint, sas: sas, name: ObjectURL.shown(text))
    }

    /// What the parameters of a URL mean. Nothing is passed over.
    private static func query(of url: ObjectURL) throws(ReadError) -> (BlobMoment, SASQuery?) {
      var moment = BlobMoment()
      var others: [ObjectURL.QueryItem] = []
      for item in url.queryItems where !item.name.isEmpty || item.value != nil {
        switch (item.name.lowercased(), item.value?.removingPercentEncoding) {
        case ("versionid", let value?): moment.versionID = value
        case ("snapshot", let value?): moment.snapshot = value
        default: others.append(item)
        }
      }
      guard let first = others.first else { return (moment, nil) }
      guard others.contains(where: { $0.name.lowercased() == "sig" }) else {
        // One without a value may be a secret.
        let isShown = first.value != nil && XMLText.isName(first.name)
        let name = isShown ? "the parameter '\(first.name)'" : "a parameter"
        throw invalid("\(name) of the URL is not understood: remove it")
      }
      let text = others.map { item in item.value.map { "\(item.name)=\($0)" } ?? item.name }.joined(separator: "&")
      return (moment, try SASQuery(text))
    }

    /// What stands before and after the first slash, byte by byte: a name may begin with a character that combines with it.
    private static func split(_ text: Substring) -> (String, Substring)? {
      guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
      return (String(text[..<slash]), text[text.utf8.index(after: slash)...])
    }
  }

#endif
