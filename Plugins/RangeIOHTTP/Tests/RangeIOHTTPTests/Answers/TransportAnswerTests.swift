#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// Answers 44 to 53: connections that break or dawdle, and bytes that are wrong.
  struct TransportAnswerTests {
    @Test func `answer 44: a pooled connection that is reset costs no read`() async throws {
      try await LyingServer.with { server in
        let liar = Liar()
        server.objects.put(liar.object, at: "/folder/object")
        let source = HTTPSource(server.url("/folder/object"), configuration: liar.source)
        let description = try await source.describe()
        server.script = .always(.resetOfPooled)
        for start in stride(from: 0, to: 100_000, by: 5_000) {
          let bytes = try await source.read(start..<start + 100, of: description)
          #expect(Array(bytes) == Array(liar.object.bytes[start..<start + 100]))
        }
        await source.close()
      }
    }

    @Test func `answer 45: a body that is reset goes on from where it stopped`() async throws {
      let outcome = try await Liar().read(.always(.resetInBody, times: 2))
      expectRight(outcome)
      #expect(outcome.requests.count == 3)
      // The same version only.
      #expect(outcome.requests.allSatisfy { $0["If-Match"] == "\"v1\"" })
      let always = try await Liar().read(
        ServerScript { context in context.honest.interrupted(.reset, at: .body(0)) })
      expectFailure(always, .inputOutput, "cut its answers", isTransient: true)
    }

    @Test func `answer 46: an end without close_notify is no end`() async throws {
      // With a length the missing bytes are asked for.
      expectRight(try await Liar.tls().read(.always(.endWithoutNotify, times: 1)))
      // Without one nothing tells whether all came.
      let unframed = ServerScript { context in
        var answer = context.honest
        answer.fields["Content-Length"] = nil
        answer.fields["Connection"] = "close"
        answer.ending = .closeWithoutNotify
        return answer.interrupted(.closeWithoutNotify, at: .body(2000))
      }
      expectFailure(try await Liar.tls().read(unframed), .inputOutput, "close_notify", isTransient: true)
    }

    @Test func `answer 47: after GOAWAY reads go on, over another connection`() async throws {
      expectRight(try await Liar.tls(http2: true).read(.always(.goAway, times: 1)))
      let refused = ServerScript { context in
        context.memory.count("refused") == 0 ? context.honest.interrupted(.refuseStream, at: .head(0)) : context.honest
      }
      expectRight(try await Liar.tls(http2: true).read(refused))
      // HTTP/1.1 says it with `Connection: close`.
      expectRight(try await Liar().readAll(.always(.goAway)))
    }

    @Test func `answer 48: a stream that is reset goes on from where it stopped`() async throws {
      let outcome = try await Liar.tls(http2: true).read(.always(.resetStream, times: 2))
      expectRight(outcome)
      #expect(outcome.requests.count == 3 && outcome.requests.allSatisfy(\.isHTTP2))
    }

    @Test func `answer 49: a body in drops ends with the time of the whole read`() async throws {
      var liar = Liar()
      liar.source.readTimeout = .milliseconds(300)
      expectFailure(try await liar.read(.always(.slowLoris)), .timedOut, "time limit")
    }

    @Test func `answer 50: a stall after the head is cut and continued, and fails if it comes again`() async throws {
      var liar = Liar()
      liar.source.idleTimeout = .milliseconds(500)
      expectRight(try await liar.read(.always(.stallAfterHead, times: 1)))
      expectFailure(
        try await liar.read(.always(.stallAfterHead)), .inputOutput, "stopped sending", isTransient: true)
    }

    @Test func `answer 51: bytes after the body do not come into this read or the next`() async throws {
      try await LyingServer.with { server in
        let liar = Liar()
        server.objects.put(liar.object, at: "/folder/object")
        let source = HTTPSource(server.url("/folder/object"), configuration: liar.source)
        let description = try await source.describe()
        server.script = .always(.bytesAfterBody)
        for start in stride(from: 0, to: 100_000, by: 5_000) {
          let bytes = try await source.read(start..<start + 100, of: description)
          #expect(Array(bytes) == Array(liar.object.bytes[start..<start + 100]))
        }
        await source.close()
      }
    }

    @Test(arguments: [0, 1, 2])
    func `answer 52: giant headers fail`(_ form: Int) async throws {
      expectFailure(try await Liar().read(.always(.giantHeaders, variant: form)), .invalidResponse, "header")
    }

    @Test func `answer 53: only Verifying sees shifted bytes under right headers`() async throws {
      let shifted = try await Liar().read(.always(.shiftedBytes))
      // No check of the answer can tell: this is why Verifying exists.
      #expect(shifted.bytes == ServedObject.content(1001..<5001))
      try await LyingServer.with { server in
        let liar = Liar()
        server.objects.put(liar.object, at: "/folder/object")
        let digests = stride(from: 0, to: 200_000, by: 4096).map { start in
          checksum(Bytes(liar.object.bytes[start..<min(start + 4096, 200_000)]))
        }
        let source = HTTPSource(server.url("/folder/object"), configuration: liar.source)
        let reader = try await RangeReader(
          source, [.verifying(blockSize: .kibibytes(4), digests: digests, hash: checksum)])
        server.script = .always(.shiftedBytes)
        await #expect { try await reader.read(1000..<5000) } throws: { ($0 as? ReadError)?.code == .corrupted }
        server.script = .honest
        #expect(Array(try await reader.read(1000..<5000)) == Array(liar.object.bytes[1000..<5000]))
        await reader.close()
      }
    }
  }

  /// FNV-1a, which is enough for a test.
  func checksum(_ bytes: Bytes) -> [UInt8] {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) }
  }

#endif
