#if Azure
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// What the portal gives as a connection string: where an account's services are, and a key or a signature.
  struct ConnectionString: Hashable, Sendable {
    /// `nil` if only the endpoint is named.
    let account: String?
    let endpoint: BlobEndpoint
    /// `nil`: anonymous.
    let access: BlobAccess?

    /// Settings that say nothing about blobs.
    private static let others: Set<String> = [
      "queueendpoint", "tableendpoint", "fileendpoint", "dfsendpoint", "webendpoint", "blobsecondaryendpoint",
      "queuesecondaryendpoint", "tablesecondaryendpoint", "filesecondaryendpoint", "dfssecondaryendpoint",
    ]
    private static let known: Set<String> = [
      "accountname", "accountkey", "sharedaccesssignature", "blobendpoint", "defaultendpointsprotocol",
      "endpointsuffix",
      "usedevelopmentstorage",
    ]

    /// Parses `AccountName=…;AccountKey=…;…`.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration`, which shows no value.
    init(_ text: String) throws(ReadError) {
      let settings = try Self.settings(of: text)
      if let value = settings["usedevelopmentstorage"] {
        guard value.lowercased() == "true", settings.count == 1 else {
          throw Self.invalid("has UseDevelopmentStorage beside other settings, or not 'true': remove one of them")
        }
        self = try Self.emulator()
        return
      }
      let protocolName = settings["defaultendpointsprotocol"]?.lowercased() ?? "https"
      guard let scheme = ObjectURL.Scheme(rawValue: protocolName) else {
        throw Self.invalid("has a DefaultEndpointsProtocol other than https and http: correct it")
      }
      let named = settings["accountname"]
      if let text = settings["blobendpoint"] {
        endpoint = try BlobEndpoint(text, name: "the BlobEndpoint of the connection string")
      } else if let named {
        endpoint = BlobEndpoint(
          account: named, suffix: settings["endpointsuffix"] ?? "core.windows.net", scheme: scheme)
      } else {
        throw Self.invalid("has neither AccountName nor BlobEndpoint: copy it again")
      }
      account = named ?? endpoint.accountInHost
      if let key = settings["accountkey"] {
        guard let account else { throw Self.invalid("has an AccountKey without an AccountName: copy it again") }
        access = .key(try SharedKey(account: account, key: key))
      } else {
        access = try settings["sharedaccesssignature"].map { text throws(ReadError) in .sas(try SASQuery(text)) }
      }
    }

    private init(account: String, endpoint: BlobEndpoint, access: BlobAccess) {
      self.account = account
      self.endpoint = endpoint
      self.access = access
    }

    /// The emulator Azurite, whose account and key are the same everywhere.
    private static func emulator() throws(ReadError) -> ConnectionString {
      let account = "devstoreaccount1"
      let key = try SharedKey(
        account: account,
        key: "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==")
      let endpoint = try BlobEndpoint("http://127.0.0.1:10000/\(account)", name: "the emulator's endpoint")
      return ConnectionString(account: account, endpoint: endpoint, access: .key(key))
    }

    /// The settings by their names in small letters.
    private static func settings(of text: String) throws(ReadError) -> [String: String] {
      var settings: [String: String] = [:]
      for part in text.split(whereSeparator: { $0 == ";" || $0.isNewline }) {
        guard let mark = part.firstIndex(of: "=") else {
          throw invalid("has a part without '=': copy it again, and put it in quotes in a shell")
        }
        let name = part[..<mark].filter { !$0.isWhitespace }.lowercased()
        if others.contains(name) { continue }
        guard known.contains(name) else {
          throw invalid("has a setting that is not understood\(XMLText.isName(name) ? ", '\(name)'" : ""): remove it")
        }
        guard settings[name] == nil else { throw invalid("has '\(name)' twice: remove one") }
        let value = String(part[part.index(after: mark)...])
        if !value.isEmpty { settings[name] = value }
      }
      return settings
    }

    private static func invalid(_ how: String) -> ReadError {
      ReadError(.invalidConfiguration, "the connection string \(how)")
    }
  }

#endif
