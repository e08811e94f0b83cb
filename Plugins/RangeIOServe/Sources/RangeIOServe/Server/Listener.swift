#if Serve
  internal import CRangeIOSystem
  internal import HummingbirdCore
  internal import Logging
  internal import NIOCore
  internal import NIOExtras
  internal import NIOPosix
  internal import RangeIO

  /// The sockets of a server: takes connections, and tells them when it stops.
  struct Listener: Sendable {
    private struct Socket: Sendable {
      let accepting: NIOAsyncChannel<ConnectionChannel.Value, Never>
      let quiescing: ServerQuiescingHelper
    }

    private let sockets: [Socket]
    private let connections: ConnectionChannel

    /// Begins to listen.
    ///
    /// - Throws: `IOError`; `ReadError` if passwords would be seen there.
    init(
      _ configuration: RangeServer.Configuration, _ connections: ConnectionChannel, _ group: MultiThreadedEventLoopGroup
    ) async throws {
      let places = try await configuration.address.places(group)
      // Before a port is open, unless the address is a name. `try?`: a name is no IP address.
      for case .host(let host, let port) in places {
        if let address = try? SocketAddress(ipAddress: host, port: port) { try configuration.checkUsers(at: [address]) }
      }
      // Each socket counts its own.
      let maxConnections = configuration.maxConnections(
        perSocketOf: places.count, descriptors: rio_disk_descriptor_limit())
      var sockets: [Socket] = []
      do {
        for place in places {
          sockets.append(try await Self.listen(at: place, connections, maxConnections: maxConnections, group))
        }
        try configuration.checkUsers(at: sockets.map(\.accepting.channel.localAddress))
      } catch {
        // `try?`: nothing is lost with them.
        for socket in sockets { try? await socket.accepting.executeThenClose { _ in } }
        throw error
      }
      (self.sockets, self.connections) = (sockets, connections)
    }

    private static func listen(
      at place: RangeServer.Configuration.Address.Place, _ connections: ConnectionChannel, maxConnections: Int,
      _ group: MultiThreadedEventLoopGroup
    ) async throws -> Socket {
      let quiescing = ServerQuiescingHelper(group: group)
      let bootstrap = ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 1024)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .serverChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(AvailableConnectionsChannelHandler(maxConnections: maxConnections))
            try pipeline.addHandler(quiescing.makeServerChannelHandler(channel: channel))
          }
        }
      let accepting =
        switch place {
        case .host(let host, let port):
          try await bootstrap.bind(host: host, port: port) { connections.setup($0) }
        case .unixSocket(let path):
          try await bootstrap.bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true) {
            connections.setup($0)
          }
        case .descriptor(let descriptor):
          try await bootstrap.bind(try ListeningSocket.copy(of: descriptor)) { connections.setup($0) }
        }
      return Socket(accepting: accepting, quiescing: quiescing)
    }

    /// The port of the first socket; 0 for a unix socket.
    var port: Int { sockets.first?.accepting.channel.localAddress?.port ?? 0 }

    /// Takes connections until it is told to stop, and returns when they have ended. Cancelling the task cuts them off.
    func run() async {
      await withDiscardingTaskGroup { group in
        for socket in sockets { group.addTask { await accept(socket) } }
      }
    }

    private func accept(_ socket: Socket) async {
      await withDiscardingTaskGroup { group in
        do {
          try await socket.accepting.executeThenClose { inbound in
            for try await connection in inbound { group.addTask { await connections.handle(connection) } }
          }
        } catch {
          connections.logger.error("no more connections are taken", metadata: ["error": "\(error)"])
        }
      }
    }

    /// Takes no more connections, and asks those that there are to end with the answers under way.
    func stop() { for socket in sockets { socket.quiescing.initiateShutdown(promise: nil) } }
  }
#endif
