#if HTTP
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import Testing

  /// Short answers of services, such as those that give credentials.
  @Suite(.timeLimit(.minutes(5))) struct SmallExchangeTests {
    private static let document = #"{"AccessKeyId":"A","SecretAccessKey":"S","Expiration":"2099-01-01T00:00:00Z"}"#

    private func send(_ server: LyingServer, limit: Int = 1_024) async throws -> [UInt8] {
      var configuration = RemoteConfiguration()
      configuration.proxy = .none
      return try await SmallExchange.send(
        method: "GET", url: ObjectURL(server.url("/credentials")), fields: HeaderFields(), timeout: .seconds(60),
        limit: limit, configuration: configuration
      ).body
    }

    @Test func `an answer that breaks off is none, and may be asked for again`() async throws {
      let whole = ScriptedAnswer(200, text: Self.document)
      try await withServer { server in
        for place in [0, 1, 20, Self.document.utf8.count - 1] {
          for action in [Interruption.Action.close, .reset] {
            server.script = ServerScript { _ in whole.interrupted(action, at: .body(place)) }
            let error = try await readError { _ = try await send(server) }
            #expect(error.isTransient && error.message.contains("broke its answer off"), "\(place)")
          }
        }
        server.script = ServerScript { _ in whole }
        #expect(try await send(server) == Array(Self.document.utf8))
      }
    }

    @Test func `an answer that is too long is refused, wherever it breaks off later`() async throws {
      try await withServer { server in
        server.script = ServerScript { _ in
          ScriptedAnswer(200, text: Self.document).interrupted(.close, at: .body(40))
        }
        let error = try await readError { _ = try await send(server, limit: 20) }
        #expect(!error.isTransient && error.message.contains("more than 20 bytes"))
      }
    }
  }
#endif
