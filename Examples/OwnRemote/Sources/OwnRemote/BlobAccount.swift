import Crypto
import Foundation
import RangeIO
import RangeIORemote
import Synchronization

/// An account of Azure's Blob service. Signs each request with the account's key ("Shared Key"), and learns the difference
/// if this machine's clock is wrong.
///
/// - Source: https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key
final class BlobAccount: RequestAuthority {
  let name: String
  /// `https://<name>.blob.core.windows.net`, or that of an emulator.
  let endpoint: String
  private let key: SymmetricKey
  /// How far the server's clock is ahead of ours, in seconds.
  private let offset = Mutex(0)

  /// - Parameter key: in Base64, as the portal shows it.
  init(_ name: String, key: String, endpoint: String? = nil) throws {
    guard let bytes = Data(base64Encoded: key) else {
      throw ReadError(.invalidConfiguration, "the account's key is no Base64: copy it from the portal")
    }
    self.name = name
    self.key = SymmetricKey(data: bytes)
    self.endpoint = endpoint ?? "https://\(name).blob.core.windows.net"
  }

  func prepare(_ plan: RequestPlan) async throws -> PreparedRequest {
    var request = PreparedRequest(url: plan.url, fields: plan.fields)
    let now = Int(Date().timeIntervalSince1970) + offset.withLock { $0 }
    request.fields.set("x-ms-date", HTTPDate(secondsSince1970: now).text)
    request.fields.set("x-ms-version", "2021-08-06")
    let text = textToSign(plan.method.rawValue, request)
    let signature = Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key))
    request.fields.set("Authorization", "SharedKey \(name):\(signature.base64EncodedString())")
    return request
  }

  /// What a signature covers: the method, eleven fields in this order, all of `x-ms-`, and the resource.
  private func textToSign(_ method: String, _ request: PreparedRequest) -> String {
    let names = [
      "Content-Encoding", "Content-Language", "Content-Length", "Content-MD5", "Content-Type", "Date",
      "If-Modified-Since", "If-Match", "If-None-Match", "If-Unmodified-Since", "Range",
    ]
    var lines = [method] + names.map { request.fields[$0] ?? "" }
    let own = request.fields.all.map { ($0.name.lowercased(), $0.value) }.filter { $0.0.hasPrefix("x-ms-") }
    lines += own.sorted { $0.0 < $1.0 }.map { "\($0):\($1)" }
    lines.append("/\(name)\(request.url.path)")
    let query = request.url.queryItems.map { ($0.name.lowercased(), $0.value?.removingPercentEncoding ?? "") }
    lines += query.sorted { $0.0 < $1.0 }.map { "\($0):\($1)" }
    return lines.joined(separator: "\n")
  }

  func judge(_ head: ResponseHead, body: [UInt8], of plan: RequestPlan, sent: PreparedRequest) -> RefusalVerdict {
    let code = head.fields["x-ms-error-code"]
    // A HEAD tells less than the GET that follows it; 503 and its like pass.
    guard let code, plan.method == .get, [400, 401, 403].contains(head.status) else { return .none }
    if code == "AuthenticationFailed", let server = head.fields["Date"].flatMap(HTTPDate.init),
      let signed = sent.fields["x-ms-date"].flatMap(HTTPDate.init),
      abs(server.secondsSince1970 - signed.secondsSince1970) > 600
    {
      return .mend(.clock(offset: server.secondsSince1970 - Int(Date().timeIntervalSince1970)))
    }
    return .fail(
      ReadError(.permissionDenied, "the Blob service refuses the request: \(code): check the account and its key"))
  }

  func mend(_ remedy: Remedy) async throws {
    if case .clock(let offset) = remedy { self.offset.withLock { $0 = offset } }
  }
}
