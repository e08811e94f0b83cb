#if SharedCache
  import Foundation
  import NIOConcurrencyHelpers
  import NIOCore
  import NIOPosix
  import RangeIO
  import Testing

  @testable import RangeIOSharedCache

  /// Nodes that answer, and refuse what they are asked, or do not ask for what they are told.
  @Suite(.timeLimit(.minutes(2))) struct RefusingNodeTests {
    private let patient = Duration.seconds(60)

    private func key(_ number: UInt8) -> SharedBlockKey {
      SharedBlockKey(digest: [UInt8](repeating: number, count: 32))
    }

    private func value(_ answer: SharedBlockAnswer) -> Bytes? {
      if case .value(let value) = answer { value } else { nil }
    }

    // MARK: memcached

    @Test(.enabled(if: EngineProcess.Kind.memcached.isInstalled))
    func `a memcached that asks for no login does not get the password, and is told`() async throws {
      let engine = try await EngineProcess.start(.memcached)
      let store = try engine.store {
        $0.user = "user"
        $0.password = "secret"
      }
      let one = (key: key(1), value: Bytes([1, 2, 3]))
      #expect(await store.set([one], lifetime: .seconds(100)) == 1)
      #expect(value(await store.get([one.key], lease: nil, within: patient)[0]) == one.value)
      let faults = await store.faults(within: patient).map(\.reason)
      #expect(faults.count == 1 && faults[0].hasPrefix("it asks for no password"), "\(faults)")
      // In a protocol that needs no login: what stands under the name of the login.
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connect(unixDomainSocketPath: engine.socket) { channel in
          channel.eventLoop.makeCompletedFuture {
            try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
          }
        }
      try await channel.executeThenClose { inbound, outbound in
        try await outbound.write(ByteBuffer(string: "get auth\r\n"))
        var answer = ""
        for try await part in inbound {
          answer += String(buffer: part)
          if answer.hasSuffix("END\r\n") { break }
        }
        #expect(answer == "END\r\n")
      }
      await store.close()
      try engine.end()
    }

    // MARK: Redis

    @Test(.enabled(if: EngineProcess.Kind.redis.isInstalled))
    func `a Redis that is full and evicts nothing serves what it has, and is told`() async throws {
      let engine = try await EngineProcess.start(.redis, options: ["--maxmemory-policy", "noeviction"])
      let store = try engine.store()
      #expect(await store.faults(within: patient).isEmpty)
      let one = (key: key(1), value: Bytes([UInt8](repeating: 7, count: 100_000)))
      #expect(await store.set([one], lifetime: .seconds(100)) == 1)
      try await engine.configure("maxmemory", "1mb")
      for number in 2...9 as ClosedRange<UInt8> {
        #expect(await store.set([(key: key(number), value: one.value)], lifetime: .seconds(100)) == 0)
      }
      for number in 2...9 as ClosedRange<UInt8> {
        #expect(value(await store.get([one.key], lease: .seconds(1), within: patient)[0]) == one.value)
        #expect(value(await store.get([key(number)], lease: .seconds(1), within: patient)[0]) == nil)
      }
      let faults = await store.faults(within: patient).map(\.reason)
      #expect(faults.count == 1 && faults[0].hasPrefix("its memory is full, and it evicts nothing"), "\(faults)")
      #expect(store.statistics().first?["outages"] == 0)
      // One that has put nothing finds out by asking.
      let other = try engine.store()
      #expect(await other.faults(within: patient).map(\.reason) == faults)
      await other.close()
      try await engine.configure("maxmemory", "0")
      #expect(await store.set([one], lifetime: .seconds(100)) == 1)
      #expect(await store.faults(within: patient).isEmpty)
      await store.close()
      try engine.end()
    }

    /// Answers each command as it is told to, in RESP.
    private final class Node: Sendable {
      let answer: NIOLockedValueBox<@Sendable (_ name: String, _ key: String) -> String>
      private let server = NIOLockedValueBox<(any Channel)?>(nil)

      init(_ answer: @escaping @Sendable (_ name: String, _ key: String) -> String) {
        self.answer = NIOLockedValueBox(answer)
      }

      private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let node: Node
        private var received = ByteBuffer()

        init(_ node: Node) { self.node = node }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
          var part = unwrapInboundIn(data)
          received.writeBuffer(&part)
          while let words = command() {
            let text = node.answer.withLockedValue { $0 }(words[0], words.count > 1 ? words[1] : "")
            context.write(NIOAny(ByteBuffer(string: text + "\r\n")), promise: nil)
          }
          context.flush()
        }

        /// The next whole command.
        private func command() -> [String]? {
          var rest = received
          func number() -> Int? {
            guard let end = rest.readableBytesView.firstIndex(of: 10) else { return nil }
            let line = rest.readString(length: end - rest.readerIndex + 1) ?? ""
            return Int(line.dropFirst().trimmingCharacters(in: .whitespacesAndNewlines))
          }
          guard let count = number() else { return nil }
          var words: [String] = []
          for _ in 0..<count {
            guard let length = number(), let word = rest.readString(length: length),
              rest.readString(length: 2) != nil
            else { return nil }
            words.append(word)
          }
          received = rest
          return words
        }
      }

      func start() async throws -> SharedCacheNode {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
          .childChannelInitializer { [self] channel in
            channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Answering(self)) }
          }
          .bind(host: "127.0.0.1", port: 0).get()
        self.server.withLockedValue { $0 = server }
        return .host("127.0.0.1", port: try #require(server.localAddress?.port))
      }

      func end() async throws { try await server.withLockedValue { $0 }?.close().get() }
    }

    @Test func `a node of a cluster that has a key elsewhere is asked further, and is told`() async throws {
      // Half of the keys are its own.
      let isOwn = { @Sendable (key: String) in key.utf8.reduce(0) { $0 + Int($1) }.isMultiple(of: 2) }
      let node = Node { name, key in
        switch name {
        case "GET": isOwn(key) ? "$1\r\nx" : "-MOVED 3999 127.0.0.1:6381"
        case "SET": isOwn(key) ? "+OK" : "-MOVED 3999 127.0.0.1:6381"
        default: "+OK"
        }
      }
      let store = try SharedCacheNodes(.redis, [try await node.start()])
      let faults = await store.faults(within: patient).map(\.reason)
      #expect(faults.count == 1 && faults[0].hasPrefix("it is a node of a Redis Cluster"), "\(faults)")
      for number in 0..<100 as Range<UInt8> {
        _ = await store.get([key(number)], lease: .seconds(1), within: patient)
        _ = await store.set([(key: key(number), value: Bytes([1]))], lifetime: .seconds(9))
      }
      let counts = try #require(store.statistics().first)
      #expect(counts["outages"] == 0 && counts["not asked"] == 0 && counts["hits"].map { $0 > 20 } == true, "\(counts)")
      #expect(counts["refused"].map { $0 > 20 } == true, "\(counts)")
      await store.close()
      try await node.end()
    }

    @Test(arguments: ["CLUSTERDOWN The cluster is down", "NOAUTH Authentication required."])
    func `values that are put do not make a node healthy that refuses look-ups`(refusal: String) async throws {
      let isRefusing = NIOLockedValueBox(true)
      let node = Node { name, _ in
        name == "GET" ? (isRefusing.withLockedValue { $0 } ? "-" + refusal : "$1\r\nx") : "+OK"
      }
      let store = try SharedCacheNodes(.redis, [try await node.start()])
      let faults = await store.faults(within: patient).map(\.reason)
      let isTold = faults.first.map { $0.hasPrefix("its cluster is down") || $0.hasPrefix("it wants a password") }
      #expect(faults.count == 1 && isTold == true, "\(faults)")
      for _ in 0..<200 {
        _ = await store.get([key(1)], lease: nil, within: patient)
        _ = await store.set([(key: key(1), value: Bytes([1]))], lifetime: .seconds(9))
      }
      let counts = try #require(store.statistics().first)
      #expect(counts["outages"].map { $0 >= 1 } == true && counts["not asked"].map { $0 > 100 } == true, "\(counts)")
      isRefusing.withLockedValue { $0 = false }
      while value(await store.get([key(1)], lease: nil, within: patient)[0]) == nil { await Task.yield() }
      #expect(await store.faults(within: patient).isEmpty)
      await store.close()
      try await node.end()
    }
  }
#endif
