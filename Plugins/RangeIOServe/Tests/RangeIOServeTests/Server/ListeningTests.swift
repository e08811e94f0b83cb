#if Serve && HTTP
  import Foundation
  import NIOCore
  import NIOPosix
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOServe
  import SystemPackage
  import Testing

  /// Where a server listens.
  struct ListeningTests {
    @Test(arguments: [
      [:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "7"], ["LISTEN_PID": "8", "LISTEN_FDS": "1"],
      ["LISTEN_PID": "7", "LISTEN_FDS": "0"], ["LISTEN_PID": "7", "LISTEN_FDS": "-1"],
      ["LISTEN_PID": "7", "LISTEN_FDS": "99999999999"], ["LISTEN_PID": "x", "LISTEN_FDS": "1"],
    ])
    func `sockets for another process, or none, are told`(environment: [String: String]) {
      let error = #expect(throws: ReadError.self) {
        _ = try RangeServer.Configuration.Address.systemd(environment, process: 7)
      }
      #expect(error?.code == .invalidConfiguration && error?.message.contains("LISTEN_PID") == true)
    }

    @Test func `a server that is given no socket says so`() async throws {
      let error = await #expect(throws: ReadError.self) {
        try await withServer([]) {
          $0.address = .sockets([])
        } _: { _, _ in
        }
      }
      #expect(error?.code == .invalidConfiguration)
    }

    @Test func `a socket that a program listens to is not taken from it, and one that was left behind is`() async throws
    {
      let folder = try ServedFolder()
      let path = folder.path + "/socket"
      let upstreams = [("", try DirectoryUpstream(folder.path))]
      for _ in 0..<2 {
        try await withServer(upstreams) {
          $0.address = .unixSocket(path)
        } _: { _, _ in
          for _ in 0..<2 {
            let error = await #expect(throws: ReadError.self) {
              try await withServer(upstreams, { $0.address = .unixSocket(path) }) { _, _ in }
            }
            #expect(error?.code == .inUse)
          }
          // The first one has it still.
          let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(unixDomainSocketPath: path).outcome()
          try await client.close().outcome()
        }
        // Left behind, as by a program that was killed.
        let socket = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
          .bind(unixDomainSocketPath: path + "-other").outcome()
        #expect(rename(path + "-other", path) == 0)
        try await socket.close().outcome()
        #expect(try folder.names() == ["socket"])
      }
    }

    @Test func `a socket has the mode that it is given`() async throws {
      let folder = try ServedFolder()
      let path = folder.path + "/socket"
      try await withServer([("", try DirectoryUpstream(folder.path))]) {
        ($0.address, $0.socketMode) = (.unixSocket(path), 0o620)
      } _: { _, _ in
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o620)
      }
    }

    @Test func `a server may stop while clients come`() async throws {
      let folder = try ServedFolder()
      for _ in 0..<50 {
        try await withServer([("", try DirectoryUpstream(folder.path))]) { port, _ in
          for _ in 0..<4 {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
              .connect(host: "127.0.0.1", port: port).outcome()
            channel.close(promise: nil)
          }
        }
      }
    }

    @Test func `an asterisk is all addresses`() async throws {
      let folder = try ServedFolder()
      try folder.write([1], to: "a.bin")
      try await withServer([("", try DirectoryUpstream(folder.path))]) {
        $0.address = .host("*", port: 0)
      } _: { port, _ in
        #expect(try await ask("/a.bin", port: port).body == [1])
        let addresses = RangeServer.Configuration.Address.machineAddresses
        #expect(addresses.contains("127.0.0.1"))
        for address in addresses {
          let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: address, port: port).outcome()
          try await channel.close().outcome()
        }
        // This machine's clients are known as such, whichever way they come.
        #expect(try await ask("/-/stats", port: port).status == 200)
      }
    }
  }
#endif
