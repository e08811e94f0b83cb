#if HTTP
  internal import RangeIO
  internal import RangeIOHTTPTestServer
  internal import RangeIORemote

  /// Opens and reads the object of a store that gives one odd answer.
  struct OddRun<Source: RangeSource> {
    let store: OddStore
    let make: @Sendable (_ origin: String, _ configuration: RemoteConfiguration) async throws -> Source

    /// A range in the middle, of which no byte came along when the object was opened.
    private static var middle: Range<Int> { 101_000..<105_000 }
    /// How the object is opened, and how often the answer comes then; `nil`: always.
    private static var openings: [(RemoteOpening, times: Int?)] {
      [
        (.beginning, nil), (.beginning, 1), (.beginning, 2), (.head, nil), (.head, 1), (.suffix(5000), 1),
        (.range(1000..<5000), 1),
      ]
    }

    func check(_ answer: OddServer.Answer) async throws {
      try await checkReads(answer)
      for (opening, times) in Self.openings { try await checkOpening(answer, opening, times: times) }
      try store.checkRequests()
      try await bounded("closing its connections") { await store.server.waitForConnections() }
    }

    /// The object is opened as it should be; its reads get the answer.
    private func checkReads(_ answer: OddServer.Answer) async throws {
      store.replace(by: OddStore.past)
      store.replace(by: OddStore.present)
      store.server.answer(.honest)
      let source = try await make(store.server.origin, store.configuration())
      let first = try await must("opening") { try await source.describe() }
      guard first.byteCount == OddStore.size else {
        throw Fault("an object of \(OddStore.size) bytes is \(first.byteCount)")
      }

      store.server.answer(.always(answer))
      try await checkMiddle(answer.odd.outcome, source, first)
      for range in [0..<OddStore.size, OddStore.size - 1000..<OddStore.size] {
        _ = try await version(range) { try await source.read(range, of: first) }
      }
      let ranges = (0..<4).map { 70_000 + 30_000 * $0..<71_000 + 30_000 * $0 }
      _ = try await version(ranges) { try await source.read(ranges, of: first) }

      store.server.answer(.honest)
      // Left over answers make calls fail, each of them one.
      let again = try await must("describing, after the store came to its senses,", despiteAll: true) {
        try await source.describe()
      }
      let bytes = try await must("reading, after the store came to its senses,", despiteAll: true) {
        try await source.read(Self.middle, of: again)
      }
      guard bytes == OddStore.content(Self.middle, OddStore.present) else {
        throw Fault("bytes of the odd answer are left over")
      }

      store.replace(by: OddStore.future)
      store.server.answer(.always(answer))
      let found = try await version(Self.middle) { try await source.read(Self.middle, of: again) }
      guard found == nil || found == OddStore.present else {
        throw Fault("reads another version than the one described")
      }
      await source.close()
      try checkText("\(source) \(String(reflecting: source))", "a description of the source")
    }

    private func checkMiddle(_ outcome: OddAnswer.Outcome, _ source: Source, _ description: SourceDescription)
      async throws
    {
      switch outcome {
      case .either: _ = try await version(Self.middle) { try await source.read(Self.middle, of: description) }
      case .reads:
        let bytes = try await must("reading") { try await source.read(Self.middle, of: description) }
        guard bytes == OddStore.content(Self.middle, OddStore.present) else { throw Fault("reads wrong bytes") }
      case .fails(let words):
        var error: ReadError
        var tries = 0
        repeat {
          let result = try await attempt("reading") { try await source.read(Self.middle, of: description) }
          guard case .failure(let thrown) = result else { throw Fault("does not fail") }
          (error, tries) = (thrown, tries + 1)
          // A busy machine may be late.
        } while (error.isTransient || error.code == .timedOut) && !"\(error)".contains(words) && tries < 10
        guard "\(error)".contains(words) else { throw Fault("the error does not say '\(words)': \(error)") }
      }
    }

    /// The answer comes from the first request on.
    private func checkOpening(_ answer: OddServer.Answer, _ opening: RemoteOpening, times: Int?) async throws {
      store.replace(by: OddStore.past)
      store.replace(by: OddStore.present)
      store.server.answer(.always(answer, times: times))
      let source = try await make(store.server.origin, store.configuration(opening))
      if case .success(let description) = try await attempt("opening", { try await source.describe() }) {
        var versions: Set<Int> = []
        for range in [0..<1000, Self.middle, OddStore.size - 1000..<OddStore.size]
        where range.upperBound <= description.byteCount {
          let found = try await version(range) { try await source.read(range, of: description) }
          if let found { versions.insert(found) }
        }
        guard versions.count < 2 else { throw Fault("reads of one description have bytes of two versions") }
      }
      await source.close()
    }

    // MARK: calls

    /// Which version the bytes of a read are; `nil` if it failed.
    private func version(_ range: Range<Int>, _ read: @escaping @Sendable () async throws -> Bytes) async throws -> Int?
    {
      try await version([range]) { [try await read()] }
    }

    private func version(_ ranges: [Range<Int>], _ read: @escaping @Sendable () async throws -> [Bytes]) async throws
      -> Int?
    {
      guard case .success(let parts) = try await attempt("reading", read) else { return nil }
      let versions = [OddStore.past, OddStore.present, OddStore.future]
      let found = versions.first { version in
        parts.count == ranges.count && zip(parts, ranges).allSatisfy { $0 == OddStore.content($1, version) }
      }
      guard let found else { throw Fault("reads wrong bytes of \(ranges)") }
      return found
    }

    /// A call that must succeed. It is made again where it may pass: also after its limit, since a busy machine may be late.
    private func must<Value: Sendable>(
      _ what: String, despiteAll: Bool = false, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
      var tries = 0
      while true {
        switch try await attempt(what, body) {
        case .success(let value): return value
        case .failure(let error):
          tries += 1
          let mayPass = despiteAll || error.isTransient || error.code == .timedOut
          guard mayPass, tries < 10 else { throw Fault("\(what) fails: \(error)") }
        }
      }
    }

    /// The result of a call, which must come in time, and an error that must say what is wrong.
    private func attempt<Value: Sendable>(
      _ what: String, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Result<Value, ReadError> {
      do { return .success(try await bounded(what, body)) } catch let error as ReadError {
        guard !error.message.isEmpty else { throw Fault("\(what) fails with an error that says nothing") }
        try checkText("\(error) \(String(reflecting: error))", "an error")
        return .failure(error)
      } catch let fault as Fault { throw fault } catch { throw Fault("\(what) throws what is no ReadError: \(error)") }
    }

    private func checkText(_ text: String, _ place: String) throws {
      guard !store.secrets.contains(where: { text.contains($0) }) else { throw Fault("\(place) shows a secret") }
    }

    private func bounded<Value: Sendable>(
      _ what: String, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
      try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
          try await Task.sleep(for: OddStore.patience)
          throw Fault("\(what) hangs")
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw CancellationError() }
        return first
      }
    }
  }
#endif
