#if HTTP
  internal import AsyncHTTPClient
  internal import RangeIO

  /// A client of async-http-client that all objects with equal settings share, with its connections and their limit.
  ///
  /// It is shut down when the last lease ends, and made anew when it is needed again.
  final class SharedClient: Sendable {
    let client: HTTPClient
    /// `nil` for HTTP/2, which has one connection for all.
    let loops: LoopChoice?
    private let key: ClientKey
    /// As many as hosts were asked since the client was made.
    private let permits = Locked<[ObjectURL.Origin: Permits]>([:])

    private struct Entry {
      let client: SharedClient
      var leases: Int
    }
    private static let all = Locked<[ClientKey: Entry]>([:])

    private init(_ key: ClientKey) throws(Failure) {
      self.key = key
      client = try key.makeClient()
      loops = key.version == .http1 ? LoopChoice(client.eventLoopGroup) : nil
    }

    /// The number of clients, for tests.
    static var count: Int { all.withLock { $0.count } }

    /// The permits for requests to a host. The client's own queue would count the wait for other requests as time of
    /// connecting, and fail.
    func permits(for origin: ObjectURL.Origin) -> Permits {
      permits.withLock { permits in
        if let known = permits[origin] { return known }
        let new = Permits(key.requestsPerHost)
        permits[origin] = new
        return new
      }
    }

    /// The client for `key`. End each lease.
    static func lease(_ key: ClientKey) throws(Failure) -> SharedClient {
      let known = all.withLock { all -> SharedClient? in
        all[key]?.leases += 1
        return all[key]?.client
      }
      if let known { return known }
      // Certificates may have to be read from files, so not under the lock.
      let new = try SharedClient(key)
      let kept = all.withLock { all -> SharedClient in
        if all[key] == nil { all[key] = Entry(client: new, leases: 0) }
        all[key]?.leases += 1
        return all[key]?.client ?? new
      }
      if kept !== new { new.client.shutdown { _ in } }
      return kept
    }

    /// Ends a lease. Returns whether it was the last: then the client must be shut down.
    private func ended() -> Bool {
      Self.all.withLock { all in
        guard var entry = all[key], entry.client === self else { return false }
        entry.leases -= 1
        all[key] = entry.leases > 0 ? entry : nil
        return entry.leases == 0
      }
    }

    /// Ends a lease, and waits until the connections are closed if it was the last. Call it outside of event loops, when
    /// no request of the lease is under way.
    func end() async {
      guard ended() else { return }
      // `try?`: it fails only if it is shut down already.
      try? await client.shutdown()
    }

    /// Ends a lease without waiting.
    func endLater() {
      if ended() { client.shutdown { _ in } }
    }
  }
#endif
