internal import RangeIO
internal import RangeIOSupport

/// The value of `Authorization` for a server, from a provider that is asked at the first request, and again when the
/// server has refused a value. However many reads want one, the provider is asked once at a time. If it hangs, it is asked anew.
final class CredentialStore: Sendable {
  /// Returns the value of `Authorization`; `nil` for none, or for no other than the one refused.
  typealias Provider = @Sendable (_ refused: String?) async throws -> String?

  /// A value, and its place among all that the provider gave.
  struct Credential: Sendable {
    let value: String?
    let number: Int
  }

  private let provider: Provider
  private let current: Locked<Credential?>
  private let asking: SharedWork<Int, Credential>

  /// Asks `provider`.
  ///
  /// - Parameter asking: what asks it once at a time.
  init(
    asking: SharedWork<Int, Credential> = SharedWork(patience: CredentialsTimes.patience),
    _ provider: @escaping Provider
  ) {
    self.provider = provider
    self.asking = asking
    current = Locked(nil)
  }

  /// One value that never changes.
  init(fixed value: String) {
    provider = { _ in nil }
    asking = SharedWork()
    current = Locked(Credential(value: value, number: 0))
  }

  /// How many reads wait for the provider.
  var waiterCount: Int { asking.counts.waiters }

  /// The present value.
  ///
  /// - Parameter wait: waits for an answer, as the caller's reads wait: it fails when they are cancelled or closed.
  func current(_ wait: nonisolated(nonsending) (Promise<Credential>) async throws -> Credential) async throws
    -> Credential
  {
    try await ask(after: nil, wait)
  }

  /// Another value than the `refused` one; `nil` if there is none.
  func renewed(
    after refused: Credential, _ wait: nonisolated(nonsending) (Promise<Credential>) async throws -> Credential
  ) async throws -> Credential? {
    let new = try await ask(after: refused, wait)
    return new.number != refused.number ? new : nil
  }

  private func ask(
    after refused: Credential?, _ wait: nonisolated(nonsending) (Promise<Credential>) async throws -> Credential
  ) async throws -> Credential {
    if let known = known(after: refused) { return known }
    return try await asking.value(for: 0, { [self] in try await new(after: refused) }, waiting: wait)
  }

  /// The present value, if it is another than `refused`: another read may have got it since.
  private func known(after refused: Credential?) -> Credential? {
    guard let current = current.withLock({ $0 }), current.number != refused?.number else { return nil }
    return current
  }

  /// Asks the provider; returns `refused` if it has no other.
  private func new(after refused: Credential?) async throws -> Credential {
    if let known = known(after: refused) { return known }
    let value = try await provider(refused?.value)
    if let refused, value == nil || value == refused.value { return refused }
    // Not kept if it is not wanted any more.
    try Task.checkCancellation()
    return current.withLock { current in
      let new = Credential(value: value, number: (current?.number ?? 0) + 1)
      current = new
      return new
    }
  }
}

extension CredentialStore {
  /// The value of `Authorization` for a user and a password (RFC 7617).
  static func basic(user: String, password: String) -> String {
    "Basic " + Base64.text(Array("\(user):\(password)".utf8))
  }
}
