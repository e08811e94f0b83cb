/// The flights of credentials that sources share which look for them in the same places. A flight goes with the last of its
/// sources, and its credentials with it.
public final class SharedCredentials<Places: Hashable & Sendable>: Sendable {
  private struct Key: Hashable {
    let places: Places
    /// A digest: they may be secrets, and stay for a while after the last source.
    let names: [UInt8]
  }
  private struct Entry {
    weak var flight: (any AnyObject & Sendable)?
  }
  private let entries = Guarded<[Key: Entry]>([:])

  /// None yet.
  public init() {}

  /// The credentials of a source, which others share: a role is taken on once, and a program runs once, for all of them.
  ///
  /// - Parameters:
  ///   - places: where they are looked for.
  ///   - names: the settings that decide which ones are found there.
  ///   - expiry: when they end, in seconds since 1970. Those that do not end are fetched for each source: a file may have changed.
  ///   - now: seconds since 1970, by this machine's clock.
  ///   - sourceNow: the same by the clock that the source's server goes by.
  ///   - fetch: brings new ones.
  public func credentials<Credentials>(
    in places: Places, named names: [String], expiry: @escaping @Sendable (Credentials) -> Int?,
    now: @escaping @Sendable () -> Int, of sourceNow: @escaping @Sendable () -> Int,
    fetch: @escaping @Sendable () async throws -> Credentials
  ) -> CredentialsFlight<Credentials> {
    // With its length each name is told from its neighbours.
    let digest = SHA256.digest(of: names.flatMap { Array("\($0.utf8.count):\($0)".utf8) })
    let shared = entries.withLock { entries in
      let key = Key(places: places, names: digest)
      if let known = entries[key]?.flight as? CredentialsFlight<Credentials> { return known }
      entries = entries.filter { $0.value.flight != nil }
      let flight = CredentialsFlight<Credentials>(expiry: { expiry($0) ?? .min }, now: now, fetch: fetch)
      entries[key] = Entry(flight: flight)
      return flight
    }
    return CredentialsFlight(sharing: shared, expiry: expiry, now: sourceNow)
  }

  /// How many flights there are.
  package var count: Int { entries.withLock { $0.values.count { $0.flight != nil } } }
}
