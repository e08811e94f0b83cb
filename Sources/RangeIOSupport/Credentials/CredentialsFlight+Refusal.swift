extension CredentialsFlight {
  /// What requests were sent with, and what a server has refused of it.
  struct Used {
    /// The credentials that a request got last.
    var last: Credentials?
    var refusal: (credentials: Credentials, failure: any Error)?
  }

  /// The credentials that a request got last.
  public var last: Credentials? { used.withLock { $0.last } }

  /// A server has refused a request, so that other credentials may help. Counts only if the request was made with the
  /// ``last`` ones: of two reads that are refused together, the second finds that the first has replaced them already.
  ///
  /// - Parameters:
  ///   - failure: what ``replaceRefused()`` throws if there are no others.
  ///   - isSent: whether the request was made with these.
  public func noteRefusal(_ failure: any Error, if isSent: (Credentials) -> Bool) {
    guard let last, isSent(last) else { return }
    used.withLock { $0.refusal = (last, failure) }
  }

  /// Replaces refused credentials, once for all callers. Returns at once if another has done so.
  ///
  /// - Throws: the failure that was noted, if there are no others; as ``credentials(insteadOf:)``.
  public nonisolated(nonsending) func replaceRefused() async throws {
    guard let refusal = used.withLock({ $0.refusal }) else { return }
    let others = try await credentials(insteadOf: refusal.credentials)
    if others == refusal.credentials { throw refusal.failure }
    used.withLock { used in
      if used.refusal?.credentials == refusal.credentials { used.refusal = nil }
    }
  }
}
