#if Serve && HTTP
  import HTTPTypes
  import Logging
  import NIOCore
  import NIOEmbedded
  import NIOHTTPTypes
  import RangeIO
  import RangeIOTesting
  import Testing

  @testable import RangeIOServe

  /// The counts against the limits of a client.
  struct ClientLedgerTests {
    @Test(arguments: [
      ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "::ffff:192.0.2.7"), ("::1", "::1"), ("local", "local"),
      ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("2001:db8:1:2::", "2001:db8:1:2::/64"),
      ("2001:db8::6", "2001:db8:0:0::/64"), ("fe80::1%eth0", "fe80:0:0:0::/64"), ("::8:9", "0:0:0:0::/64"),
      ("2001:db8:1:2:3::", "2001:db8:1:2::/64"), ("1::2:3:4:5:6:7", "1:0:2:3::/64"),
      ("64:ff9b::102:304", "64:ff9b::102:304"),
    ]) func `who has an IPv6 address counts by its network`(_ address: String, _ network: String) {
      #expect(ConnectedClient.network(of: address) == network)
    }

    @Test func `memory goes back to the system when three quarters of many answers have ended`() {
      var release = MemoryRelease()
      /// After which answers memory goes back, if the pause is over before the next one ends.
      func times(_ answers: some Sequence<Int>) -> [Int] {
        answers.filter {
          let isReleased = release.ended(answersLeft: $0)
          let isReleasedAgain = isReleased && release.pauseEnded(answersLeft: $0)
          #expect(!isReleasedAgain)
          return isReleased
        }
      }
      #expect(times((0..<31).reversed()) == [])
      #expect(times((0..<100).reversed()) == [25])
      #expect(times((0..<200).reversed()) == [50, 12])
      #expect(times([500, 125, 124, 31, 7, 6, 0, 0]) == [125, 31])
    }

    @Test func `bursts within a pause give memory back once, when it is over`() {
      var release = MemoryRelease()
      func burst(_ count: Int, to left: Int = 0) -> [Int] {
        (left..<count).reversed().filter { release.ended(answersLeft: $0) }
      }
      #expect(burst(200) == [50])
      for _ in 0..<100 { #expect(burst(40) == []) }
      func isReleasedAfterPause(_ left: Int) -> Bool { release.pauseEnded(answersLeft: left) }
      #expect(isReleasedAfterPause(0))
      // The last quarter of the first burst was among it, and little has come since.
      #expect(burst(31) == [] && !isReleasedAfterPause(0))
      #expect(burst(40) == [10])
      // Most of them are under way when the pause is over: those that end tell.
      #expect(burst(100, to: 60) == [] && !isReleasedAfterPause(60))
      #expect(burst(60) == [25])
    }

    @Test func `streams count for each client, on all of its connections`() {
      let ledger = ClientLedger(
        maxConnectionsPerClient: 2, maxStreamsPerClient: 2, maxRequestsPerClient: 2, maxRequests: 10)
      #expect(ledger.openStream("a") && ledger.openStream("a") && !ledger.openStream("a") && ledger.openStream("b"))
      ledger.closeStream("a")
      #expect(ledger.openStream("a") && !ledger.openStream("a"))
      for client in ["a", "a", "b"] { ledger.closeStream(client) }
      #expect(ledger.counts.clients == 0)
    }

    @Test func `connections leave descriptors for files`() {
      var configuration = RangeServer.Configuration()
      #expect(configuration.maxConnections(perSocketOf: 2, descriptors: 1 << 31) == 8192)
      #expect(configuration.maxConnections(perSocketOf: 1, descriptors: 1024) == 512)
      configuration.maxConnections = 10
      #expect(configuration.maxConnections(perSocketOf: 3, descriptors: 1024) == 3)
      #expect(configuration.maxConnections(perSocketOf: 20, descriptors: 1) == 1)
      // All that clients may take: connections, and files that rest or are read for them.
      configuration = RangeServer.Configuration()
      for limit: UInt64 in [64, 256, 1024, 65_536] {
        let readers = configuration.maxReaders(descriptors: limit)
        #expect(configuration.maxOpenObjects(perUpstreamOf: 1, descriptors: limit) < readers)
        #expect(configuration.maxConnections(perSocketOf: 1, descriptors: limit) + readers <= Int(limit) / 8 * 7)
      }
      #expect(configuration.maxReaders(descriptors: 0) == 1 && configuration.maxReaders(descriptors: .max) > 1 << 40)
    }

    @Test func `files leave descriptors for connections`() {
      var configuration = RangeServer.Configuration()
      #expect(configuration.maxOpenObjects(perUpstreamOf: 4, descriptors: 1 << 31) == 256)
      #expect(configuration.maxOpenObjects(perUpstreamOf: 1, descriptors: 64) == 8)
      #expect(configuration.maxOpenObjects(perUpstreamOf: 3, descriptors: 1024) == 42)
      #expect(configuration.maxOpenObjects(perUpstreamOf: 0, descriptors: 1) == 1)
      configuration.maxOpenObjects = 1
      #expect(configuration.maxOpenObjects(perUpstreamOf: 1, descriptors: 1024) == 1)
    }

    @Test func `an answer that ends after its connection counts until then, and no longer`() {
      let ledger = ClientLedger(maxConnectionsPerClient: 2, maxRequestsPerClient: 2, maxRequests: 10)
      for _ in 0..<5 {
        #expect(ledger.connect("a") && ledger.begin("a") == .permitted)
        ledger.disconnect("a")
        #expect(ledger.connect("a"))
        ledger.end("a")
        ledger.disconnect("a")
      }
      let none = ledger.counts
      #expect(none.clients == 0 && none.connections == 0 && none.answers == 0)
      #expect(ledger.connect("a") && ledger.begin("a") == .permitted && ledger.permits("a"))
      ledger.beganAnyway("a")
      #expect(!ledger.permits("a") && ledger.permits("b") && ledger.begin("a") == .tooManyOfClient)
      #expect(ledger.connect("a") && !ledger.connect("a"))
      ledger.disconnect("a")
      ledger.disconnect("a")
      // Its answers have not ended.
      #expect(ledger.connect("a") && ledger.begin("a") == .tooManyOfClient)
      ledger.end("a")
      ledger.end("a")
      #expect(ledger.begin("a") == .permitted)
      let one = ledger.counts
      #expect(one.clients == 1 && one.connections == 1 && one.answers == 1)
    }

    /// A connection that is full as soon as something is sent.
    private final class Full: ChannelOutboundHandler {
      typealias OutboundIn = HTTPResponsePart
      let isFull: Bool

      init(_ isFull: Bool) { self.isFull = isFull }

      func flush(context: ChannelHandlerContext) {
        (context.channel as? EmbeddedChannel)?.isWritable = !isFull
        context.flush()
      }
    }

    @Test func `what is answered at once counts while its client has not taken it`() async throws {
      let source = SyntheticSource(byteCount: 1000)
      let upstream = ObjectUpstream(freshness: .seconds(3600)) { try await RangeReader(source, onChange: .refresh) }
      let ledger = ClientLedger(maxConnectionsPerClient: 9, maxRequestsPerClient: 1, maxRequests: 10)
      let mounts = Mounts([("object", upstream)], maxOpenObjects: 1, maxReaders: 1, time: .continuous)
      guard case .below(let pool, _) = try mounts.place(of: ["object"]) else { return #expect(Bool(false)) }
      _ = try await pool.find([])
      let responder = Responder(
        mounts: mounts, configuration: .init(), clients: ledger, statistics: { [:] },
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      let head = HTTPRequest(method: .head, scheme: "http", authority: "localhost", path: "/object")

      func connection(isFull: Bool) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        let client = ConnectedClient(channel, nil, address: "local", isLocal: true)
        try channel.pipeline.syncOperations.addHandlers([Full(isFull), ReadyHandler(responder, client: client)])
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        return channel
      }
      func isAnswered(on channel: EmbeddedChannel) throws -> Bool {
        try channel.writeInbound(HTTPRequestPart.head(head))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        // What is not answered here is passed on.
        return try channel.readInbound(as: HTTPRequestPart.self) == nil
      }
      let (quick, slow) = (try connection(isFull: false), try connection(isFull: true))
      #expect(try isAnswered(on: quick) && ledger.counts.answers == 0)
      #expect(try isAnswered(on: slow) && ledger.counts.answers == 1)
      // The client has as many under way as it may.
      #expect(try !isAnswered(on: try connection(isFull: false)))
      slow.isWritable = true
      slow.pipeline.fireChannelWritabilityChanged()
      #expect(ledger.counts.answers == 0)
      #expect(try isAnswered(on: quick))
      // It leaves before it has taken all.
      #expect(try isAnswered(on: slow) && ledger.counts.answers == 1)
      _ = try slow.finish(acceptAlreadyClosed: true)
      #expect(ledger.counts.answers == 0)
      _ = try quick.finish(acceptAlreadyClosed: true)
      await mounts.close()
    }
  }
#endif
