#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// HTTP/2: connections that the client itself gives up.
  @Suite(.timeLimit(.minutes(5))) struct GivenUpConnectionTests {
    enum Flood: CaseIterable {
      case pings, settings, fields

      func apply(to answer: ScriptedAnswer) -> ScriptedAnswer {
        var answer = answer
        switch self {
        case .pings: return answer.interrupted(.pings(500), at: .body(500))
        case .settings: return answer.interrupted(.settings(500), at: .body(500))
        case .fields:
          answer.fields += (0..<50).map { ServedField("X-Padding-\($0)", String(repeating: "x", count: 8 << 10)) }
          return answer
        }
      }
    }

    private func liar() -> Liar {
      var liar = Liar.tls(http2: true)
      // Only the end of the connection tells.
      liar.source.firstByteTimeout = .seconds(3600)
      liar.source.idleTimeout = .seconds(3600)
      liar.source.readTimeout = .seconds(3600)
      liar.source.minBytesPerSecond = .kibibytes(0)
      return liar
    }

    @Test(arguments: Flood.allCases)
    func `a read goes on at once on another connection`(_ flood: Flood) async throws {
      let outcome = try await liar().read(
        ServerScript { context in
          guard context.memory.count("GET") == 0 else { return context.honest }
          // Only the answer on the new connection is whole.
          return flood.apply(to: context.honest).interrupted(.stall, at: .body(1000))
        })
      expectRight(outcome)
      #expect(outcome.requests.count == 2)
    }

    @Test(arguments: Flood.allCases)
    func `a server that does it always fails the read`(_ flood: Flood) async throws {
      var liar = liar()
      liar.range = 0..<100_000
      let outcome = try await liar.read(
        ServerScript { flood.apply(to: $0.honest).interrupted(.stall, at: .body(600)) })
      #expect(outcome.error?.isTransient == true, "\(String(describing: outcome.error))")
    }
  }

#endif
