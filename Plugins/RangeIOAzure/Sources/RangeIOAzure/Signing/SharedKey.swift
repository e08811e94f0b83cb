#if Azure
  internal import Crypto
  internal import Foundation
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// The key of an account, which signs requests of the Blob service ("Shared Key", version 2009-09-19 and later). Pure: the
  /// time is a field of the request.
  ///
  /// Equal to the vendor's `SharedKeyCredentialPolicy`, which `SharedKeyTests` compares it with.
  ///
  /// - Source: https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key
  struct SharedKey: Hashable, Sendable {
    let account: String
    private let key: [UInt8]

    /// - Parameter key: in Base64, as the portal shows it.
    /// - Throws: `ReadError` with `invalidConfiguration`, which shows nothing of the key.
    init(account: String, key: String) throws(ReadError) {
      let text = key.filter { !$0.isWhitespace }
      // Padding alone decodes as a byte.
      guard let bytes = Data(base64Encoded: text), !bytes.isEmpty, Base64.text(Array(bytes)) == text else {
        throw ReadError(.invalidConfiguration, "the key of the account is no Base64: copy it from the portal")
      }
      self.account = account
      self.key = Array(bytes)
    }

    /// The value of `Authorization` for a request without a body.
    func authorization(_ method: String, _ request: PreparedRequest) -> String {
      let text = Array(Self.textToSign(method, request, account: account).utf8)
      let signature = HMAC<Crypto.SHA256>.authenticationCode(for: text, using: SymmetricKey(data: key))
      return "SharedKey \(account):\(Base64.text(Array(signature)))"
    }

    /// The fields that are signed by their place, not by their name.
    private static let standardFields = [
      "Content-Encoding", "Content-Language", "Content-Length", "Content-MD5", "Content-Type", "Date",
      "If-Modified-Since", "If-Match", "If-None-Match", "If-Unmodified-Since", "Range",
    ]

    /// What a signature covers: the method, the standard fields, all of `x-ms-`, and the resource with its parameters.
    static func textToSign(_ method: String, _ request: PreparedRequest, account: String) -> String {
      var lines = [method] + standardFields.map { request.fields[$0] ?? "" }
      // Without a body the length is empty since version 2015-02-21.
      if lines[3] == "0" { lines[3] = "" }
      let own = request.fields.all.map { (name: $0.name.lowercased(), value: $0.value) }
      lines += own.filter { $0.name.hasPrefix("x-ms-") }.sorted { HeaderOrder.precedes($0.name, $1.name) }
        .map { "\($0.name):\($0.value)" }
      lines.append("/\(account)\(request.url.path)")
      return (lines + parameters(of: request.url)).joined(separator: "\n")
    }

    /// The parameters of the query, decoded, by their names in lower case. Several values of one name are one line.
    private static func parameters(of url: ObjectURL) -> [String] {
      var values: [String: [String]] = [:]
      for item in url.queryItems where !item.name.isEmpty {
        let name = item.name.removingPercentEncoding ?? item.name
        values[name.lowercased(), default: []].append(item.value.map { $0.removingPercentEncoding ?? $0 } ?? "")
      }
      return values.sorted { $0.key.precedesByBytes($1.key) }.map { name, values in
        "\(name):\(values.sorted { $0.precedesByBytes($1) }.joined(separator: ","))"
      }
    }
  }

  extension SharedKey: CustomStringConvertible, CustomReflectable {
    /// The account; never the key.
    var description: String { "key of \(account)" }

    /// Shows no more than ``description``.
    var customMirror: Mirror { Mirror(self, children: []) }
  }

#endif
