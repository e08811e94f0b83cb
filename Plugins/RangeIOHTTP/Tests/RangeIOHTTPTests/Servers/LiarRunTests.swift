#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import RangeIOTesting
  import Testing

  /// Many reads from servers that lie at random.
  struct LiarRunTests {
    /// Reads from a liar, over eight tasks that open a source anew for each 50 reads.
    private func run(
      _ kind: LiarKind, reads: Int, _ lies: [NumberedAnswer], _ pipeline: @Sendable @escaping () -> ReadPipeline
    ) async throws -> (tally: LiarTally, told: [NumberedAnswer: Int]) {
      try await kind.with { made in
        var configuration = made
        configuration.script = .seeded(RunScale.seed, rate: 0.005, lies)
        return try await LyingServer.with(configuration) { server in
          let tally = await tally(server.url(LiarKind.path), kind, reads, pipeline)
          return (tally, Dictionary(lies.map { ($0, server.told($0)) }) { first, _ in first })
        }
      }
    }

    private func tally(
      _ url: String, _ kind: LiarKind, _ reads: Int, _ pipeline: @Sendable @escaping () -> ReadPipeline
    ) async -> LiarTally {
      let configuration = kind.source(limit: .seconds(2))
      return await withTaskGroup(of: LiarTally.self) { group in
        for task in 0..<8 {
          group.addTask {
            var random = SeededGenerator(seed: RunScale.seed &+ UInt64(task))
            var tally = LiarTally()
            for first in stride(from: 0, to: reads / 8, by: 50) {
              let count = min(50, reads / 8 - first)
              await Self.session(url, configuration, count, &random, &tally, pipeline())
            }
            return tally
          }
        }
        return await group.reduce(into: LiarTally()) { $0.add($1) }
      }
    }

    /// Opens a reader and reads `count` ranges. A reader that cannot be opened counts as so many failures as tries.
    private static func session(
      _ url: String, _ configuration: RemoteConfiguration, _ count: Int, _ random: inout SeededGenerator,
      _ tally: inout LiarTally, _ pipeline: ReadPipeline
    ) async {
      for _ in 0..<20 {
        let reader: RangeReader
        do {
          reader = try await RangeReader(HTTPSource(url, configuration: configuration), pipeline)
        } catch {
          tally.note(error)
          continue
        }
        await tally.read(count, &random) { try await reader.read($1) }
        return await reader.close()
      }
    }

    @Test(.timeLimit(.minutes(20)), arguments: LiarKind.allCases)
    func `with 52 lies at 0.5% each no byte is wrong, nothing hangs, and errors say what the server did`(
      _ kind: LiarKind
    ) async throws {
      let lies = NumberedAnswer.allCases.filter { $0 != .shiftedBytes }
      let reads = kind == .plain ? RunScale.reads : RunScale.reads / 4
      let (tally, told) = try await run(kind, reads: reads, lies) { [] }
      report("\(kind)", tally, told)
      #expect(tally.wrong.isEmpty, "seed \(RunScale.seed): \(tally.wrong)")
      #expect((tally.unclear + tally.foreign).isEmpty, "seed \(RunScale.seed): \(tally.unclear) \(tally.foreign)")
      #expect(tally.right > reads / 4, "seed \(RunScale.seed): \(tally)")
      #expect(told.values.count { $0 > 0 } > 10, "seed \(RunScale.seed): \(told)")
    }

    @Test(.timeLimit(.minutes(20)))
    func `with all 53 lies no wrong byte passes Verifying`() async throws {
      let digests = stride(from: 0, to: LiarKind.size, by: 4096).map { start in
        checksum(Bytes(ServedObject.content(start..<min(start + 4096, LiarKind.size), version: 2)))
      }
      // The last lie five times as often, so that each run has some.
      let lies = NumberedAnswer.allCases + Array(repeating: .shiftedBytes, count: 4)
      let (tally, told) = try await run(.plain, reads: RunScale.reads, lies) {
        [.verifying(blockSize: .kibibytes(4), digests: digests, hash: checksum)]
      }
      report("verified", tally, told)
      #expect(tally.wrong.isEmpty, "seed \(RunScale.seed): \(tally.wrong)")
      #expect(told[.shiftedBytes, default: 0] > 0 && tally.errors.keys.contains { $0.hasPrefix("corrupted") })
    }

    /// Tells figures of long runs, which documents quote.
    private func report(_ kind: String, _ tally: LiarTally, _ told: [NumberedAnswer: Int]) {
      let lies = told.values.reduce(0, +)
      print(
        "figures: \(kind), seed \(RunScale.seed): \(tally.right) right, \(tally.wrong.count) wrong, "
          + "\(tally.failed) failed \(tally.errors), \(lies) lies of \(told.values.count { $0 > 0 }) kinds")
    }
  }

#endif
