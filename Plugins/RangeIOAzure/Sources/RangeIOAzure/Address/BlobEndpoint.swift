#if Azure
  internal import RangeIO
  internal import RangeIORemote

  /// The blob service of one account: its server, and for emulators the path before the container.
  struct BlobEndpoint: Hashable, Sendable {
    private let scheme: ObjectURL.Scheme
    private let host: String
    private let port: Int?
    /// Empty, or without an ending slash.
    private let prefix: String

    private init(scheme: ObjectURL.Scheme, host: String, port: Int?, prefix: String) {
      self.scheme = scheme
      self.host = host
      self.port = port
      self.prefix = prefix
    }

    /// The server of `url`, and a path before the container.
    init(_ url: ObjectURL, prefix: String) throws(ReadError) {
      self.init(scheme: url.scheme, host: url.host, port: url.port, prefix: prefix)
    }

    /// The service of an account in a cloud; `suffix` is `core.windows.net` for the public one.
    init(account: String, suffix: String = "core.windows.net", scheme: ObjectURL.Scheme = .https) {
      self.init(scheme: scheme, host: "\(account).blob.\(suffix)", port: nil, prefix: "")
    }

    /// Parses the URL of a service: `https://account.blob.core.windows.net`, `http://127.0.0.1:10000/account`.
    ///
    /// - Parameter name: what errors call it.
    init(_ text: String, name: String) throws(ReadError) {
      func invalid(_ how: String) -> ReadError {
        // Not the URL itself, which may have a signature.
        ReadError(.invalidConfiguration, "\(name) \(how): write https://account.blob.core.windows.net")
      }
      let url: ObjectURL
      do throws(ReadError) { url = try ObjectURL(text) } catch { throw invalid("is no URL") }
      guard url.user == nil, url.query == nil else {
        throw invalid("has a user or a query; pass credentials in the configuration")
      }
      var prefix = url.path
      while prefix.hasSuffix("/") { prefix.removeLast() }
      try self.init(url, prefix: prefix)
    }

    /// The service that a URL with the account in its host belongs to, and the account. A host of the Data Lake service
    /// (`dfs`) stands for that of the blob service.
    static func ofHost(_ url: ObjectURL) throws(ReadError) -> (BlobEndpoint, account: String) {
      guard let (account, host) = parts(of: url.host) else {
        throw AzureAddress.invalid(
          "the host does not tell the account: write az://account/container/blob, and name the server as endpoint in "
            + "the configuration; objects of other servers are read with RangeIOHTTP")
      }
      return (BlobEndpoint(scheme: url.scheme, host: host, port: url.port, prefix: ""), account)
    }

    /// The account that the host names, if it does.
    var accountInHost: String? { Self.parts(of: host)?.account }

    /// `account.blob.…`, `account.dfs.…`, `account.z01.blob.…`; `account-secondary` is a second place of the same account.
    private static func parts(of host: String) -> (account: String, blobHost: String)? {
      var labels = host.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard labels.count >= 3 else { return nil }
      let zone = labels[1].utf8
      let isZone = zone.count == 3 && zone.first == UInt8(ascii: "z") && zone.dropFirst().allSatisfy { 48...57 ~= $0 }
      let place = isZone ? 2 : 1
      guard labels.count > place + 1, ["blob", "dfs"].contains(labels[place]) else { return nil }
      labels[place] = "blob"
      let account = labels[0].hasSuffix("-secondary") ? String(labels[0].dropLast(10)) : labels[0]
      return (account, labels.joined(separator: "."))
    }

    /// What the names of Azure's own servers end with, in its clouds.
    private static let domains = [
      "core.windows.net", "storage.azure.net", "core.usgovcloudapi.net", "core.chinacloudapi.cn",
      "fabric.microsoft.com",
    ]

    /// `true` for a server that may get credentials though only an address names it, which anyone may have made up:
    /// one of Azure's, this machine, or a host without a dot, which is in your own network.
    var isTrusted: Bool {
      if Self.domains.contains(where: { host.hasSuffix(".blob.\($0)") }) { return true }
      // A number without a dot is an address of anywhere, also as 0x….
      let isName = host.utf8.first.map { (97...122).contains($0) } ?? false
      if isName, !host.contains("."), !host.contains(":") { return true }
      // `try?`: a host that makes no URL is not this machine.
      return (try? ObjectURL(scheme: scheme, host: host))?.isLoopback ?? false
    }

    /// `true` for a server that cannot have the account in its host: an address, or a name without a dot.
    static func hasAccountInPath(_ url: ObjectURL) -> Bool {
      let isAddress = url.host.utf8.allSatisfy { 48...57 ~= $0 || $0 == UInt8(ascii: ".") }
      return isAddress || url.host.contains(":") || !url.host.contains(".")
    }

    /// Where a blob is, with its version or snapshot; or a container.
    func url(of address: AzureAddress) throws(ReadError) -> ObjectURL {
      let container = "\(prefix)/\(ObjectURL.encodedQuery(address.container))"
      let path = address.isContainer ? container : "\(container)/\(ObjectURL.encodedPath(address.blob))"
      return try ObjectURL(scheme: scheme, host: host, port: port, path: path, query: address.moment.query)
    }

    /// Server and path, for identities and messages: never a secret.
    var text: String {
      let bracketed = host.contains(":") ? "[\(host)]" : host
      return "\(scheme.rawValue)://\(bracketed)" + (port.map { ":\($0)" } ?? "") + prefix
    }
  }

#endif
