#if HTTP
  internal import AsyncHTTPClient
  internal import RangeIO

  /// The clients of one object: one, or more if it is redirected to hosts that another proxy is for, or to another scheme.
  final class ObjectClients: Sendable {
    private struct Way: Hashable {
      let proxy: ProxyServer?
      let isSecure: Bool
    }
    private struct State {
      var leased: [Way: SharedClient] = [:]
      /// The proxies that refuse `CONNECT` for `http`.
      var refusing: Set<ProxyServer> = []
      var isEnded = false
    }
    private let settings: RemoteConfiguration
    /// The proxy that the settings name.
    private let server: ProxyServer?
    private let environment: ProxyEnvironment
    private let state = Locked(State())

    /// - Parameter environment: the environment's proxies; `nil` for those of this process.
    init(_ settings: RemoteConfiguration, environment: ProxyEnvironment? = nil) throws(Failure) {
      self.settings = settings
      if case .server(let url) = settings.proxy { server = try ProxyServer(url) } else { server = nil }
      self.environment = environment ?? Self.ofProcess
    }

    private static let ofProcess = ProxyEnvironment(ProcessVariables.all)

    deinit {
      for client in state.withLock({ $0.leased.values.map { $0 } }) { client.endLater() }
    }

    private func proxy(for url: ObjectURL) throws(Failure) -> ProxyServer? {
      switch settings.proxy {
      case .none: nil
      case .environment: try environment.proxy(for: url)
      case .server: server
      }
    }

    /// The proxy for `url` has refused `CONNECT`. Returns whether it is asked in another way from now on.
    func forwards(_ url: ObjectURL) throws(Failure) -> Bool {
      guard url.scheme == .http, let proxy = try proxy(for: url), proxy.kind == .http else { return false }
      state.withLock { _ = $0.refusing.insert(proxy) }
      return true
    }

    /// The client for requests to `url`.
    func client(for url: ObjectURL) throws(Failure) -> SharedClient {
      var proxy = try proxy(for: url)
      if url.scheme == .http, let asked = proxy, state.withLock({ $0.refusing.contains(asked) }) {
        proxy = asked.forwarding
      }
      let way = Way(proxy: proxy, isSecure: url.scheme == .https)
      if let known = state.withLock({ $0.leased[way] }), !known.isRetired { return known }
      let new = try SharedClient.lease(ClientKey(settings, proxy: proxy, isSecure: way.isSecure))
      let (kept, surplus) = state.withLock { state -> (SharedClient?, SharedClient?) in
        if state.isEnded { return (nil, new) }
        let known = state.leased[way]
        if let known, !known.isRetired { return (known, new) }
        state.leased[way] = new
        return (new, known)
      }
      surplus?.endLater()
      guard let kept else { throw Failure(.closed, ReadError.closedSource.message) }
      return kept
    }

    /// Requests, of this object or of others, wait for connections of one of the clients.
    var othersWait: Bool { state.withLock { Array($0.leased.values) }.contains(where: \.othersWait) }

    /// Ends all use. Call it when no request is under way any more; later ones fail.
    func end() async {
      let all = state.withLock { state in
        defer { (state.leased, state.isEnded) = ([:], true) }
        return Array(state.leased.values)
      }
      for client in all { await client.end() }
    }
  }
#endif
