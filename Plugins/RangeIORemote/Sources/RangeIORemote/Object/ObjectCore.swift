#if HTTP
  internal import AsyncHTTPClient
  internal import NIOCore
  internal import NIOHTTP1
  internal import RangeIO
  internal import Synchronization

  /// The state that the requests for one object share: clients, limits, waits, and what was learnt of the server.
  final class ObjectCore: Sendable {
    /// The facts learnt of the server, kept from one read to the next.
    struct Learnt: Sendable {
      var habits = Habits()
      var route: Route
      var measure = OriginMeasure()
    }

    enum Count: Int {
      case reads, bytes, requests, received, continued
      /// Those bytes of ``received`` whose requests have ended. Their readers may have left before.
      case ended
    }

    let origin: ObjectURL
    let settings: RemoteConfiguration
    let rules: TransferRules
    let clients: ObjectClients
    let authority: (any RequestAuthority)?
    let credentials: CredentialStore?
    let learnt: Locked<Learnt>
    let counts = Stripes()
    /// Requests under way, whether or not a read still waits for them.
    let gate = ShutdownGate()
    /// Reads that wait for something. Closing answers them.
    let waiting = WaiterRegistry()
    let watch: Watch
    let background = BackgroundWork()
    /// The user's fields and ours, for requests to the origin of the object, and those for all others.
    let fieldsForOrigin: HeaderFields
    let fieldsForOthers: HeaderFields
    /// Requests as the client wants them, by server and method, without target and fields: parsing a URL takes longer than
    /// all else of a request.
    private let templates = Locked<[(server: String, method: String, request: HTTPClient.Request)]>([])

    init(
      _ origin: ObjectURL, _ settings: RemoteConfiguration, authority: (any RequestAuthority)? = nil,
      environment: ProxyEnvironment? = nil
    ) throws(Failure) {
      self.origin = origin
      let settings = settings.bounded
      let fields = try settings.headerFields()
      clients = try ObjectClients(settings, environment: environment)
      self.settings = settings
      self.authority = authority
      credentials = settings.credentials?.store
      var rules = settings.rules
      rules.hasAuthority = authority != nil
      rules.versionField = authority?.versionField
      rules.codingField = authority?.codingField
      rules.hasCredentials = credentials != nil
      // Any header may be a secret.
      rules.isAnonymous = authority == nil && credentials == nil && fields.all.isEmpty
      self.rules = rules
      learnt = Locked(Learnt(route: Route(origin: origin)))
      watch = Watch(every: settings.watchInterval)
      fieldsForOthers = settings.completing(HeaderFields())
      fieldsForOrigin = settings.completing(fields)
    }

    /// Ends all requests and waits, and returns when none is under way. In a cancelled task returns at once.
    func close() async {
      _ = gate.close()
      waiting.failAll(ReadError.closed)
      watch.stopAll()
      // It throws if the task is cancelled. Then the clients end with this object.
      do { try await gate.drained() } catch { return }
      await clients.end()
    }

    // MARK: waiting

    /// When a read that begins now is late: never, unless there is a limit.
    var deadline: Int64 { settings.readTimeout.map { Watch.time(after: $0) } ?? .max }

    /// Waits for `answer` of the credentials' provider. Fails when the task is cancelled, the source is closed, or
    /// `deadline` has passed; if there is none, after a minute.
    func waitForCredentials<Value>(_ answer: Promise<Value>, until deadline: Int64) async throws -> Value {
      let end = deadline == .max ? Watch.time(after: RemoteConfiguration.credentialsTimeout) : deadline
      return try await wait(
        for: answer, until: end, orThrow: .late("look at the credentials' provider, or at what renews the URL"))
    }

    /// Waits for `answer`. Fails when the task is cancelled or the source is closed, and with `failure` when `deadline` has
    /// passed.
    func wait<Value>(
      for answer: Promise<Value>, until deadline: Int64, orThrow failure: Failure
    ) async throws -> Value {
      let timed = TimedWait(answer, until: deadline, orThrow: failure)
      watch.add(timed)
      defer { watch.remove(timed) }
      return try await waiting.wait(for: answer)
    }

    /// Runs `work` in a task of its own and waits for it: it may not answer a cancelled task at once.
    func leavingBehind<Value: Sendable>(
      until deadline: Int64, _ work: nonisolated(nonsending) @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
      let answer = Promise<Value>()
      let task = background.start {
        do { answer.resolve(.success(try await work())) } catch { answer.fail(error) }
      }
      do { return try await waitForCredentials(answer, until: deadline) } catch {
        task.cancel()
        throw error
      }
    }

    // MARK: requests

    /// Sends a request and returns what came of it. Cancelled or closed, returns at once.
    ///
    /// - Parameters:
    ///   - deadline: in nanoseconds of the watch's clock.
    ///   - judge: called with the head, on an event loop.
    func exchange(
      _ request: WireRequest, into sink: BodySink?, until deadline: Int64,
      judge: @escaping @Sendable (ResponseHead) -> Exchange.BodyUse
    ) async throws -> Exchange.Outcome {
      while true {
        let shared = try clients.client(for: request.url)
        let permits = shared.permits(for: request.url.origin)
        let exchange = Exchange(sent(request, shared), into: sink, limits: limits(until: deadline), judge: judge)
        let place = try enqueue(exchange, request, shared, permits)
        do {
          let (outcome, times) = try await waiting.wait(for: exchange.answer)
          place?.end()
          learn(times)
          if case .noHead(.proxyRefused) = outcome, shared.forwarder == nil, try clients.forwards(request.url) {
            continue
          }
          if case .noHead(let fault) = outcome, let proxy = shared.proxy { return .noHead(fault.through(proxy)) }
          return outcome
        } catch {
          if let place, permits.withdraw(place) { forget(exchange) } else { exchange.leave() }
          throw error
        }
      }
    }

    /// Sends a request when its turn has come: now, or on the event loop on which another one has ended, so that no
    /// thread has to wake up in between.
    ///
    /// - Returns: the place in the queue, unless it was sent.
    @inline(never) func enqueue(
      _ exchange: Exchange, _ request: WireRequest, _ shared: SharedClient, _ permits: Permits
    ) throws -> Permits.QueuePlace? {
      let prepared = try clientRequest(request, by: shared.forwarder)
      guard gate.enter() else { throw ReadError.closed }
      watch.add(exchange)
      return permits.enter(urgency: ReadUrgency.current) { [self] in send(exchange, prepared, shared, permits) }
    }

    /// Sends a request that has a permit, which it returns when it ends.
    func send(
      _ exchange: Exchange, _ request: HTTPClient.Request, _ shared: SharedClient, _ permits: Permits
    ) {
      // The connection of a retired client answers no more. Its reader tries again with another one.
      if shared.isRetired { exchange.answer.resolve(.success((.noHead(.goAway), Exchange.Times()))) }
      guard !exchange.answer.isAnswered else {
        // Or its reader was cancelled or closed, and has not left the queue yet. Not at once: the next one may be like it.
        return shared.client.eventLoopGroup.any().execute { [self] in
          permits.leave()
          forget(exchange)
        }
      }
      counts.add(1, to: Count.requests.rawValue)
      let place = shared.loops?.enter()
      let loop = place.map { HTTPClient.EventLoopPreference.delegate(on: $0.loop) } ?? .indifferent
      // All of HTTP/2 go over one connection, so the next one must not.
      let silent: @Sendable () -> Void = { [isShared = settings.httpVersion == .http2] in
        if isShared { shared.retire() }
      }
      let arrived: @Sendable (Int) -> Void = { [self] in counts.add($0, to: Count.received.rawValue) }
      exchange.start(request, with: shared.client, on: loop, silent: silent, arrived: arrived) {
        [self, loops = shared.loops] in
        counts.add(exchange.times.received, to: Count.ended.rawValue)
        // Before the permit: the request that gets it is for this loop.
        if let place { loops?.leave(place.number) }
        permits.leave()
        forget(exchange)
      }
    }

    /// A request has ended, or was never sent.
    private func forget(_ exchange: Exchange) {
      watch.remove(exchange)
      gate.leave()
    }

    private func sent(_ request: WireRequest, _ shared: SharedClient) -> Exchange.Sent {
      Exchange.Sent(
        isHead: request.method == "HEAD", expected: request.expected, isForwarded: shared.forwarder != nil)
    }

    private func limits(until deadline: Int64) -> Exchange.Limits {
      Exchange.Limits(
        connect: settings.connectTimeout.nanoseconds, head: settings.firstByteTimeout.nanoseconds,
        idle: settings.idleTimeout.nanoseconds, deadline: deadline,
        // Over HTTP/2 a reset costs nothing but its stream.
        drain: settings.httpVersion == .http1 ? learnt.withLock { $0.measure.drainLimit } : 0,
        isHTTP2: settings.httpVersion == .http2,
        minBytesPerSecond: settings.minBytesPerSecond.bytes, rateWindow: settings.rateWindow)
    }

    private func learn(_ times: Exchange.Times) {
      guard times.sent > 0, times.head > 0 else { return }
      learnt.withLock { $0.measure.record(latency: .nanoseconds(times.head - times.sent)) }
      learnRate(times)
    }

    /// Notes how quickly a body has come.
    func learnRate(_ times: Exchange.Times) {
      guard times.end > times.head, times.received > 0 else { return }
      learnt.withLock {
        $0.measure.record(bytes: times.received, in: .nanoseconds(times.end - times.head))
      }
    }

    private func clientRequest(_ wire: WireRequest, by forwarder: ProxyServer?) throws(Failure) -> HTTPClient.Request {
      // To the client a proxy that is asked for whole URLs is the server.
      let server = forwarder?.description ?? wire.url.origin.description
      let known = templates.withLock { all in
        all.first { $0.server == server && $0.method == wire.method }?.request
      }
      var request: HTTPClient.Request
      if let known {
        request = known
      } else {
        do {
          request = try HTTPClient.Request(url: server + "/", method: HTTPMethod(rawValue: wire.method))
        } catch {
          throw Failure(.invalidURL, "'\(wire.url.redacted)' is no URL that can be requested: check host and port")
        }
        let new = request
        templates.withLock { all in
          if all.count >= 4 { all.removeFirst() }
          all.append((server, wire.method, new))
        }
      }
      request.headers = HTTPHeaders(wire.fields.all.map { ($0.name, $0.value) })
      request.headers.add(name: TargetField.name, value: forwarder == nil ? wire.url.target : wire.url.text)
      if let forwarder {
        request.headers.replaceOrAdd(name: "Host", value: wire.url.authority)
        if let user = forwarder.user {
          let value = CredentialStore.basic(user: user, password: forwarder.password ?? "")
          request.headers.add(name: "Proxy-Authorization", value: value)
        }
      }
      if !wire.body.isEmpty { request.body = .bytes(wire.body) }
      return request
    }
  }
#endif
