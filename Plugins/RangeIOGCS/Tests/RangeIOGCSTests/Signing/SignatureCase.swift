#if GCS
  import Foundation
  import RangeIORemote
  import RangeIOSupport

  @testable import RangeIOGCS

  /// One line of `signatures.jsonl`, which `make-signatures.py` writes with Google's libraries.
  struct SignatureCase: Decodable, CustomStringConvertible {
    enum Kind: String, Decodable {
      /// What a token server is given.
      case assertion
      /// A token that the key signed itself.
      case selfSigned
      /// The query of a signed URL, by a service account.
      case url
      /// The same, by an HMAC key.
      case hmacURL
      /// `Authorization`, by an HMAC key.
      case head
    }
    var number: Int
    var kind: Kind
    var time: String
    var signed: String
    // Tokens and URLs of a service account.
    var email: String?
    var keyID: String?
    var scope: String?
    // Requests.
    var method: String?
    var host: String?
    var bucket: String?
    var object: String?
    var query: String?
    var headers: [[String]]?
    var expiry: Int?
    var hmac: [String]?

    var description: String { "case \(number): \(kind) \(email ?? "") \(host ?? "") \(object ?? "")" }

    /// The folder with the table and the key.
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")

    /// All of them.
    static func table() throws -> [SignatureCase] {
      let text = try String(contentsOf: folder.appending(path: "signatures.jsonl"), encoding: .utf8)
      return try text.split(separator: "\n").map { try JSONDecoder().decode(Self.self, from: Data($0.utf8)) }
    }

    /// The private key of all accounts in the tests. It belongs to none of Google's.
    static func key() throws -> String {
      try String(contentsOf: folder.appending(path: "key.pem"), encoding: .utf8)
    }

    /// A file of credentials of a service account.
    static func account(_ members: [String: String] = [:]) throws -> String {
      let usual = [
        "type": "service_account", "client_email": "reader@maps-1.iam.gserviceaccount.com", "private_key": try key(),
      ]
      let data = try JSONEncoder().encode(usual.merging(members) { $1 })
      return String(decoding: data, as: UTF8.self)
    }

    func account() throws -> ServiceAccountKey {
      var members = ["client_email": email ?? ""]
      if let keyID { members["private_key_id"] = keyID }
      return try ServiceAccountKey(CredentialsDocument.parse(Self.account(members)))
    }

    /// The request as our source makes it.
    func request() throws -> UnsignedRequest {
      let endpoint = try GCSEndpoint(host ?? "")
      let url = try endpoint.url(of: GCSAddress(bucket: bucket ?? "", object: object ?? ""), .xml)
      return UnsignedRequest(
        method: method ?? "GET", scheme: url.scheme.rawValue, host: url.authority, path: url.path, query: query ?? "",
        headers: (headers ?? []).map { .init($0[0], $0[1]) })
    }
  }

#endif
