import RangeIOTesting
import RangeIOTraces
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite(.simulated) struct ReadTraceTests {
  private let disk = SimulatedDisk()

  private func newTrace(_ path: FilePath = "/reads.rrt") async throws -> ReadTrace {
    try await ReadTrace(path, disk: disk.newProcess(), work: .tasks(BackgroundWork()))
  }

  private func contents(_ path: FilePath = "/reads.rrt") throws -> RangeTrace {
    try RangeTrace(Bytes(try #require(disk.contents(of: path))))
  }

  @Test func `hits, misses and failed reads are recorded in their order, and closing the reader writes them`()
    async throws
  {
    let trace = try await newTrace()
    let reader = try await RangeReader(
      SyntheticSource(byteCount: 100_000),
      [.observing(Observing(trace)), .caching(MemoryStore(limit: .mebibytes(1)), blockSize: .kibibytes(4))])
    let reads = [0..<10, 5..<9, 70_000..<80_000, 0..<10, 8192..<8193]
    for range in reads.prefix(3) { _ = try await reader.read(range) }
    _ = try await reader.read([0..<10, 8192..<8193])
    #expect(trace.statistics()["recorded"] == 5)
    #expect(reader.statistics().stages.first?["recorded"] == 5)
    await reader.close()
    #expect(try contents().requests == reads)
    try await trace.close()
    #expect(try contents() == RangeTrace(requests: reads, byteCount: 80_000))
    let header = try #require(disk.contents(of: "/reads.rrt"))
    #expect(header[8] == 5 && header[16..<18] == [0x80, 0x38])
  }

  @Test func `reads that a source fails are recorded as well`() async throws {
    let trace = try await newTrace()
    let source = ContentSource(Array(0..<100)) { _, _ in throw Refusal.no }
    let reader = try await RangeReader(source, [.observing(Observing(trace))])
    await #expect(throws: Refusal.no) { try await reader.read(3..<7) }
    await reader.close()
    try await trace.close()
    #expect(try contents().requests == [3..<7])
  }

  @Test func `a hit that needs no waiting is recorded once`() async throws {
    let trace = try await newTrace()
    let reader = try await RangeReader(
      SyntheticSource(byteCount: 100_000),
      [.observing(Observing(trace)), .caching(MemoryStore(limit: .mebibytes(1)))])
    _ = try await reader.read(0..<10)
    #expect(reader.cached(2..<4) != nil)
    #expect(reader.cached(90_000..<90_001) == nil)
    await reader.close()
    try await trace.close()
    // What is not there is not read.
    #expect(try contents().requests == [0..<10, 2..<4])
  }

  @Test func `several sources and stages share a trace`() async throws {
    let trace = try await newTrace()
    let readers = [
      try await RangeReader(ContentSource([1, 2, 3]), [.observing(Observing(trace))]),
      try await RangeReader(SyntheticSource(byteCount: 1000), [.observing(Observing(trace))]),
    ]
    for round in 0..<3 { for reader in readers { _ = try await reader.read(round..<3) } }
    for reader in readers { await reader.close() }
    try await trace.close()
    let place = 1 << 40
    #expect(
      try contents().requests == [0..<3, place..<place + 3, 1..<3, place + 1..<place + 3, 2..<3, place + 2..<place + 3])
  }

  @Test func `a program that is killed leaves a trace of what was written`() async throws {
    let trace = try await newTrace()
    let source = SourceDescription(id: "a", validator: nil, byteCount: 1 << 30)
    let now = ReadClock.continuous.now
    for number in 0..<TraceBuffer.capacity / 2 {
      trace.record(ReadRequest(number..<number + 2, of: source), at: now)
    }
    await quiet()
    for number in 0..<10 { trace.record(ReadRequest(number..<number + 2, of: source), at: now) }
    // Not closed: the file is what a kill leaves.
    let left = try contents()
    #expect(left.requests == (0..<TraceBuffer.capacity / 2).map { $0..<$0 + 2 })
    #expect(trace.statistics()["recorded"] == TraceBuffer.capacity / 2 + 10)
    try await trace.close()
    #expect(try contents().requests.count == TraceBuffer.capacity / 2 + 10)
  }

  @Test func `a disk that fails ends the recording, not the reads`() async throws {
    let trace = try await newTrace()
    let reader = try await RangeReader(SyntheticSource(byteCount: 1000), [.observing(Observing(trace))])
    _ = try await reader.read(0..<10)
    disk.faults = .on(.write, number: 0, .tear(after: 1, .noSpace))
    await trace.flush()
    disk.faults = .none
    #expect(try await reader.read(5..<15).count == 10)
    #expect(trace.statistics()["recorded"] == 0 && trace.statistics()["not recorded"] == 2)
    await reader.close()
    let error = await #expect(throws: ReadError.self) { try await trace.close() }
    #expect(error?.code == .resourcesExhausted && error?.message.contains("trace") == true)
    // The torn read does not count.
    #expect(try contents().requests.isEmpty)
  }

  @Test func `nothing is recorded after closing, and closing again does nothing`() async throws {
    let trace = try await newTrace()
    let reader = try await RangeReader(SyntheticSource(byteCount: 1000), [.observing(Observing(trace))])
    _ = try await reader.read(0..<10)
    try await trace.close()
    _ = try await reader.read(0..<20)
    try await trace.close()
    await reader.close()
    #expect(try contents().requests == [0..<10])
    #expect(trace.statistics()["recorded"] == 1 && trace.statistics()["not recorded"] == 0)
  }

  @Test func `a trace replaces no file, and needs a name`() async throws {
    let trace = try await newTrace()
    try await trace.close()
    for (path, code) in [
      ("/reads.rrt", ReadError.Code.unsupportedSource), ("/none/reads.rrt", .notFound), ("/", .unsupportedSource),
      ("", .notFound),
    ] {
      let error = await #expect(throws: ReadError.self) { try await newTrace(FilePath(path)) }
      #expect(error?.code == code, "\(path): \(String(describing: error))")
    }
  }
}
