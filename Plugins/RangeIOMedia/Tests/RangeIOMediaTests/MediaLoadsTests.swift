import Dispatch
import RangeIO
import RangeIOTesting
import Testing

@testable import RangeIOMedia
@testable import RangeIOTestSupport

/// The shell with real tasks and a real reader, by seeds. The order of events is the system's.
@Suite struct MediaLoadsTests {
  @Test(arguments: testSeeds)
  func `players that seek get their bytes, and none after they have cancelled`(seed: UInt64) async throws {
    var random = TestRandom(seed)
    let size = 1 + random.below(700_000)
    let reader = try await RangeReader(SyntheticSource(byteCount: size))
    let context = QueueContext()
    let loads = MediaLoads(try await PlayableMedia(reader), waits: true, in: context)
    var players: [(player: Player, number: Int, range: Range<Int>, isCancelled: Bool)] = []
    for _ in 0..<20 {
      let start = random.below(size)
      let range = start..<(random.below(2) == 0 ? size : min(size, start + random.below(100_000)))
      let player = Player(range.lowerBound)
      let span = LoadingRequests<any Error>.Span.bytes(offset: start, count: range.count)
      let number = context.queue.sync { loads.begin(span, asksForInformation: true, player) }
      players.append((player, number, range, false))
      for _ in 0..<random.below(20) { await Task.yield() }
      guard random.below(2) == 0 else { continue }
      let index = random.below(players.count)
      context.queue.sync {
        loads.cancel(players[index].number)
        players[index].player.isCancelled = true
      }
      players[index].isCancelled = true
    }
    for (player, number, range, isCancelled) in players {
      if !isCancelled { await player.end.wait() }
      let (got, fault) = context.queue.sync { (player.next, player.fault) }
      #expect(fault == nil, "seed \(seed): \(number)")
      #expect(isCancelled || got == range.upperBound, "seed \(seed): \(number) of \(range) got as far as \(got)")
    }
    await reader.close()
  }

  @Test func `a player is told the size at the time of its question`() async throws {
    let growing = SyntheticSource(byteCount: 100, isAppendOnly: true)
    let reader = try await RangeReader(growing, onChange: .follow)
    let context = QueueContext()
    let loads = MediaLoads(try await PlayableMedia(reader, growth: .until { false }), waits: true, in: context)
    for size in [100, 150, 400] {
      growing.grow(by: size - reader.byteCount)
      try await reader.refresh()
      let player = Player(0)
      context.queue.sync { _ = loads.begin(.bytes(offset: 0, count: 2), asksForInformation: true, player) }
      await player.end.wait()
      let (fault, told) = context.queue.sync { (player.fault, player.byteCount) }
      #expect(fault == nil && told == size)
    }
    await reader.close()
  }

  @Test func `reads end when the player is gone`() async throws {
    let gated = GatedSource(SyntheticSource(byteCount: 1000))
    let reader = try await RangeReader(gated)
    do {
      let context = QueueContext()
      let loads = MediaLoads(try await PlayableMedia(reader), waits: true, in: context)
      _ = context.queue.sync { loads.begin(.from(0), asksForInformation: false, Player(0)) }
      await gated.arrivals(1)
    }
    gated.open()
    await reader.close()
    #expect(reader.statistics().cancellations == 1)
  }
}

private struct QueueContext: LoadingContext {
  let queue = DispatchQueue(label: "tests")
  func run(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}

/// Takes what comes, in order.
// Unchecked: used on the queue, and at its end.
private final class Player: LoadingClient, @unchecked Sendable {
  let end = Ended()
  var next: Int
  var isCancelled = false
  var fault: String?
  private(set) var byteCount: Int?
  private var isInformed: Bool { byteCount != nil }
  private var hasEnded = false

  init(_ start: Int) { next = start }

  private func call(_ what: String) {
    if isCancelled || hasEnded { fault = "\(what) after the end" }
    if !isInformed { fault = "\(what) before the information" }
  }

  func inform(_ information: LoadingRequests<any Error>.Information) {
    byteCount = information.byteCount
    call("information")
  }

  func answer(_ bytes: Bytes) {
    call("bytes")
    if bytes != SyntheticSource.bytes(next..<next + bytes.count) { fault = "wrong bytes at \(next)" }
    next += bytes.count
  }

  func finish() {
    call("the end")
    hasEnded = true
    end.open()
  }

  func fail(_ error: any Error) {
    fault = "\(error)"
    finish()
  }
}

/// An end that is waited for.
private struct Ended: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func open() { continuation.finish() }
  func wait() async { for await _ in stream {} }
}
