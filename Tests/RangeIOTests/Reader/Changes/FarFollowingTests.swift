import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Readers and streams that follow a source of which each look costs a round trip.
@Suite(.simulated) struct FarFollowingTests {
  private let simulation = Simulation.current!

  private final class FarSource: RangeSource {
    private struct State {
      var byteCount = 1000
      var looks: [ReadClock.Instant] = []
      var failures = 0
    }
    private struct Size: SourceDescription.Validator {
      let byteCount: Int
      func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
        guard let newer = newer as? Size else { return .other }
        return newer.byteCount == byteCount ? .same : newer.byteCount > byteCount ? .extends : .other
      }
    }
    private let state = Locked(State())
    private let time: ReadClock

    init(_ time: ReadClock) { self.time = time }

    /// When it was looked at, in whole seconds since `start`.
    func looks(since start: ReadClock.Instant) -> [Int] {
      state.withLock { $0.looks.filter { $0 > start }.map { Int(start.duration(to: $0) / .seconds(1)) } }
    }

    func append(_ count: Int) { state.withLock { $0.byteCount += count } }

    /// So many looks fail.
    func fail(_ count: Int) { state.withLock { $0.failures = count } }

    func describe() async throws -> SourceDescription {
      let byteCount = try state.withLock { state in
        state.looks.append(time.now)
        guard state.failures == 0 else {
          state.failures -= 1
          throw ReadError(.inputOutput, "made up: the server is away", isTransient: true)
        }
        return state.byteCount
      }
      return SourceDescription(
        id: "far", validator: Size(byteCount: byteCount), byteCount: byteCount,
        traits: .with {
          ($0.mayGrow, $0.isAppendOnly, $0.answersCancellation) = (true, true, true)
          $0.cost.latency = .milliseconds(50)
        })
    }

    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes { SyntheticSource.bytes(range) }
  }

  private func reader(_ source: FarSource, _ policy: RangeReader.ChangePolicy) async throws -> RangeReader {
    var configuration = simulation.configuration
    configuration.onChange = policy
    let reader = try await RangeReader(source, [], configuration: configuration)
    await quiet()
    return reader
  }

  /// Follows `reader` up to `count` bytes.
  private func follow(
    _ reader: RangeReader, to count: Int, until isOver: (@Sendable () async throws -> Bool)? = nil
  ) -> Task<Int, any Error> {
    start {
      var sum = 0
      for try await piece in reader.stream(following: 0..., until: isOver) {
        guard piece == SyntheticSource.bytes(sum..<sum + piece.count) else { return -1 }
        sum += piece.count
        if sum >= count { break }
      }
      return sum
    }
  }

  @Test
  func
    `a source that rests is looked at after 1, 2, 4 and then every 8 intervals, and at once more often when it grows`()
    async throws
  {
    let time = simulation.configuration.time
    let source = FarSource(time)
    let begin = time.now
    let reader = try await reader(source, .follow)
    try await simulation.clock.sleep(for: .milliseconds(40_500))
    await quiet()
    #expect(source.looks(since: begin) == [1, 3, 7, 15, 23, 31, 39])
    source.append(100)
    try await simulation.clock.sleep(for: .milliseconds(11_000))
    await quiet()
    #expect(source.looks(since: begin).dropFirst(7) == [47, 48, 50])
    #expect(reader.byteCount == 1100)
    await reader.close()
  }

  @Test func `streams that follow add no looks to those of their reader`() async throws {
    let time = simulation.configuration.time
    let source = FarSource(time)
    let begin = time.now
    let reader = try await reader(source, .follow)
    let streams = (0..<50).map { _ in follow(reader, to: 1500) }
    try await simulation.clock.sleep(for: .milliseconds(40_500))
    await quiet()
    let looks = source.looks(since: begin).count
    #expect(looks <= 14, "\(looks)")
    source.append(500)
    for stream in streams { #expect(try await stream.value == 1500) }
    await reader.close()
  }

  @Test func `whether it is over is asked once in each interval, though it is looked at less often`() async throws {
    let time = simulation.configuration.time
    let source = FarSource(time)
    let begin = time.now
    let reader = try await reader(source, .fail)
    let asked = Locked(0)
    let stream = follow(reader, to: .max) {
      asked.withLock { asked in
        asked += 1
        return asked >= 40
      }
    }
    #expect(try await stream.value == 1000)
    let seconds = Int(begin.duration(to: time.now) / .seconds(1))
    #expect((37...42).contains(seconds), "\(seconds)")
    let looks = source.looks(since: begin).count
    #expect(looks <= 10, "\(looks)")
    await reader.close()
  }

  @Test func `a stream that waits takes what is appended, and is cancelled at once`() async throws {
    let source = FarSource(simulation.configuration.time)
    let reader = try await reader(source, .follow)
    let stream = follow(reader, to: .max)
    try await simulation.clock.sleep(for: .seconds(20))
    source.append(500)
    try await simulation.clock.sleep(for: .seconds(10))
    #expect(reader.byteCount == 1500)
    let before = simulation.clock.now
    stream.cancel()
    await #expect(throws: CancellationError.self) { try await stream.value }
    #expect(simulation.clock.now == before)
    await reader.close()
  }

  @Test func `a server that is away for a while does not end a stream, one that stays away does`() async throws {
    let source = FarSource(simulation.configuration.time)
    let reader = try await reader(source, .fail)
    let stream = follow(reader, to: 1500)
    source.fail(8)
    try await simulation.clock.sleep(for: .seconds(100))
    source.append(500)
    #expect(try await stream.value == 1500)
    let other = follow(reader, to: 2000)
    await quiet()
    source.fail(100)
    let error = await #expect(throws: ReadError.self) { try await other.value }
    #expect(error?.code == .inputOutput)
    await reader.close()
  }
}
