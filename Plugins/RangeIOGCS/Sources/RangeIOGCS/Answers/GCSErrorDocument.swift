#if GCS
  internal import Foundation
  internal import RangeIOSupport

  /// The body of an error answer: XML or JSON, whichever API was asked.
  ///
  /// Tolerant: what is neither has nothing in it. Never shows `StringToSign`, `CanonicalRequest` and other elements with parts
  /// of signatures.
  struct GCSErrorDocument: Equatable, Sendable {
    /// As in `NoSuchKey` or `notFound`; letters and digits only.
    var code: String?
    /// For people: one line.
    var message: String?

    init(_ body: [UInt8]) {
      let isJSON = body.first(where: { $0 > 32 }) == UInt8(ascii: "{")
      if isJSON {
        // `try?`: what cannot be decoded says nothing.
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(body)) else { return }
        let error = document.error
        code = Self.name(error.errors?.first?.reason ?? error.status)
        message = error.message.flatMap { Self.line($0) }
      } else {
        code = Self.name(XMLText.first("Code", in: body))
        // The details say who may not do what.
        let details = code == "SignatureDoesNotMatch" ? nil : XMLText.first("Details", in: body)
        let texts = [XMLText.first("Message", in: body), details].compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } }
        message = texts.isEmpty ? nil : texts.joined(separator: " ")
      }
    }

    private struct Document: Decodable {
      struct Failure: Decodable {
        var message: String?
        var status: String?
        var errors: [Reason]?
      }
      struct Reason: Decodable {
        var reason: String?
      }
      var error: Failure
    }

    /// `text` if it may name an error. It goes into messages, so nothing else passes.
    static func name(_ text: String?) -> String? {
      guard let text, 1...64 ~= text.utf8.count else { return nil }
      let isName = text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
      }
      return isName ? text : nil
    }

    /// `text` as one line; `nil` if nothing is left.
    static func line(_ text: String) -> String? {
      let words = text.utf8.split { $0 <= 32 || $0 == 127 }
      let line = String(decoding: Array(words.joined(separator: [32])), as: UTF8.self)
      return line.isEmpty ? nil : line
    }
  }

#endif
