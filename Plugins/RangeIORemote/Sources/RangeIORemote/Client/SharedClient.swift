#if HTTP
  internal import AsyncHTTPClient
  internal import RangeIO
  internal import Synchronization

  /// A client of async-http-client that all objects with equal settings share, with its connections and their limit.
  ///
  /// It is shut down when the last lease ends, and made anew when it is needed again.
  final class SharedClient: Sendable {
    let client: HTTPClient
    /// `nil` for HTTP/2, which has one connection for all.
    let loops: LoopChoice?
    private let key: ClientKey
    /// The proxy that requests go to as to a server; `nil`: they go to the server.
    var forwarder: ProxyServer? { key.proxy.flatMap { $0.kind == .forward ? $0 : nil } }
    private let permits = Locked<[ObjectURL.Origin: Permits]>([:])
    /// The most hosts whose permits are kept while no request is under way to them: redirects may lead to ever new ones.
    private static let maxIdleHosts = 64

    private struct All {
      /// The client that the next lease gets.
      var current: [ClientKey: SharedClient] = [:]
      var leases: [ObjectIdentifier: Int] = [:]
    }
    private static let all = Locked(All())
    private let retired = Atomic<Bool>(false)

    private init(_ key: ClientKey) throws(Failure) {
      self.key = key
      client = try key.makeClient()
      loops = key.version == .http1 ? LoopChoice(client.eventLoopGroup) : nil
    }

    /// The proxy that it connects to.
    var proxy: ProxyServer? { key.proxy }

    /// The number of clients, for tests.
    static var count: Int { all.withLock { $0.leases.count } }

    /// The number of hosts whose permits are kept, for tests.
    var hostCount: Int { permits.withLock { $0.count } }

    /// The permits for requests to a host. The client's own queue would count the wait for other requests as time of
    /// connecting, and fail. So they are no more for HTTP/2, which the server need not speak.
    func permits(for origin: ObjectURL.Origin) -> Permits {
      permits.withLock { permits in
        if let known = permits[origin] { return known }
        if permits.count >= Self.maxIdleHosts { permits = permits.filter { !$0.value.isIdle } }
        let new = Permits(key.connectionsPerHost)
        permits[origin] = new
        return new
      }
    }

    /// Requests wait for connections to a host.
    var othersWait: Bool { permits.withLock { Array($0.values) }.contains { $0.waiterCount > 0 } }

    /// The client for `key`. End each lease.
    static func lease(_ key: ClientKey) throws(Failure) -> SharedClient {
      let known = all.withLock { all -> SharedClient? in
        guard let known = all.current[key] else { return nil }
        all.leases[ObjectIdentifier(known), default: 0] += 1
        return known
      }
      if let known { return known }
      // Certificates may have to be read from files, so not under the lock.
      let new = try SharedClient(key)
      let kept = all.withLock { all -> SharedClient in
        let kept = all.current[key] ?? new
        all.current[key] = kept
        all.leases[ObjectIdentifier(kept), default: 0] += 1
        return kept
      }
      if kept !== new { new.client.shutdown { _ in } }
      return kept
    }

    /// Ends a lease. Returns whether it was the last: then the client must be shut down.
    private func ended() -> Bool {
      Self.all.withLock { all in
        let left = all.leases[ObjectIdentifier(self), default: 1] - 1
        all.leases[ObjectIdentifier(self)] = left > 0 ? left : nil
        if left <= 0, all.current[key] === self { all.current[key] = nil }
        return left <= 0
      }
    }

    /// The objects that use it should lease another one.
    var isRetired: Bool { retired.load(ordering: .acquiring) }

    /// Leases of this client go on; the next ones get a new one.
    ///
    /// For a connection of HTTP/2 that answers no more: the client would send all requests there until the system gives
    /// it up, after a quarter of an hour or so.
    func retire() {
      Self.all.withLock { all in
        if all.current[key] === self { all.current[key] = nil }
      }
      retired.store(true, ordering: .releasing)
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
