#if S3
  internal import Foundation
  internal import RangeIO
  internal import RangeIOSupport

  /// Credentials as JSON: what a `credential_process` prints, and what containers and virtual machines answer.
  ///
  /// A message about a document never shows its contents.
  enum CredentialsDocument {
    private struct Document: Decodable {
      var Version: Int?
      var Code: String?
      var AccessKeyId: String?
      var SecretAccessKey: String?
      var SessionToken: String?
      var Token: String?
      var Expiration: String?
    }

    /// Parses `bytes`.
    ///
    /// - Parameter origin: what printed or sent the document, as the subject of a sentence.
    /// - Throws: `invalidResponse`.
    static func credentials(_ bytes: [UInt8], from origin: String) throws(ReadError) -> S3Credentials {
      let document: Document
      do {
        document = try JSONDecoder().decode(Document.self, from: Data(bytes))
      } catch {
        // The decoder's own error may show parts of the document.
        throw invalid(origin, "is no JSON object of credentials")
      }
      if let version = document.Version, version != 1 { throw invalid(origin, "has version \(version), not 1") }
      if let code = document.Code, code != "Success" {
        throw invalid(origin, "says \(XMLText.isName(code) ? code : "that it failed")")
      }
      guard let id = document.AccessKeyId, !id.isEmpty, let secret = document.SecretAccessKey, !secret.isEmpty else {
        throw invalid(origin, "lacks AccessKeyId or SecretAccessKey")
      }
      var expiry: Int?
      if let text = document.Expiration {
        guard let time = SigningTime(text) else { throw invalid(origin, "has an Expiration that is no time") }
        expiry = time.secondsSince1970
      }
      return S3Credentials(
        accessKeyID: id, secretAccessKey: secret, sessionToken: document.SessionToken ?? document.Token, expiry: expiry)
    }

    private static func invalid(_ origin: String, _ how: String) -> ReadError {
      ReadError(.invalidResponse, "what \(origin) answered \(how): run or request it by hand, and look")
    }
  }

#endif
