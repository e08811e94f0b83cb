#if Azure
  internal import Foundation
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  extension AzureAddress {
    /// - Parameter isPrefix: names of a container are meant that begin so, or all.
    static func parse(_ text: String, isPrefix: Bool = false) throws(ReadError) -> AzureAddress {
      guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw unknown }
      let rest = text[text.utf8.index(after: colon)...]
      switch (text[..<colon].lowercased(), rest.utf8.starts(with: "//".utf8)) {
      case ("az", true): return try plain(rest.dropFirst(2), isPrefix)
      case ("abfss", true): return try lake(rest.dropFirst(2), isPrefix)
      case ("abfs", true):
        throw invalid("abfs goes without TLS, which is not supported: write abfss://container@account.dfs…/blob")
      case ("https", true), ("http", true): return try web(text, isPrefix)
      default: throw unknown
      }
    }

    /// The container of an address, and the prefix that stands where a blob's name would; it may be missing.
    static func container(of text: String) throws(ReadError) -> (AzureAddress, prefix: String) {
      do throws(ReadError) {
        let found = try parse(text, isPrefix: true)
        guard found.moment == BlobMoment() else {
          throw invalid("only present blobs are listed: leave the version or the snapshot out")
        }
        let container = try AzureAddress(
          found.account, found.container, "", BlobMoment(), endpoint: found.endpoint, sas: found.sas, name: found.name,
          isPrefix: true)
        return (container, found.blob)
      } catch {
        throw ReadError(error.code, error.message, source: ObjectURL.shown(text))
      }
    }

    /// The address is that of a container, of which names are listed.
    var isContainer: Bool { blob.isEmpty }

    private static var unknown: ReadError {
      invalid(
        "this is no address of a blob: write az://account/container/blob, abfss://container@account.dfs…/blob or the "
          + "blob's https URL")
    }

    /// `account/container/blob`.
    private static func plain(_ rest: Substring, _ isPrefix: Bool) throws(ReadError) -> AzureAddress {
      guard let (account, tail) = split(rest), let (container, named) = split(tail, isPrefix) else {
        throw invalid("the container or the blob is missing: write az://account/container/blob")
      }
      let (blob, moment) = isPrefix ? (String(named), BlobMoment()) : BlobMoment.cut(named)
      return try AzureAddress(account, container, blob, moment, endpoint: nil, sas: nil, name: nil, isPrefix: isPrefix)
    }

    /// `container@account.dfs.core.windows.net/blob`.
    private static func lake(_ rest: Substring, _ isPrefix: Bool) throws(ReadError) -> AzureAddress {
      guard let (authority, named) = split(rest, isPrefix), let at = authority.utf8.firstIndex(of: UInt8(ascii: "@"))
      else {
        throw invalid("write abfss://container@account.dfs.core.windows.net/blob")
      }
      let host = String(authority[authority.utf8.index(after: at)...])
      let (endpoint, account) = try BlobEndpoint.ofHost(ObjectURL("https://\(host)"))
      let (blob, moment) = isPrefix ? (String(named), BlobMoment()) : BlobMoment.cut(named)
      // Shown as az://…: what stands before a host counts as a user, and is hidden.
      return try AzureAddress(
        account, String(authority[..<at]), blob, moment, endpoint: endpoint, sas: nil, name: nil,
        isPrefix: isPrefix)
    }

    /// A URL of the blob service.
    private static func web(_ text: String, _ isPrefix: Bool) throws(ReadError) -> AzureAddress {
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
      guard let (container, blob) = split(rest, isPrefix) else {
        throw invalid(
          "the URL has no container and blob: write the blob's whole URL, with $root for the root container")
      }
      return try AzureAddress(
        account, container, String(blob), moment, endpoint: endpoint, sas: sas, name: ObjectURL.shown(text),
        isPrefix: isPrefix)
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
    ///
    /// - Parameter mayEnd: all of it may stand before.
    private static func split(_ text: Substring, _ mayEnd: Bool = false) -> (String, Substring)? {
      guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else {
        return mayEnd && !text.isEmpty ? (String(text), "") : nil
      }
      return (String(text[..<slash]), text[text.utf8.index(after: slash)...])
    }
  }

#endif
