#if S3 || GCS
  internal import Crypto
  internal import Foundation

  /// The keys that signatures are made with. A key is good for one day, region and service, and takes four digests to
  /// derive: so the last few are kept.
  public final class SigningKeys: Sendable {
    private struct Scope: Hashable {
      var secret: [UInt8]
      var day: String
      var region: String
      var service: String
    }
    private struct State {
      var keys: [Scope: SymmetricKey] = [:]
      /// The number of keys derived, for tests.
      var derivedCount = 0
    }
    private let state = Guarded(State())
    private let form: SignatureForm

    /// The most keys that are kept. All are dropped when there are more: each is derived again in some microseconds.
    private static let maxKeys = 16

    /// No keys yet.
    public init(_ form: SignatureForm = .amazon) { self.form = form }

    /// The number of keys derived so far.
    public var derivedCount: Int { state.withLock { $0.derivedCount } }

    /// The key for requests of `day` to `service` in `region`.
    func key(secret: String, day: String, region: String, service: String) -> SymmetricKey {
      let scope = Scope(secret: Array(secret.utf8), day: day, region: region, service: service)
      if let known = state.withLock({ $0.keys[scope] }) { return known }
      let first = SymmetricKey(data: Array(form.keyPrefix.utf8) + scope.secret)
      let key = [day, region, service, form.terminator].reduce(first) { key, text in
        SymmetricKey(data: HMAC<Crypto.SHA256>.authenticationCode(for: Array(text.utf8), using: key))
      }
      state.withLock { state in
        state.derivedCount += 1
        if state.keys.count >= Self.maxKeys { state.keys.removeAll() }
        state.keys[scope] = key
      }
      return key
    }

    /// The signature of `text` by that key, in hexadecimal digits.
    func signature(of text: String, secret: String, day: String, region: String, service: String) -> String {
      let key = key(secret: secret, day: day, region: region, service: service)
      return hexadecimal(HMAC<Crypto.SHA256>.authenticationCode(for: Array(text.utf8), using: key))
    }
  }

#endif
