#if HTTP

  import NIOCore
  import NIOPosix
  import Synchronization

  /// A TCP proxy on 127.0.0.1 that makes a server look far away: a delay, and a rate for each connection or for all.
  ///
  /// Both directions have the same rate. What a link holds is bounded: beyond its delay times its rate and 1 MiB, the
  /// proxy stops reading.
  public final class LinkProxy: Sendable {
    /// What a link is like.
    public struct Link: Sendable {
      /// The time there and back.
      public var roundTrip: Duration
      /// The rate in each direction, in bytes per second. `nil`: no limit.
      public var bytesPerSecond: Double?
      /// Whether all connections share the rate; else each has it.
      public var isShared = false
      /// Whether a connection costs a round trip before its first byte, as the handshake of TCP does.
      public var chargesHandshake = false

      /// Creates a link.
      public init(roundTrip: Duration, bytesPerSecond: Double? = nil) {
        self.roundTrip = roundTrip
        self.bytesPerSecond = bytesPerSecond
      }

      var delay: Int { Int(roundTrip / .nanoseconds(2)) }
    }

    private let core: LinkCore
    private let channel: any Channel
    private let group: MultiThreadedEventLoopGroup

    private init(_ core: LinkCore, _ channel: any Channel, _ group: MultiThreadedEventLoopGroup) {
      self.core = core
      self.channel = channel
      self.group = group
    }

    /// Starts a proxy before the server at `target`, a port of 127.0.0.1. Call ``stop()`` in the end.
    public static func start(to target: Int, _ link: Link) async throws -> LinkProxy {
      // One thread of its own: the timers are not kept waiting, and a shared rate needs no lock.
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      do {
        let loop = group.next()
        let shared = try await loop.submit { NIOLoopBound(LinkRates(link), eventLoop: loop) }.outcome()
        let core = LinkCore(link, target, shared)
        let channel = try await ServerBootstrap(group: group)
          .serverChannelOption(.backlog, value: 1024)
          .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
          .childChannelInitializer { core.connect($0) }
          .bind(host: "127.0.0.1", port: 0).outcome()
        return LinkProxy(core, channel, group)
      } catch {
        try await group.shutdownGracefully()
        throw error
      }
    }

    /// Starts a proxy, runs `body`, and stops the proxy.
    public static func with<Result>(
      to target: Int, _ link: Link, _ body: (LinkProxy) async throws -> Result
    ) async throws -> Result {
      let proxy = try await start(to: target, link)
      do {
        let result = try await body(proxy)
        try await proxy.stop()
        return result
      } catch {
        try await proxy.stop()
        throw error
      }
    }

    /// The port that it listens at.
    public var port: Int { channel.localAddress?.port ?? 0 }

    /// Bytes from clients to the server, as they entered the link.
    public var bytesUp: Int { core.counts.withLock { $0.up } }

    /// Bytes from the server to clients, as they entered the link.
    public var bytesDown: Int { core.counts.withLock { $0.down } }

    /// Bytes from the server to clients, as they left the link and were taken by the client's system. A client that is killed
    /// never has what was on its way.
    public var bytesDelivered: Int { core.counts.withLock { $0.delivered } }

    /// Connections so far.
    public var connections: Int { core.counts.withLock { $0.connections } }

    /// Stops listening and ends all connections.
    public func stop() async throws {
      try await channel.close().outcome()
      try await group.shutdownGracefully()
    }
  }

  /// The rates that all connections of a link share. Used on one event loop.
  final class LinkRates {
    var up: LinkSchedule
    var down: LinkSchedule

    init(_ link: LinkProxy.Link) {
      up = LinkSchedule(delay: link.delay, bytesPerSecond: link.bytesPerSecond)
      down = up
    }
  }

  /// What the connections of a proxy share.
  final class LinkCore: Sendable {
    private let link: LinkProxy.Link
    private let target: Int
    private let shared: NIOLoopBound<LinkRates>
    let counts = Mutex((up: 0, down: 0, delivered: 0, connections: 0))

    init(_ link: LinkProxy.Link, _ target: Int, _ shared: NIOLoopBound<LinkRates>) {
      self.link = link
      self.target = target
      self.shared = shared
    }

    /// Connects a client's channel with the server.
    func connect(_ client: any Channel) -> EventLoopFuture<Void> {
      counts.withLock { $0.connections += 1 }
      return ClientBootstrap(group: client.eventLoop)
        .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        .channelInitializer { server in
          server.eventLoop.makeCompletedFuture { try self.join(client, server) }
        }
        .connect(host: "127.0.0.1", port: target).map { _ in }
    }

    private func join(_ client: any Channel, _ server: any Channel) throws {
      let rates = link.isShared ? shared.value : LinkRates(link)
      let opened = NIODeadline.now().nanoseconds + (link.chargesHandshake ? 2 * link.delay : 0)
      let up = LinkDirection(from: client, to: server, notBefore: opened, limit: limit) { count, now in
        self.counts.withLock { $0.up += count }
        return rates.up.pass(count, at: now)
      } delivered: { _ in
      }
      let down = LinkDirection(from: server, to: client, notBefore: 0, limit: limit) { count, now in
        self.counts.withLock { $0.down += count }
        return rates.down.pass(count, at: now)
      } delivered: { count in
        self.counts.withLock { $0.delivered += count }
      }
      let quantum = link.bytesPerSecond.map { max(1460, min(1 << 14, Int($0 / 1000))) } ?? 1 << 16
      try client.pipeline.syncOperations.addHandler(LinkHandler(up, quantum: quantum))
      try server.pipeline.syncOperations.addHandler(LinkHandler(down, quantum: quantum))
    }

    /// The bytes that one direction of a connection holds.
    private var limit: Int {
      let inFlight = (link.bytesPerSecond ?? 1e9) * Double(link.delay) / 1e9
      return Int(min(inFlight, 256e6)) + 1 << 20
    }
  }

  extension NIODeadline {
    var nanoseconds: Int { Int(uptimeNanoseconds) }
  }

#endif
