#if HTTP

  import RangeIOHTTPTestServer
  import Testing

  /// The changes that a script can make to an answer, byte for byte.
  struct ScriptedAnswerTests {
    /// The bytes that a client of a server with this script receives.
    private func received(
      _ configuration: LyingServer.Configuration = .init(), _ text: String = Wire.request(),
      _ script: @escaping @Sendable (AnswerContext) -> ScriptedAnswer
    ) async throws -> RawClient.Received {
      try await LyingServer.with(configuration) { server in
        server.script = ServerScript(script)
        return try await RawClient.exchange(text, port: server.port, isTLS: configuration.isTLS)
      }
    }

    @Test func `an answer can be cut before each of its bytes`() async throws {
      let whole = try await received { _ in .small().closing }
      let head = whole.bytes.count - 10
      try await LyingServer.with { server in
        for cut in 0..<whole.bytes.count {
          server.script = ServerScript { _ in
            .small().interrupted(.close, at: cut <= head ? .head(cut) : .body(cut - head))
          }
          let part = try await RawClient.exchange(Wire.request(), port: server.port)
          #expect(part == .init(bytes: Array(whole.bytes[..<cut]), end: .closed), "before byte \(cut)")
        }
      }
    }

    @Test func `a reset is a reset`() async throws {
      let before = try await received { _ in ScriptedAnswer.small().interrupted(.reset, at: .head(0)) }
      #expect(before == .init(bytes: [], end: .reset))
      let within = try await received(.tls()) { _ in ScriptedAnswer.small().interrupted(.reset, at: .body(5)) }
      #expect(within.end != .closed && within.parts.body.count <= 5)
    }

    @Test func `with TLS an end can lack close_notify`() async throws {
      let right = try await received(.tls()) { _ in .small().closing }
      #expect(right.end == .closed && right.parts.body.count == 10)
      let wrong = try await received(.tls()) { _ in
        ScriptedAnswer.small().interrupted(.closeWithoutNotify, at: .body(5))
      }
      #expect(wrong.end == .closedWithoutNotify && wrong.parts.body == Array("01234".utf8))
    }

    @Test func `an answer waits at a gate until the test opens it`() async throws {
      let gate = ServerGate()
      async let answer = received { _ in ScriptedAnswer.small().interrupted(.wait(gate), at: .body(3)).closing }
      await gate.arrival()
      gate.open()
      let received = try await answer
      #expect(received.parts.body == Array("0123456789".utf8))
      #expect(gate.arrivals == 1)
    }

    @Test func `a function of the test is called in the middle of an answer`() async throws {
      let objects = ServedObjects()
      objects.put(ServedObject(count: 1), at: "/object")
      let answer = try await received { _ in
        ScriptedAnswer.small().interrupted(.call { objects.delete("/object") }, at: .body(4)).closing
      }
      #expect(answer.parts.body.count == 10 && objects["/object"] == nil)
    }

    @Test func `a body in drops is whole in the end`() async throws {
      let answer = try await received { _ in ScriptedAnswer.small().dripping(3, every: 1).closing }
      #expect(answer.parts.body == Array("0123456789".utf8))
    }

    @Test func `chunks carry the body, and no length`() async throws {
      let answer = try await received { _ in
        var answer = ScriptedAnswer.small().closing
        answer.framing = .chunked(4)
        return answer
      }
      #expect(answer.has("Transfer-Encoding: chunked") && !answer.has("Content-Length: 10"))
      #expect(String(decoding: answer.parts.body, as: UTF8.self) == "4\r\n0123\r\n4\r\n4567\r\n2\r\n89\r\n0\r\n\r\n")
    }

    @Test func `lengths may be twice there, and bytes may follow`() async throws {
      let answer = try await received { _ in
        var answer = ScriptedAnswer.small().closing
        answer.fields.append(ServedField("Content-Length", "7"))
        answer.trailing = Array("more".utf8)
        return answer
      }
      #expect(answer.has("Content-Length: 10") && answer.has("Content-Length: 7"))
      #expect(answer.text.hasSuffix("0123456789more"))
    }

    @Test(arguments: ConnectionLimit.Manner.allCases)
    func `a connection ends at its limit`(_ manner: ConnectionLimit.Manner) async throws {
      var configuration = LyingServer.Configuration()
      configuration.limit = ConnectionLimit(2, manner)
      let three = Wire.request(closing: false) + Wire.request(closing: false) + Wire.request(closing: false)
      let answer = try await received(configuration, three) { _ in .small() }
      let answers = answer.text.components("HTTP/1.1 200 OK").count - 1
      switch manner {
      case .announced: #expect(answers == 2 && answer.text.components("Connection: close").count == 2)
      case .silent: #expect(answers == 2 && answer.text.components("Connection: close").count == 1)
      // What came before the reset may be lost with it.
      case .resetsNext: #expect(answers <= 2 && answer.end == .reset)
      }
    }

    @Test func `a server can end all connections`() async throws {
      try await LyingServer.with { server in
        let gate = ServerGate()
        server.script = ServerScript { _ in ScriptedAnswer.small().interrupted(.wait(gate), at: .head(0)) }
        async let answer = RawClient.exchange(Wire.request(), port: server.port)
        await gate.arrival()
        server.endConnections(byReset: true)
        let received = try await answer
        #expect(received == .init(bytes: [], end: .reset))
        await server.log.endedConnections.reaches(1)
        #expect(server.log.openConnections == 0)
      }
    }

    @Test func `the same seed cuts the same requests at the same bytes`() async throws {
      func bytes() async throws -> [Int] {
        try await LyingServer.with { server in
          server.objects.put(ServedObject(count: 1000), at: "/object")
          let cutting = ServerScript.cutting(7, probability: 0.5, by: .close)
          server.script = ServerScript { cutting.answer($0).closing }
          var counts: [Int] = []
          for _ in 0..<20 {
            counts.append(try await RawClient.exchange(Wire.range(0..<1000), port: server.port).parts.body.count)
          }
          return counts
        }
      }
      let first = try await bytes()
      #expect(try await bytes() == first)
      #expect(Set(first).count > 5)
    }
  }

  extension String {
    /// The parts between occurrences of `separator`.
    fileprivate func components(_ separator: String) -> [String] {
      var (parts, rest) = ([String](), Array(utf8)[...])
      let wanted = Array(separator.utf8)
      var part: [UInt8] = []
      while let first = rest.first {
        if rest.starts(with: wanted) {
          parts.append(String(decoding: part, as: UTF8.self))
          (part, rest) = ([], rest.dropFirst(wanted.count))
        } else {
          part.append(first)
          rest = rest.dropFirst()
        }
      }
      return parts + [String(decoding: part, as: UTF8.self)]
    }
  }

#endif
