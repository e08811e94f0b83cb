#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import RangeIOTesting
  import Synchronization
  import Testing

  /// Many reads from servers that lie at random.
  struct LiarRunTests {
    /// What came of many reads.
    struct Tally {
      var right = 0
      var wrong: [String] = []
      var errors: [String: Int] = [:]
      /// Errors that do not say what the server did.
      var unclear: [String] = []
      var failed: Int { errors.values.reduce(0, +) }

      mutating func add(_ other: Tally) {
        right += other.right
        wrong += other.wrong
        errors.merge(other.errors, uniquingKeysWith: +)
        unclear += other.unclear
      }

      mutating func note(_ error: any Error) {
        guard let error = error as? ReadError else { return unclear.append("\(error)") }
        // Numbers are left out, so that equal failures are counted together.
        let text = "\(error.message.prefix(60))".filter { !$0.isNumber }
        errors["\(error.code): \(text)", default: 0] += 1
        let words = [
          "the server", "http://127.0.0.1", "https://127.0.0.1", "connection", "the read took", "the object",
        ]
        if !words.contains(where: { error.message.contains($0) }) { unclear.append("\(error)") }
      }
    }

    private static let size = 300_000
    private static let path = "/folder/object"

    /// Servers of three kinds that have the same object.
    enum Kind: CaseIterable {
      case plain, tls, http2
      var liar: Liar {
        switch self {
        case .plain: Liar()
        case .tls: Liar.tls()
        case .http2: Liar.tls(http2: true)
        }
      }
    }

    /// Reads from a liar, over eight tasks that open a source anew for each 50 reads.
    private func run(
      _ kind: Kind, reads: Int, _ lies: [NumberedAnswer], _ pipeline: @Sendable @escaping () -> ReadPipeline
    ) async throws -> (tally: Tally, told: [NumberedAnswer: Int]) {
      let objects = ServedObjects()
      objects.put(ServedObject(count: Self.size, version: 1), at: Self.path)
      objects.put(ServedObject(count: Self.size, version: 2), at: Self.path)
      var plain = LyingServer.Configuration()
      plain.objects = objects
      var secure = LyingServer.Configuration.tls(http2: kind == .http2)
      secure.objects = objects
      return try await LyingServer.with(kind == .plain ? plain : secure) { elsewhere in
        try await LyingServer.with(kind == .plain ? secure : plain) { other in
          var configuration = kind.liar.server
          configuration.objects = objects
          configuration.elsewhere = elsewhere.origin
          configuration.otherScheme = other.origin
          configuration.script = .seeded(RunScale.seed, rate: 0.005, lies)
          return try await LyingServer.with(configuration) { server in
            let tally = await tally(server.url(Self.path), kind, reads, pipeline)
            return (tally, Dictionary(lies.map { ($0, server.told($0)) }) { first, _ in first })
          }
        }
      }
    }

    private func tally(
      _ url: String, _ kind: Kind, _ reads: Int, _ pipeline: @Sendable @escaping () -> ReadPipeline
    ) async -> Tally {
      var source = kind.liar.source
      source.additionalTrustRoots = [.pem(Array(TestCertificate.pem.utf8))]
      source.idleTimeout = .milliseconds(200)
      source.readTimeout = .seconds(2)
      let configuration = source
      return await withTaskGroup(of: Tally.self) { group in
        for task in 0..<8 {
          group.addTask {
            var random = SeededGenerator(seed: RunScale.seed &+ UInt64(task))
            var tally = Tally()
            for first in stride(from: 0, to: reads / 8, by: 50) {
              let count = min(50, reads / 8 - first)
              await Self.session(url, configuration, count, &random, &tally, pipeline())
            }
            return tally
          }
        }
        return await group.reduce(into: Tally()) { $0.add($1) }
      }
    }

    /// Opens a reader and reads `count` ranges. A reader that cannot be opened counts as so many failures as tries.
    private static func session(
      _ url: String, _ configuration: HTTPSource.Configuration, _ count: Int, _ random: inout SeededGenerator,
      _ tally: inout Tally, _ pipeline: ReadPipeline
    ) async {
      for _ in 0..<20 {
        let reader: RangeReader
        do {
          reader = try await RangeReader(HTTPSource(url, configuration: configuration), pipeline)
        } catch {
          tally.note(error)
          continue
        }
        for _ in 0..<count {
          let start = Int.random(in: 0..<size, using: &random)
          let range = start..<min(size, start + Int.random(in: 1...30_000, using: &random))
          do {
            let bytes = try await reader.read(range)
            let isRight = bytes.areContent(range, version: 2) || bytes.areContent(range, version: 1)
            if isRight { tally.right += 1 } else { tally.wrong.append("\(range)") }
          } catch {
            tally.note(error)
          }
        }
        return await reader.close()
      }
    }

    @Test(.timeLimit(.minutes(20)), arguments: Kind.allCases)
    func `with 52 lies at 0.5% each no byte is wrong, nothing hangs, and errors say what the server did`(
      _ kind: Kind
    ) async throws {
      let lies = NumberedAnswer.allCases.filter { $0 != .shiftedBytes }
      let reads = kind == .plain ? RunScale.reads : RunScale.reads / 4
      let (tally, told) = try await run(kind, reads: reads, lies) { ReadPipeline {} }
      report("\(kind)", tally, told)
      #expect(tally.wrong.isEmpty && tally.unclear.isEmpty, "seed \(RunScale.seed): \(tally.wrong) \(tally.unclear)")
      #expect(tally.right > reads / 4, "seed \(RunScale.seed): \(tally)")
      #expect(told.values.count { $0 > 0 } > 10, "seed \(RunScale.seed): \(told)")
    }

    @Test(.timeLimit(.minutes(20)))
    func `with all 53 lies no wrong byte passes Verifying`() async throws {
      let digests = stride(from: 0, to: Self.size, by: 4096).map { start in
        checksum(Bytes(ServedObject.content(start..<min(start + 4096, Self.size), version: 2)))
      }
      // The last lie five times as often, so that each run has some.
      let lies = NumberedAnswer.allCases + Array(repeating: .shiftedBytes, count: 4)
      let (tally, told) = try await run(.plain, reads: RunScale.reads, lies) {
        ReadPipeline { Verifying(blockSize: .kibibytes(4), digests: digests, hash: checksum) }
      }
      report("verified", tally, told)
      #expect(tally.wrong.isEmpty, "seed \(RunScale.seed): \(tally.wrong)")
      #expect(told[.shiftedBytes, default: 0] > 0 && tally.errors.keys.contains { $0.hasPrefix("corrupted") })
    }

    /// Tells figures of long runs, which documents quote.
    private func report(_ kind: String, _ tally: Tally, _ told: [NumberedAnswer: Int]) {
      let lies = told.values.reduce(0, +)
      print(
        "figures: \(kind), seed \(RunScale.seed): \(tally.right) right, \(tally.wrong.count) wrong, "
          + "\(tally.failed) failed \(tally.errors), \(lies) lies of \(told.values.count { $0 > 0 }) kinds")
    }
  }

#endif
