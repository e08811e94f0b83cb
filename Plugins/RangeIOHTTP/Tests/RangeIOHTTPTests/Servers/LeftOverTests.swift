#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// Answers to no request, and bytes that are no body.
  @Suite(.timeLimit(.minutes(5))) struct LeftOverTests {
    /// The fields that identify the eight objects of the server.
    enum Identity: CaseIterable {
      case nothing, sameDate, date, strongTag
    }

    /// Serves objects of 1,000 bytes at /1 to /8, each with the contents of that version.
    private func objects(_ identity: Identity) -> ServedObjects {
      let objects = ServedObjects()
      for number in 1...8 {
        var object = ServedObject(count: 1000, version: number)
        switch identity {
        case .nothing: (object.tag, object.lastModified) = (.none, nil)
        case .sameDate: (object.tag, object.lastModified) = (.none, 1_700_000_000)
        case .date: object.tag = .none
        case .strongTag: break
        }
        objects.put(object, at: "/\(number)")
      }
      return objects
    }

    @Test(arguments: Identity.allCases, [RemoteOpening.head, .beginning])
    func `an answer that comes twice gives no read another object's bytes`(
      _ identity: Identity, _ opening: RemoteOpening
    ) async throws {
      for milliseconds in [0, 1] { try await expectOwnBytes(identity, opening, twiceAfter: milliseconds) }
    }

    private func expectOwnBytes(
      _ identity: Identity, _ opening: RemoteOpening, twiceAfter milliseconds: Int
    ) async throws {
      var configuration = LyingServer.Configuration()
      configuration.objects = objects(identity)
      configuration.script = ServerScript { context in
        guard context.request.method == "GET",
          context.memory.count("GET on \(context.request.connection)") % 5 == 4
        else { return context.honest }
        return context.honest.twice(after: milliseconds)
      }
      try await LyingServer.with(configuration) { server in
        var settings = RemoteConfiguration.reading
        settings.maxConnectionsPerHost = 1
        settings.opening = opening
        var opened: [(HTTPSource, SourceDescription)] = []
        for number in 1...8 {
          let source = HTTPSource(server.url("/\(number)"), configuration: settings)
          opened.append((source, try await source.describe()))
        }
        var (wrong, failed) = (0, 0)
        for turn in 0..<200 {
          let (source, description) = opened[turn % 8]
          do {
            let bytes = try await source.read(0..<1000, of: description)
            if !bytes.areContent(0..<1000, version: turn % 8 + 1) { wrong += 1 }
          } catch {
            failed += 1
          }
        }
        #expect(wrong == 0 && failed < 20, "\(wrong) wrong, \(failed) failed")
        for (source, _) in opened { await source.close() }
      }
    }

    @Test(arguments: [RemoteOpening.head, .beginning])
    func `a description that comes twice describes no other object`(_ opening: RemoteOpening) async throws {
      var configuration = LyingServer.Configuration()
      configuration.objects = objects(.date)
      configuration.script = ServerScript { context in
        let isOpening = context.request.method == (opening == .head ? "HEAD" : "GET")
        return isOpening ? context.honest.twice(after: 0) : context.honest
      }
      try await LyingServer.with(configuration) { server in
        var settings = RemoteConfiguration.reading
        settings.maxConnectionsPerHost = 1
        settings.opening = opening
        for turn in 0..<24 {
          let number = turn % 8 + 1
          let source = HTTPSource(server.url("/\(number)"), configuration: settings)
          let description = try await source.describe()
          #expect(try await source.read(0..<1000, of: description).areContent(0..<1000, version: number))
          await source.close()
        }
      }
    }

    @Test(arguments: [false, true])
    func `bytes behind an answer close its connection, and the answer counts`(_ isLate: Bool) async throws {
      var liar = Liar()
      liar.server.script = ServerScript { context in
        var answer = context.honest
        answer.trailing = Array("H".utf8)
        return isLate ? answer.interrupted(.pause(milliseconds: 1), at: .body(answer.body.count)) : answer
      }
      try await LyingServer.with(liar.server) { server in
        server.objects.put(liar.object, at: objectPath)
        try await withSource(server) { source, description in
          for start in stride(from: 0, to: 40_000, by: 1000) {
            let bytes = try await source.read(start..<start + 1000, of: description)
            #expect(bytes.areContent(start..<start + 1000))
          }
        }
      }
    }

    @Test(arguments: OddAnswer.overheads)
    func `bytes that are no body are bounded`(_ overhead: OddAnswer) async throws {
      var liar = Liar()
      // Only the budget ends it.
      liar.source.idleTimeout = .seconds(3600)
      liar.source.firstByteTimeout = .seconds(3600)
      liar.source.readTimeout = .seconds(3600)
      liar.source.minBytesPerSecond = .kibibytes(0)
      let outcome = try await liar.read(.always(overhead))
      #expect(outcome.error?.code == .invalidResponse, "\(String(describing: outcome.error))")
    }
  }

#endif
