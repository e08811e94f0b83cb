#if Azure
  internal import Foundation
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// A token as JSON: what the token service, metadata services and `az` answer. A message about a document never shows what
  /// it contains, but for names of errors.
  struct TokenDocument: Sendable {
    private struct Document: Decodable {
      var access_token: String?
      var accessToken: String?
      var expires_in: WrittenNumber?
      var expires_on: WrittenNumber?
      var expiresOn: String?
      var error: String?
      var error_codes: [Int]?
    }

    private let document: Document

    /// `nil` for what is no JSON object.
    init?(_ bytes: [UInt8]) {
      // `try?`: the decoder's own error may show parts of the document.
      guard let document = try? JSONDecoder().decode(Document.self, from: Data(bytes)) else { return nil }
      self.document = document
    }

    /// The token; `nil` if there is none.
    ///
    /// - Parameter now: seconds since 1970.
    func token(at now: Int) -> AzureToken? {
      guard let text = document.access_token ?? document.accessToken, !text.isEmpty else { return nil }
      let expiry =
        document.expires_on?.value ?? document.expires_in?.value.map { now + min(max($0, 0), 1 << 40) }
        ?? document.expiresOn.flatMap(Self.localTime)
      return AzureToken(text, expiry: expiry)
    }

    /// The error's name, as `invalid_client`, and its number, as `AADSTS7000215`.
    var error: (name: String?, number: Int?) {
      (document.error.flatMap { Self.isErrorName($0) ? $0 : nil }, document.error_codes?.first)
    }

    private static func isErrorName(_ text: String) -> Bool { XMLText.isName(text.replacing("_", with: "-")) }

    /// The form of old versions of `az`, in this machine's time zone: `2026-01-02 03:04:05.000000`.
    private static func localTime(_ text: String) -> Int? {
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
      return formatter.date(from: String(text.prefix(19))).map { Int($0.timeIntervalSince1970) }
    }
  }

#endif
