#if Tool
/// The settings of sources behind URLs.
struct RemoteSettings: Equatable {
  /// Sent with each request to the server that the user named, and to no other.
  var headers: [RemoteHeader] = []
  /// A profile of the AWS configuration.
  var profile: String?
  /// The URL of a store like S3, of an account's blobs, or of a store like Google's.
  var endpoint: String?
  var region: String?
  /// The account of `az://container/blob`.
  var account: String?
  /// The project that pays for requests to Google.
  var project: String?
  /// A shared access signature of Azure.
  var signature: HiddenText?
  /// `false` reads without credentials, from S3, Azure and Google.
  var signs = true
  /// The path of certificates to trust besides the system's.
  var certificates: String?
  /// Bytes count as they are stored, whatever their `Content-Encoding`.
  var acceptsEncoded = false
  /// Versions are told apart by their times, not by tags.
  var trustsTimes = false
  /// A command that prints a new URL.
  var renew: String?
  /// The most time of a read; `nil`: as the source has it.
  var timeLimit: Duration?
  /// The most retries of a read; `nil`: as the stage has it.
  var retries: Int?

  /// Throws if something was set that makes no difference for `name`.
  func check(for name: SourceName) throws(ToolFailure) {
    let ofURLs = [
      ("--header and --header-env are", !headers.isEmpty), ("--cacert is", certificates != nil),
      ("--time-limit is", timeLimit != nil), ("--retries is", retries != nil), ("--accept-encoded is", acceptsEncoded),
    ]
    if !name.isURL, let (options, _) = ofURLs.first(where: \.1) {
      throw .usage("\(options) for sources that begin with http://, https://, s3://, az://, abfss:// or gs://")
    }
    let ofWeb = [("--trust-times", trustsTimes), ("--renew", renew != nil)]
    if name.kind != .http, let (option, _) = ofWeb.first(where: \.1) {
      throw .usage("\(option) is for sources that begin with http:// or https://")
    }
    let ofStores = [("--endpoint", endpoint != nil), ("--no-sign", !signs)]
    if ![.s3, .azure, .gcs].contains(name.kind), let (option, _) = ofStores.first(where: \.1) {
      throw .usage("\(option) is for sources that begin with s3://, az:// or gs://")
    }
    if name.kind != .gcs, project != nil { throw .usage("--project is for sources that begin with gs://") }
    if name.kind != .azure, signature != nil {
      throw .usage("--sas and --sas-env are for sources that begin with az:// or abfss://")
    }
    if account != nil, name.text.prefix(5).lowercased() != "az://" {
      throw .usage("--account is for az://container/blob: other addresses name their account")
    }
    if signature != nil, !signs { throw .usage("--sas is a credential, and --no-sign is for none: choose one") }
    let ofBuckets = [("--profile", profile != nil), ("--region", region != nil)]
    if name.kind != .s3, let (option, _) = ofBuckets.first(where: \.1) {
      throw .usage("\(option) is for sources that begin with s3://")
    }
  }
}

extension RemoteSettings {
  /// The address of a blob, or of a container, with its account.
  func address(of name: SourceName) -> String {
    guard let account else { return name.text }
    return "az://\(account)/\(name.text.dropFirst(5))"
  }
}

/// A field of a request's head. What it holds is never shown: it may be a secret.
struct RemoteHeader: Equatable, CustomStringConvertible {
  let name: String
  let value: String

  /// Fields that decide what comes back: the library sets them, and checks the answers by them.
  private static let owned: Set<String> = [
    "range", "if-match", "if-none-match", "if-range", "if-modified-since", "if-unmodified-since", "accept-encoding",
    "connection", "content-length", "host", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  /// Parses `Name: value`.
  ///
  /// - Parameter origin: where it stands, for messages.
  /// - Source: RFC 9110, 5.1 and 5.5.
  init(parsing text: String, of origin: String = "--header") throws(ToolFailure) {
    // The text is never shown: without a colon all of it may be a secret.
    guard let colon = text.firstIndex(of: ":") else {
      throw .usage("\(origin): there is no colon: write 'Name: value'")
    }
    let name = String(text[..<colon])
    guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else {
      throw .usage("\(origin): what stands before the colon is not a field name: write 'Name: value'")
    }
    guard !Self.owned.contains(name.lowercased()) else {
      throw .usage("\(origin): rangeio sets \(name) itself: leave it out")
    }
    let value = text[text.index(after: colon)...].utf8
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    let trimmed = Array(value.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    guard trimmed.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else {
      throw .usage("\(origin): the value of \(name) has a line end or another control character")
    }
    self.name = name
    self.value = String(decoding: trimmed, as: UTF8.self)
  }

  var description: String { "\(name): …" }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
#endif
