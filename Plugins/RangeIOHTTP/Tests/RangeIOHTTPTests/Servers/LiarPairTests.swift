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

    /// Servers of three kinds.
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

    /// What came of many reads.
    struct Tally: Sendable {
      var right = 0
      var wrong: [String] = []
      var failed: [String: Int] = [:]
      var longest = Duration.zero

      mutating func add(_ other: Tally) {
        right += other.right
        wrong += other.wrong
        failed.merge(other.failed, uniquingKeysWith: +)
        longest = max(longest, other.longest)
      }
    }

    private static let size = 300_000
    private static let path = "/folder/object"
    private static let limit = Duration.seconds(2)
    /// Reads, streams and copies of each pair, from one source each.
    private static let readsOfPair = 12

    @Test(.timeLimit(.minutes(60)), arguments: Kind.allCases)
    func `with each pair of lies at 2% each no byte is wrong, and nothing takes longer than its limit`(
      _ kind: Kind
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
          + "\(tally.wrong.count) wrong, failed \(tally.failed), longest \(tally.longest)")
      #expect(tally.wrong.isEmpty, "seed \(RunScale.seed): \(tally.wrong.prefix(5))")
      #expect(tally.right > count / 2, "seed \(RunScale.seed): \(tally)")
      // A busy machine may be late, but nothing waits for a second limit.
      #expect(tally.longest < Self.limit * 4, "seed \(RunScale.seed)")
    }

    /// Reads with all pairs, several at a time: each from a server and a source of its own.
    private func run(_ kind: Kind, _ pairs: [[Oddity]]) async throws -> (Tally, count: Int) {
      let objects = ServedObjects()
      for version in 1...2 { objects.put(ServedObject(count: Self.size, version: version), at: Self.path) }
      var plain = LyingServer.Configuration()
      plain.objects = objects
      var secure = LyingServer.Configuration.tls(http2: kind == .http2)
      secure.objects = objects
      let (here, there) = kind == .plain ? (plain, secure) : (secure, plain)
      return try await LyingServer.with(here) { elsewhere in
        try await LyingServer.with(there) { other in
          var configuration = kind.liar.server
          configuration.objects = objects
          configuration.elsewhere = elsewhere.origin
          configuration.otherScheme = other.origin
          let next = ServerMemory()
          let made = configuration
          return try await withThrowingTaskGroup(of: Tally.self) { group in
            for _ in 0..<8 {
              group.addTask {
                var tally = Tally()
                while true {
                  let index = next.count("pairs")
                  guard index < pairs.count else { return tally }
                  try await Self.read(kind, made, pairs[index], RunScale.seed &+ UInt64(index), &tally)
                }
              }
            }
            var tally = Tally()
            for try await one in group { tally.add(one) }
            return (tally, pairs.count * Self.readsOfPair)
          }
        }
      }
    }

    private static func read(
      _ kind: Kind, _ server: LyingServer.Configuration, _ pair: [Oddity], _ seed: UInt64, _ tally: inout Tally
    ) async throws {
      var configuration = server
      configuration.script = .odd(seed, rate: 0.02, pair.map { oddity in { oddity.answer($0) } })
      try await LyingServer.with(configuration) { server in
        var settings = kind.liar.source
        settings.additionalTrustRoots = [.pem(Array(TestCertificate.pem.utf8))]
        settings.idleTimeout = .milliseconds(200)
        settings.firstByteTimeout = .milliseconds(500)
        settings.readTimeout = limit
        var random = SeededGenerator(seed: seed)
        for session in 0..<2 {
          let source = HTTPSource(server.url(path), configuration: settings)
          let reader: RangeReader
          do { reader = try await RangeReader(source, ReadPipeline {}) } catch {
            note(error, "opening", pair, &tally)
            continue
          }
          // `try?`: a server that lies may fail; only wrong bytes count.
          let description = try? await source.describe()
          for turn in 0..<readsOfPair / 2 {
            let start = Int.random(in: 0..<size, using: &random)
            let range = start..<min(size, start + Int.random(in: 1...30_000, using: &random))
            let began = ContinuousClock.now
            do {
              let bytes = try await Self.read(range, turn % 3, reader, source, description)
              if let bytes, !bytes.areContent(range, version: 2), !bytes.areContent(range, version: 1) {
                tally.wrong.append("\(pair), session \(session), \(range)")
              } else {
                tally.right += 1
              }
            } catch {
              note(error, "read", pair, &tally)
            }
            tally.longest = max(tally.longest, ContinuousClock.now - began)
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

    private static func note(_ error: any Error, _ what: String, _ pair: [Oddity], _ tally: inout Tally) {
      guard let error = error as? ReadError else { return tally.wrong.append("\(pair), \(what): \(error)") }
      tally.failed["\(what): \(error.code)", default: 0] += 1
    }
  }

  /// Takes bytes on the network's thread.
  final class Copied: Sendable {
    private let all = Mutex<[UInt8]>([])
    var bytes: [UInt8] { all.withLock { $0 } }
    func add(_ bytes: Bytes) { all.withLock { $0 += Array(bytes) } }
  }

#endif
