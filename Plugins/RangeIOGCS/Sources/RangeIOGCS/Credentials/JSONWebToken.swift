#if GCS
  internal import Crypto
  internal import Foundation
  internal import RangeIO
  internal import RangeIOSupport
  internal import _CryptoExtras

  /// A token that a service account's key has signed (RFC 7519, RS256). The same bytes as google-auth makes of the same
  /// claims, which `JSONWebTokenTests` compares.
  struct JSONWebToken {
    /// A claim's value.
    enum Value {
      case text(String)
      case number(Int)

      var json: String {
        switch self {
        case .text(let text): JSONWebToken.quoted(text)
        case .number(let number): "\(number)"
        }
      }
    }

    /// In the order in which they stand in the token.
    var claims: [(name: String, value: Value)]

    /// The token, signed by `key`.
    func signed(by key: RSAKey, keyID: String?) throws(ReadError) -> String {
      var header: [(name: String, value: Value)] = [("typ", .text("JWT")), ("alg", .text("RS256"))]
      if let keyID { header.append(("kid", .text(keyID))) }
      let text = Self.encoded(Array(Self.object(header).utf8)) + "." + Self.encoded(Array(Self.object(claims).utf8))
      return text + "." + Self.encoded(try key.signature(of: text))
    }

    private static func object(_ members: [(name: String, value: Value)]) -> String {
      "{" + members.map { "\(quoted($0.name)): \($0.value.json)" }.joined(separator: ", ") + "}"
    }

    /// `text` as a string of JSON in ASCII.
    private static func quoted(_ text: String) -> String {
      var quoted = "\""
      for unit in text.utf16 {
        switch unit {
        case 0x22: quoted += "\\\""
        case 0x5C: quoted += "\\\\"
        case 0x0A: quoted += "\\n"
        case 0x0D: quoted += "\\r"
        case 0x09: quoted += "\\t"
        case 0x08: quoted += "\\b"
        case 0x0C: quoted += "\\f"
        case 0x20..<0x7F: quoted.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
        default:
          let digits = String(unit, radix: 16)
          quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
      return quoted + "\""
    }

    /// Base64 for URLs, without padding (RFC 4648, section 5).
    private static func encoded(_ bytes: [UInt8]) -> String {
      let letters = Base64.text(bytes).utf8.filter { $0 != UInt8(ascii: "=") }.map { byte in
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: byte
        }
      }
      return String(decoding: letters, as: UTF8.self)
    }
  }

  /// A service account's private key.
  struct RSAKey: Sendable {
    private let key: _RSA.Signing.PrivateKey

    /// - Parameter pem: PKCS #8 or PKCS #1, in PEM.
    init(pem: String) throws(ReadError) {
      do { key = try _RSA.Signing.PrivateKey(pemRepresentation: pem) } catch {
        // The error may show parts of the key.
        throw ReadError(
          .invalidConfiguration,
          "the private_key of the service account is no RSA key in PEM of 2,048 bits or more: download a new key")
      }
    }

    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017, section 8.2).
    func signature(of text: String) throws(ReadError) -> [UInt8] {
      do {
        return Array(try key.signature(for: Data(text.utf8), padding: .insecurePKCS1v1_5).rawRepresentation)
      } catch {
        throw ReadError(.invalidConfiguration, "the private_key of the service account cannot sign: download a new key")
      }
    }
  }

#endif
