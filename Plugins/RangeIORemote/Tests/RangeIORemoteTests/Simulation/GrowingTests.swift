import Testing

@testable import RangeIORemote

/// Objects that grow, by thousands of seeds.
struct GrowingTests {
  @Test func `every byte of an object that grows is right, and what is no growth is told`() throws {
    var outcomes: [GrowingReads.Outcome: Int] = [:]
    var events: [GrowingServer.Event: Int] = [:]
    var (bytes, requests) = (0, 0)
    var wrong: [String] = []
    // Each is a session of some twenty requests.
    let seeds = max(1, SimulationScale.seeds / 10)
    for seed in SimulationScale.first..<SimulationScale.first + seeds {
      var reads = try GrowingReads(seed: UInt64(seed))
      do { try reads.run() } catch {
        wrong.append("seed \(seed): \(error)")
        if wrong.count == 10 { break }
      }
      outcomes.merge(reads.outcomes) { $0 + $1 }
      events.merge(reads.server.counts) { $0 + $1 }
      (bytes, requests) = (bytes + reads.bytesCompared, requests + reads.server.requests)
    }
    #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    guard seeds >= 10_000 else { return }
    print("\(seeds) sessions, \(requests) requests, \(bytes) bytes compared: \(outcomes), \(events)")
    // Otherwise the run would prove little.
    for event in GrowingServer.Event.allCases { #expect(events[event, default: 0] > 1000, "\(event)") }
    for outcome in [.read, .grew, .restedAlike, .ended] as [GrowingReads.Outcome] {
      #expect(outcomes[outcome, default: 0] > 1000, "\(outcome)")
    }
  }
}
