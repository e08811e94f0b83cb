#if Azure
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOTestSupport
  import Testing

  @testable import RangeIOAzure

  @Suite(.timeLimit(.minutes(5))) struct AzureMendingTests {
    @Test func `a wrong clock is learnt once, and a blob is read`() async throws {
      for offset in [-7_200, 7_200, 40 * 86_400] {
        try await StoreScene.with { scene in
          scene.clockOffset.value = offset
          let source = scene.source()
          let description = try await source.describe()
          for start in stride(from: 0, to: 50_000, by: 10_000) {
            let bytes = try await source.read(start..<start + 100, of: description)
            #expect(Array(bytes) == StoreScene.content(start..<start + 100))
          }
          #expect(scene.store.refusals == ["AuthenticationFailed"])
          await source.close()
        }
      }
    }

    @Test(arguments: ["sas", "token"]) func `what expires is replaced once, for all reads`(
      _ kind: String
    ) async throws {
      try await StoreScene.with(count: 1 << 20) { scene in
        let asked = Shared(0)
        let credentials: AzureCredentials =
          kind == "sas"
          ? .sas { "sv=1&se=2099-01-01&sig=number\(asked.increment())" }
          : .token { AzureToken("number\(asked.increment())", expiry: 4_102_444_800) }
        func accept(_ number: Int) {
          scene.store.set { $0.accepted = ["sig=number\(number)", "Bearer number\(number)"] }
        }
        accept(1)
        let source = scene.source(StoreScene.address, scene.configuration(credentials))
        let description = try await source.describe()
        #expect(asked.value == 1)
        accept(2)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for index in 0..<32 {
            group.addTask {
              let range = index * 32_768..<(index + 1) * 32_768
              let bytes = try await source.read(range, of: description)
              #expect(Array(bytes) == StoreScene.content(range))
            }
          }
          try await group.waitForAll()
        }
        #expect(asked.value == 2)
        #expect(!scene.store.refusals.isEmpty)
        await source.close()
      }
    }

    @Test func `a stream goes on where its signature expires`() async throws {
      try await StoreScene.with(count: 12 << 20) { scene in
        let asked = Shared(0)
        scene.store.set { $0.accepted = ["sig=number1"] }
        let reader = try await RangeReader(
          scene.source(
            StoreScene.address, scene.configuration(.sas { "sv=1&se=2099-01-01&sig=number\(asked.increment())" })))
        var position = 0
        for try await piece in reader.stream(0...) {
          #expect(Array(piece) == StoreScene.content(position..<position + piece.count))
          position += piece.count
          scene.store.set { $0.accepted = ["sig=number2"] }
        }
        #expect(position == 12 << 20 && asked.value == 2)
        #expect(scene.store.refusals.contains("AuthenticationFailed"))
        await reader.close()
      }
    }

    @Test func `a signature is renewed before it ends`() async throws {
      try await StoreScene.with { scene in
        scene.store.set { $0.accepted = ["sig=right"] }
        let asked = Shared(0)
        let soon = HTTPTime.now + 10
        let end = Self.text(soon)
        let credentials = AzureCredentials.sas {
          asked.increment() == 1 ? "sv=1&se=\(end)&sig=right" : "sv=1&se=2099-01-01T00:00:00Z&sig=right"
        }
        let source = scene.source(StoreScene.address, scene.configuration(credentials))
        let description = try await source.describe()
        _ = try await source.read(70_000..<70_010, of: description)
        _ = try await source.read(80_000..<80_010, of: description)
        #expect(asked.value == 2 && scene.store.refusals.isEmpty)
        #expect(scene.server.log.requests.last?.query?.contains("2099") == true)
        await source.close()
      }
    }

    /// As `se` has it: `2026-01-02T03:04:05Z`.
    private static func text(_ seconds: Int) -> String {
      let words = HTTPDate(secondsSince1970: seconds).text.split(separator: " ")
      let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
      let month = (months.firstIndex(of: String(words[2])) ?? 0) + 1
      return "\(words[3])-\(month < 10 ? "0" : "")\(month)-\(words[1])T\(words[4])Z"
    }

    @Test func `a signature that has expired and is not replaced is explained`() async throws {
      try await StoreScene.with { scene in
        let query = "sv=1&se=2020-01-01T00:00:00Z&sig=hidden"
        let error = await scene.failure(scene.source(StoreScene.address, scene.configuration(.sas(query))))
        #expect(error?.code == .permissionDenied && error?.isTransient == false)
        #expect(error?.message.contains("has expired") == true && error.map { !"\($0)".contains("hidden") } == true)
        #expect(scene.server.log.requestCount <= 3)
      }
    }

    @Test(arguments: ["sas", "token"]) func `what is replaced and refused again fails with the service's words`(
      _ kind: String
    ) async throws {
      try await StoreScene.with { scene in
        let asked = Shared(0)
        let credentials: AzureCredentials =
          kind == "sas" ? .sas { "sv=1&sig=n\(asked.increment())" } : .token { AzureToken("n\(asked.increment())") }
        let error = await scene.failure(scene.source(StoreScene.address, scene.configuration(credentials)))
        #expect(error?.code == .permissionDenied && asked.value == 2)
        let code = kind == "sas" ? "AuthenticationFailed" : "InvalidAuthenticationInfo"
        #expect(error?.message.contains(code) == true, "\(error as Any)")
      }
    }

    @Test func `a token with a space at its end is replaced too`() async throws {
      try await StoreScene.with { scene in
        scene.store.set { $0.accepted = ["Bearer n2"] }
        let asked = Shared(0)
        let credentials = AzureCredentials.token { AzureToken("n\(asked.increment()) ") }
        try await scene.expectContent(of: scene.source(StoreScene.address, scene.configuration(credentials)))
      }
    }

    @Test func `a wrong key is explained and not tried again`() async throws {
      try await StoreScene.with { scene in
        let error = await scene.failure(scene.source(StoreScene.address, scene.configuration(.sharedKey("b3RoZXI="))))
        #expect(error?.code == .permissionDenied && error?.message.contains("AuthenticationFailed") == true)
        #expect(error?.message.contains("check the key") == true && scene.server.log.requestCount == 1)
      }
    }

    @Test func `a signature goes into requests as it is, also with a version`() async throws {
      try await StoreScene.with { scene in
        let query = "sv=2021-12-02&se=2099-01-01T00%3A00%3A00Z&sr=b&sp=r&rscd=a%3B%20b&sig=A%2Fb%2Bc%3D"
        scene.store.set { $0.accepted = [query] }
        scene.store.put(ServedObject(count: 1_000), at: "/maps/tiles/blob", moment: "versionid=1")
        var configuration = scene.configuration(.standard)
        configuration.endpoint = nil
        for (address, expected) in [
          ("/maps/tiles/blob?\(query)", query), ("/maps/tiles/blob?\(query)&versionid=1", "versionid=1&\(query)"),
          ("/maps/tiles/blob?versionid=1&\(query)", "versionid=1&\(query)"),
        ] {
          scene.server.log.clear()
          try await scene.expectContent(of: scene.source(scene.server.url(address), configuration))
          #expect(scene.server.log.requests.allSatisfy { $0.query == expected && $0["Authorization"] == nil })
        }
        #expect(scene.store.refusals.isEmpty)
      }
    }

    @Test func `a token goes over no http in the clear`() async throws {
      try await StoreScene.with { scene in
        var configuration = scene.configuration(.token { AzureToken("hidden") })
        configuration.endpoint = "http://maps.example.invalid"
        let error = await scene.failure(scene.source(StoreScene.address, configuration))
        #expect(error?.code == .invalidConfiguration && error?.message.contains("in the clear") == true)
      }
    }

    @Test func `a service that is busy is tried again by the stages`() async throws {
      try await StoreScene.with { scene in
        let busy = scene.store.error(503, "ServerBusy")
        scene.store.set { $0.answers = [busy] }
        let error = await scene.failure(scene.source())
        #expect(error?.isTransient == true)
        let reader = try await RangeReader(scene.source(), [.retrying()])
        scene.store.set { $0.answers = [busy, busy] }
        #expect(try await Array(reader.read(0..<1_000)) == StoreScene.content())
        await reader.close()
      }
    }

    @Test func `an archived blob says what to do`() async throws {
      try await StoreScene.with { scene in
        let archived = scene.store.error(409, "BlobArchived")
        scene.store.set { $0.answers = [archived] }
        let error = await scene.failure(scene.source())
        #expect(error?.message.contains("rehydrate") == true && error?.isTransient == false)
      }
    }

    @Test func `a provider that hangs does not hold up a read that is cancelled`() async throws {
      try await StoreScene.with { scene in
        let provider = GatedProvider<String>()
        let source = scene.source(StoreScene.address, scene.configuration(.sas(provider.value)))
        let task = Task { try await source.describe() }
        await provider.asked(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        let other = Task { try await source.describe() }
        await source.close()
        let error = await #expect(throws: ReadError.self) { _ = try await other.value }
        #expect(error?.code == .closed)
        provider.answer(.success("sv=1&sig=1"))
      }
    }
  }

#endif
