#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import RangeIORemoteTesting
  import RangeIOTesting
  import Synchronization
  import Testing

  /// Servers that are wrong in two ways at once, each in 2% of their answers: pairs of ways.
  struct LiarPairTests {
    /// Reads, streams and copies of each pair.
    private static let readsOfPair = 12

    @Test(.timeLimit(.minutes(60)), arguments: OddServer.Connection.allCases)
    func `with pairs of odd answers at 2% each no byte is wrong, and nothing hangs`(
      _ connection: OddServer.Connection
    ) async throws {
      let all = OddServer.Answer.all
      var pairs: [[OddServer.Answer]] = []
      for (index, one) in all.enumerated() { pairs += all[(index + 1)...].map { [one, $0] } }
      var random = SeededGenerator(seed: RunScale.seed)
      pairs.shuffle(using: &random)
      // From 50,000 reads on 1,653, which are 19,836 reads.
      let chosen = Array(pairs.prefix(RunScale.reads >= 50_000 ? 1653 : max(8, RunScale.reads / 3 / Self.readsOfPair)))
      let next = ServerMemory()
      let figures = try await withThrowingTaskGroup(of: RemoteConformance.Figures.self) { group in
        for _ in 0..<8 {
          group.addTask {
            var figures = RemoteConformance.Figures()
            while true {
              let number = next.count("pairs")
              guard number < chosen.count else { return figures }
              figures += try await Self.read(connection, chosen[number], RunScale.seed &+ UInt64(number))
            }
          }
        }
        return try await group.reduce(into: RemoteConformance.Figures()) { $0 += $1 }
      }
      let reads = chosen.count * Self.readsOfPair
      print("figures: pairs, \(connection), seed \(RunScale.seed): \(chosen.count) pairs, \(reads) reads, \(figures)")
      #expect(figures.right > reads / 2, "seed \(RunScale.seed): \(figures)")
    }

    private static func read(
      _ connection: OddServer.Connection, _ pair: [OddServer.Answer], _ seed: UInt64
    ) async throws -> RemoteConformance.Figures {
      do {
        return try await RemoteConformance.read(readsOfPair, of: pair, share: 0.04, over: connection, seed: seed) {
          HTTPSource($0 + objectPath, configuration: $1)
        }
      } catch let fault as RemoteConformance.Violation {
        Issue.record("\(pair), \(fault)")
        return RemoteConformance.Figures()
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
