#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import RangeIOTesting
  import Synchronization
  import Testing

  /// Servers that are wrong in two ways at once, each in 2% of their answers: every pair of ways.
  struct LiarPairTests {
    /// A way to be wrong: one of the numbered answers, or one that takes two answers to tell.
    enum Oddity: Hashable, Sendable {
      case numbered(NumberedAnswer)
      /// The answer comes a second time, at once or later.
      case twice(after: Int)
      /// Bytes behind the answer that are no HTTP.
      case rubbish
      /// HEAD shows nothing of the version.
      case silentHead
      /// A mebibyte that is no body.
      case overhead
      /// HTTP/2: the connection breaks its rules.
      case flood

      static let all =
        NumberedAnswer.allCases.filter { $0 != .shiftedBytes }.map { Oddity.numbered($0) }
        + [.twice(after: 0), .twice(after: 1), .rubbish, .silentHead, .overhead, .flood]

      func answer(_ context: AnswerContext) -> ScriptedAnswer? {
        var answer = context.honest
        let end = Interruption.Place.body(answer.isBodyless ? 0 : answer.body.count)
        switch self {
        case .numbered(let lie): return lie.answer(context)
        case .twice(let milliseconds): return answer.twice(after: milliseconds)
        case .rubbish: answer.trailing = Array("rubbish\r\n".utf8)
        case .silentHead:
          guard context.request.method == "HEAD" else { return nil }
          answer.fields["ETag"] = nil
          answer.fields["Last-Modified"] = nil
        case .overhead: answer.preamble = [UInt8](repeating: UInt8(ascii: "\n"), count: 1 << 20)
        case .flood: answer = answer.interrupted(.pings(300), at: end)
        }
        return answer
      }
    }

    private static let limit = Duration.seconds(2)
    /// Reads, streams and copies of each pair, from one source each.
    private static let readsOfPair = 12

    @Test(.timeLimit(.minutes(60)), arguments: LiarKind.allCases)
    func `with each pair of lies at 2% each no byte is wrong, and nothing takes longer than its limit`(
      _ kind: LiarKind
    ) async throws {
      var pairs: [[Oddity]] = []
      for (index, one) in Oddity.all.enumerated() { pairs += Oddity.all[(index + 1)...].map { [one, $0] } }
      var random = SeededGenerator(seed: RunScale.seed)
      pairs.shuffle(using: &random)
      // All of them from 50,000 reads on, which are 59,508 then; else a part.
      let isAll = RunScale.reads >= 50_000
      let chosen = pairs.prefix(isAll ? pairs.count : max(8, RunScale.reads / 3 / Self.readsOfPair))
      let (tally, count) = try await run(kind, Array(chosen))
      print(
        "figures: pairs, \(kind), seed \(RunScale.seed): \(chosen.count) pairs, \(count) reads, \(tally.right) right, "
          + "\(tally.wrong.count) wrong, failed \(tally.failed) \(tally.errors), longest \(tally.longest)")
      #expect(tally.wrong.isEmpty, "seed \(RunScale.seed): \(tally.wrong.prefix(5))")
      #expect(tally.foreign.isEmpty, "seed \(RunScale.seed): \(tally.foreign.prefix(5))")
      #expect(tally.right > count / 2, "seed \(RunScale.seed): \(tally)")
      // A busy machine may be late, but nothing waits for a second limit.
      #expect(tally.longest < Self.limit * 4, "seed \(RunScale.seed)")
    }

    /// Reads with all pairs, several at a time: each from a server and a source of its own.
    private func run(_ kind: LiarKind, _ pairs: [[Oddity]]) async throws -> (LiarTally, count: Int) {
      try await kind.with { made in
        let next = ServerMemory()
        return try await withThrowingTaskGroup(of: LiarTally.self) { group in
          for _ in 0..<8 {
            group.addTask {
              var tally = LiarTally()
              while true {
                let index = next.count("pairs")
                guard index < pairs.count else { return tally }
                try await Self.read(kind, made, pairs[index], RunScale.seed &+ UInt64(index), &tally)
              }
            }
          }
          var tally = LiarTally()
          for try await one in group { tally.add(one) }
          return (tally, pairs.count * Self.readsOfPair)
        }
      }
    }

    private static func read(
      _ kind: LiarKind, _ server: LyingServer.Configuration, _ pair: [Oddity], _ seed: UInt64, _ tally: inout LiarTally
    ) async throws {
      var configuration = server
      configuration.script = .odd(seed, rate: 0.02, pair.map { oddity in { oddity.answer($0) } })
      try await LyingServer.with(configuration) { server in
        var settings = kind.source(limit: limit)
        settings.firstByteTimeout = .milliseconds(500)
        var random = SeededGenerator(seed: seed)
        for (session, opening) in [RemoteOpening.head, .beginning].enumerated() {
          settings.opening = opening
          let source = HTTPSource(server.url(LiarKind.path), configuration: settings)
          let reader: RangeReader
          do { reader = try await RangeReader(source, []) } catch {
            tally.note(error)
            continue
          }
          // `try?`: a server that lies may fail; only wrong bytes count.
          let description = try? await source.describe()
          await tally.read(readsOfPair / 2, &random, "\(pair), session \(session),") { turn, range in
            try await Self.read(range, turn % 3, reader, source, description)
          }
          await reader.close()
        }
      }
    }

    /// Reads, streams or copies; `nil`: there was no description to copy with.
    private static func read(
      _ range: Range<Int>, _ way: Int, _ reader: RangeReader, _ source: HTTPSource, _ description: SourceDescription?
    ) async throws -> Bytes? {
      switch way {
      case 0: return try await reader.read(range)
      case 1: return try await reader.stream(range).collect(upTo: .mebibytes(1))
      default:
        guard let description else { return nil }
        let copied = Copied()
        try await source.read(range, of: description) { copied.add($0) }
        return Bytes(copied.bytes)
      }
    }
  }

  /// Takes bytes on the network's thread.
  final class Copied: Sendable {
    private let all = Mutex<[UInt8]>([])
    var bytes: [UInt8] { all.withLock { $0 } }
    func add(_ bytes: Bytes) { all.withLock { $0 += Array(bytes) } }
  }

#endif
