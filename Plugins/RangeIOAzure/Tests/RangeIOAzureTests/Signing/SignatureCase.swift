#if Azure
  import Foundation
  import RangeIORemote

  /// One line of `signatures.jsonl`, which `make-signatures.py` writes with azure-storage-blob.
  struct SignatureCase: Decodable, CustomStringConvertible {
    var number: Int
    /// `client`: a request of the vendor's client. `policy`: one that its signer alone has signed. `sas`: a signature for a
    /// URL.
    var kind: String
    var method: String?
    var url: String?
    var fields: [[String]]?
    var account: String?
    var key: String?
    var authorization: String?
    var endpoint: String?
    var container: String?
    var blob: String?
    var versionID: String?
    var snapshot: String?
    var query: String?
    var expiry: Int?

    var description: String { "case \(number): \(kind) \(method ?? "") \(url ?? query ?? "")" }

    /// All of them.
    static func table() throws -> [SignatureCase] {
      let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      let text = try String(contentsOf: folder.appending(path: "../../signatures.jsonl"), encoding: .utf8)
      return try text.split(separator: "\n").map { try JSONDecoder().decode(Self.self, from: Data($0.utf8)) }
    }

    /// The request that was signed.
    func request() throws -> PreparedRequest {
      var signed = HeaderFields()
      for field in fields ?? [] { signed.set(field[0], field[1]) }
      return PreparedRequest(url: try ObjectURL(url ?? ""), fields: signed)
    }
  }

#endif
