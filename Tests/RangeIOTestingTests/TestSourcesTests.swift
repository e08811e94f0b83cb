import RangeIO
import RangeIOTesting
import Testing

struct TestSourcesTests {
  @Test func `synthetic bytes are those of their offsets, however they are cut`() {
    for range in [0..<0, 0..<1, 3..<29, 7..<8, 8..<16, 1 << 40..<(1 << 40) + 100] {
      let bytes = SyntheticSource.bytes(range, version: 5)
      #expect(Array(bytes) == range.map { SyntheticSource.byte(at: $0, version: 5) })
    }
    #expect(SyntheticSource.bytes(0..<100) != SyntheticSource.bytes(0..<100, version: 1))
    #expect(SyntheticSource.bytes(0..<100) != SyntheticSource.bytes(1..<101))
    #expect(SyntheticSource.bytes(0..<100) != SyntheticSource.bytes(8..<108))
  }

  @Test func `a synthetic source of terabytes is read in place`() async throws {
    let source = SyntheticSource(byteCount: 5 << 40)
    let reader = try await RangeReader(source)
    let range = (5 << 40) - 10..<5 << 40
    #expect(try await reader.read(range) == SyntheticSource.bytes(range))
    #expect((source.readCount, source.bytesRead) == (1, 10))
    await reader.close()
    #expect(source.isClosed)
  }

  @Test func `latency and bandwidth pass on the clock that was given`() async throws {
    let clock = ManualClock()
    let source = SyntheticSource(
      byteCount: 1_000_000, latency: .milliseconds(20), bytesPerSecond: 1e6, time: ReadClock(clock))
    let reader = try await RangeReader(source)
    let read = Task { try await reader.read(0..<100_000) }
    await clock.untilSleepers(1)
    #expect(clock.nextWake?.offset == .milliseconds(120))
    clock.advance(by: .milliseconds(120))
    #expect(try await read.value == SyntheticSource.bytes(0..<100_000))
    await reader.close()
  }

  @Test func `a rewritten synthetic source is another version, a grown one a longer one`() async throws {
    let source = SyntheticSource(byteCount: 100)
    let reader = try await RangeReader(source)
    source.grow(by: 50)
    #expect(try await reader.read(90..<150) == SyntheticSource.bytes(90..<150))
    source.rewrite()
    await #expect { try await reader.read(0..<1) } throws: { ($0 as? ReadError)?.code == .sourceChanged }
    #expect(source.expected(0..<10) == SyntheticSource.bytes(0..<10, version: 1))
    await reader.close()
  }

  @Test func `a gate lets reads go one by one, or fails them`() async throws {
    struct Refused: Error {}
    let gated = GatedSource(SyntheticSource(byteCount: 100))
    let reader = try await RangeReader(gated)
    let first = Task { try await reader.read(0..<1) }
    await gated.arrivals(1)
    let second = Task { try await reader.read(1..<2) }
    await gated.arrivals(2)
    #expect(gated.waitingRanges == [0..<1, 1..<2])
    #expect(gated.releaseNext())
    #expect(try await first.value == SyntheticSource.bytes(0..<1))
    #expect(gated.releaseNext(throwing: Refused()))
    await #expect(throws: Refused.self) { try await second.value }
    #expect(!gated.releaseNext())
    gated.open()
    #expect(try await reader.read(2..<3) == SyntheticSource.bytes(2..<3))
    gated.shut()
    let third = Task { try await reader.read(3..<4) }
    await gated.arrivals(4)
    #expect(gated.waitingRanges == [3..<4])
    gated.open()
    _ = try await third.value
    await reader.close()
  }

  @Test func `a faulty source damages exactly what its plan says`() async throws {
    let faulty = FaultySource(SyntheticSource(byteCount: 100)) { number, range in
      number == 1 && range.lowerBound == 10 ? .damage : nil
    }
    let reader = try await RangeReader(faulty)
    #expect(try await reader.read(10..<20) == SyntheticSource.bytes(10..<20))
    let damaged = Array(try await reader.read(10..<20))
    let whole = Array(SyntheticSource.bytes(10..<20))
    #expect(zip(damaged, whole).filter { $0 != $1 }.count == 1)
    #expect(try await reader.read(10..<20) == SyntheticSource.bytes(10..<20))
    #expect(faulty.readCount == 3)
    await reader.close()
  }
}
