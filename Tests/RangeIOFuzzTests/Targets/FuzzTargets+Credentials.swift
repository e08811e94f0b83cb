import RangeIOSupport

@testable import RangeIO
@testable import RangeIORemote

#if S3
  @testable import RangeIOS3
#endif
#if Azure
  @testable import RangeIOAzure
#endif

/// What files and services say of credentials.
extension FuzzTargets {
  static let credentials: [FuzzTarget] = settings + connections

  #if S3
    private static let settings = [
      FuzzTarget(
        "settings",
        texts: [
          "[default]\naws_access_key_id = A\naws_secret_access_key=5ecret\n[profile x]\ns3 =\n  endpoint_url = http://h\n; c\n",
          "{\"Version\":1,\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"5ecret\",\"Expiration\":\"2026-01-02T03:04:05Z\"}",
        ], words: ["[", "]", "=", "\n", "  ", "#", "\"", ":", "\u{FEFF}", "\\u0000", "null", "1e999"]
      ) { text in
        let sections = INIText.sections(of: text)
        let count = sections.values.reduce(0) { $0 + $1.count }
        try promise(count <= text.utf8.count && sections.count <= text.utf8.count, "more settings than bytes")
        do {
          _ = try CredentialsDocument.credentials(Array(text.utf8), from: "a command")
        } catch {
          try promise(!"\(error)".contains("5ecret"), "\(error) shows a secret")
        }
      }
    ]
  #else
    private static let settings: [FuzzTarget] = []
  #endif

  #if Azure
    private static let connections = [
      FuzzTarget(
        "connections",
        texts: [
          "AccountName=a;AccountKey=NWVjcmV0;EndpointSuffix=core.windows.net",
          "BlobEndpoint=http://h/a;SharedAccessSignature=sig=5ecret",
        ],
        words: [";", "=", "AccountKey=", "UseDevelopmentStorage=true", "\u{37E}", "\n"]
      ) { text in
        do { _ = try ConnectionString(text) } catch {
          // Names of settings are shown, and a mutation may have put a value there.
          let shows = ["5ecret", "nwvjcmv0"].contains { "\(error)".lowercased().contains("=\($0)") }
          try promise(!shows, "\(error) shows a secret")
        }
      }
    ]
  #else
    private static let connections: [FuzzTarget] = []
  #endif
}
