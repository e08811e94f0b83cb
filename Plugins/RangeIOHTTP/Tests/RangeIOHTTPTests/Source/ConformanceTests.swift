#if HTTP
  import Foundation
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import RangeIOTesting
  import Testing

  @Suite(.timeLimit(.minutes(5))) struct ConformanceTests {
    @Test(arguments: [LyingServer.Configuration(), .tls(), .tls(http2: true)])
    func `an object behind a URL is a source`(_ server: LyingServer.Configuration) async throws {
      try await withServer(server, count: 20_000) { server in
        var configuration = RemoteConfiguration.test
        if server.origin.hasPrefix("https") { configuration.httpVersion = .http2 }
        let (url, settings) = (server.url(objectPath), configuration)
        try await SourceConformance.check(of: content(0..<20_000)) { HTTPSource(url, configuration: settings) }
      }
    }

    @Test func `an object without tags is a source`() async throws {
      try await withServer { server in
        server.objects.put(
          ServedObject(ServedObject.content(0..<9000), tag: .none, lastModified: nil), at: objectPath)
        let url = server.url(objectPath)
        try await SourceConformance.check(of: content(0..<9000), rounds: 20) {
          HTTPSource(url, configuration: .test)
        }
      }
    }

    @Test func `an empty object is a source`() async throws {
      try await withServer(count: 0) { server in
        let url = server.url(objectPath)
        try await SourceConformance.check(of: Bytes()) { HTTPSource(url, configuration: .test) }
      }
    }

    @Test func `an object that is replaced tells its versions`() async throws {
      try await withServer(count: 20_000) { server in
        try await SourceConformance.checkVersions(
          // What came with the opening is there all the same.
          of: content(0..<20_000), HTTPSource(server.url(objectPath), configuration: .reading)
        ) {
          server.objects.put(ServedObject(count: 20_000, version: 2), at: objectPath)
          return content(0..<20_000, version: 2)
        }
      }
    }

    @Test func `a version with a strong tag can be kept on a disk, one with a weak tag cannot`() async throws {
      try await withServer { server in
        try await withSource(server) { _, description in
          #expect(description.validator?.persistentForm?.isEmpty == false)
        }
        server.objects.put(ServedObject(ServedObject.content(0..<100), tag: .weak("1")), at: objectPath)
        try await withSource(server) { _, description in
          #expect(description.validator != nil && description.validator?.persistentForm == nil)
        }
      }
    }

    @Test func `the description stays the same object while nothing changes`() async throws {
      try await withServer { server in
        try await withSource(server) { source, description in
          #expect(try await source.describe() === description)
          _ = try await source.read(0..<70_000, of: description)
          #expect(try await source.renew() === description)
          server.objects.put(ServedObject(count: 50_000, version: 2), at: objectPath)
          let other = try await source.describe()
          #expect(other !== description && other.byteCount == 50_000)
          #expect(other.preferredBlockSize == description.preferredBlockSize)
        }
      }
    }

    @Test func `a reader of a URL has its stages, and one store for all`() async throws {
      try await withServer(count: 300_000) { server in
        let reader = try await RangeReader(contentsOf: server.url(objectPath), configuration: .test)
        #expect(try await reader.read(1000..<2000) == content(1000..<2000))
        let requests = server.log.requestCount
        #expect(try await reader.read(1500..<1600) == content(1500..<1600))
        let url = try #require(URL(string: server.url(objectPath)))
        let second = try await RangeReader(contentsOf: url, configuration: .test)
        #expect(try await second.read(1500..<1600) == content(1500..<1600))
        // Its description, and no bytes.
        #expect(server.log.requestCount == requests + 1)
        // One that keeps nothing, and takes nothing of what others keep. What opening it brings, it keeps for its reads.
        let third = try await RangeReader(contentsOf: url, configuration: .test, cache: nil)
        for _ in 0..<2 { #expect(try await third.read(250_000..<250_100) == content(250_000..<250_100)) }
        #expect(server.log.requestCount == requests + 4)
        for reader in [reader, second, third] { await reader.close() }
      }
    }
  }
#endif
