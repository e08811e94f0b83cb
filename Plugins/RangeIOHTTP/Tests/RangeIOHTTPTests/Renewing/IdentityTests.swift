#if HTTP
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// What identifies an object in caches.
  @Suite(.timeLimit(.minutes(5))) struct IdentityTests {
    @Test func `what is cached stays under a new URL`() async throws {
      try await SigningService.with { service in
        let store = MemoryStore(limit: .mebibytes(8))
        let source = service.source()
        let reader = try await RangeReader(source, [.caching(store)])
        let id = reader.source.id
        #expect(try await reader.read(0..<10_000) == content(0..<10_000))
        service.accept(2)
        #expect(try await reader.read(90_000..<90_010) == content(90_000..<90_010))
        service.server.log.clear()
        #expect(try await reader.read(0..<10_000) == content(0..<10_000))
        #expect(service.server.log.requestCount == 0 && service.asked == 1)
        // So it is for a source that begins with the new URL.
        let other = HTTPSource(service.url(2), configuration: .reading)
        let second = try await RangeReader(other, [.caching(store)])
        #expect(second.source.id == id && !id.contains("hunter"))
        #expect(try await second.read(0..<10_000) == content(0..<10_000))
        #expect(service.requests == [])
        await reader.close()
        await second.close()
      }
    }

    @Test func `two URLs of one name are one object`() async throws {
      try await withServer { server in
        server.objects.put(ServedObject(count: 100_000), at: "/mirror")
        let store = MemoryStore(limit: .mebibytes(8))
        let sources = [objectPath, "/mirror?key=1"].map {
          HTTPSource(server.url($0), identifiedBy: "planet", configuration: .reading)
        }
        for (number, source) in sources.enumerated() {
          let reader = try await RangeReader(source, [.caching(store)])
          server.log.clear()
          #expect(try await reader.read(0..<10_000) == content(0..<10_000))
          #expect(server.log.requestCount == (number == 0 ? 1 : 0))
          #expect(reader.source.id == "name:planet" && reader.source.name.hasPrefix(server.origin))
          await reader.close()
        }
      }
    }

    @Test func `another version under the same name is not the one that is cached`() async throws {
      try await withServer { server in
        server.objects.put(ServedObject(count: 100_000, version: 2), at: "/mirror")
        let store = MemoryStore(limit: .mebibytes(8))
        for (path, version) in [(objectPath, 1), ("/mirror", 2), (objectPath, 1)] {
          let source = HTTPSource(server.url(path), identifiedBy: "planet", configuration: .reading)
          let reader = try await RangeReader(source, [.caching(store)])
          #expect(try await reader.read(0..<10_000) == content(0..<10_000, version: version))
          await reader.close()
        }
      }
    }

    @Test func `query items that say nothing are left out of the identity, and are sent`() async throws {
      try await withServer { server in
        var configuration = RemoteConfiguration.test
        configuration.identityIgnoresQueryItems = ["token", "s id"]
        func id(_ query: String) async throws -> String {
          server.log.clear()
          let source = HTTPSource(server.url(objectPath + query), configuration: configuration)
          let id = try await source.describe().id
          #expect(server.log.requests.allSatisfy { $0.target == objectPath + query })
          await source.close()
          return id
        }
        let plain = try await id("")
        for query in ["?token=1", "?s%20id=2&t%6Fken=1&token"] { #expect(try await id(query) == plain) }
        let page = try await id("?page=1")
        #expect(try await id("?token=3&page=1") == page)
        // In their case: another name may well say which object is meant.
        for query in ["?TOKEN=1", "?tokens=1", "?page=1", "?page=2"] {
          let other = try await id(query)
          #expect(other != plain && (other == page) == (query == "?page=1"))
        }
        configuration.identityIgnoresQueryItems = []
        #expect(try await id("?token=1") != plain)
      }
    }
  }
#endif
