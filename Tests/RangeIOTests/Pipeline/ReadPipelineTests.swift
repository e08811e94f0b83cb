import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Returns pieces whose sum is right.
private struct ShiftingSource: RangeSource {
  let counts: [Int]

  func describe() async throws -> SourceDescription {
    SourceDescription(id: "shifting", validator: nil, byteCount: 12_288, preferredBlockSize: .kibibytes(4))
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    Bytes([UInt8](repeating: 0, count: range.count))
  }

  func read(_ ranges: [ByteRange], of source: SourceDescription) async throws -> [Bytes] {
    counts.map { Bytes([UInt8](repeating: 1, count: $0)) }
  }

  func close() async {}
}

@Suite struct ReadPipelineTests {
  private let notes = Noted<NotingStage.Seen>()
  private let content: [UInt8] = Array(0..<100)

  private func stage(_ name: String, placement: ReadPipeline.Placement = .anywhere, header: Int? = nil) -> NotingStage {
    NotingStage(name: name, notes: notes, placement: placement, header: header)
  }

  private func names(_ pipeline: ReadPipeline) -> [String] { pipeline.stages.compactMap { ($0 as? NotingStage)?.name } }

  @Test(arguments: [[4095, 4097, 4096], [8192, 4096], [4096, 4096, 4096, 0], [4096, 4096, 4095], []])
  func `pieces of a source are counted each for itself`(counts: [Int]) async throws {
    let reader = try await RangeReader(
      ShiftingSource(counts: counts), [.caching(MemoryStore(limit: .mebibytes(1)), fill: .exact)])
    await #expect { _ = try await reader.read(0..<12_288) } throws: { ($0 as? ReadError)?.code == .invalidResponse }
    await reader.close()
    let right = try await RangeReader(
      ShiftingSource(counts: [4096, 4096, 4096]), [.caching(MemoryStore(limit: .mebibytes(1)), fill: .exact)])
    #expect(try await right.read(0..<12_288) == Bytes([UInt8](repeating: 1, count: 12_288)))
    await right.close()
  }

  // MARK: the list

  @Test func `a list takes stages, optionals, branches, collections and other pipelines in order`() {
    func build(_ flag: Bool, _ maybe: NotingStage?, _ count: Int) -> [String] {
      let inner: ReadPipeline = [.stage(stage("inner"))]
      return names([
        .stage(stage("first")), flag ? .stage(stage("if")) : [], flag ? .stage(stage("yes")) : .stage(stage("no")),
        maybe.map { .stage($0) } ?? [], (0..<count).reduce([]) { [$0, .stage(stage("loop \($1)"))] }, inner,
      ])
    }
    #expect(build(true, stage("maybe"), 2) == ["first", "if", "yes", "maybe", "loop 0", "loop 1", "inner"])
    #expect(build(false, nil, 0) == ["first", "no", "inner"])
    #expect(names([]) == [])
  }

  // MARK: order

  @Test func `a read passes the stages from the top down`() async throws {
    let source = ContentSource(content)
    let reader = try await RangeReader(source, [.stage(stage("a")), .stage(stage("b")), .stage(stage("c"))])
    #expect(Array(try await reader.read(10..<20)) == Array(10..<20))
    #expect(notes.all.map(\.stage) == ["a", "b", "c"])
    #expect(notes.all.allSatisfy { $0.range == 10..<20 && $0.source == "content" })
    #expect(source.requests == [.init(ranges: [10..<20], id: "content")])
  }

  @Test func `an order that works is accepted`() async throws {
    let reader = try await RangeReader(
      ContentSource(content),
      [
        .stage(stage("x")), .stage(stage("ahead", placement: .aboveCaching)), .stage(stage("y")),
        .stage(stage("cache", placement: .caching)),
        .stage(stage("retry", placement: .belowCaching)), .stage(stage("limit", placement: .belowCaching)),
        .stage(stage("z")),
      ])
    #expect(try await reader.read(0..<1).count == 1)
  }

  @Test(
    .simulated,
    arguments: [
      [ReadPipeline.Placement.caching, .aboveCaching], [.belowCaching, .caching], [.belowCaching, .aboveCaching],
      [.aboveCaching, .caching, .anywhere, .aboveCaching], [.caching, .belowCaching, .caching],
    ])
  func `an order that cannot work is refused, and the source is closed`(placements: [ReadPipeline.Placement])
    async throws
  {
    let source = ContentSource(content)
    let stages = placements.map { stage("s", placement: $0) }
    let error = await #expect(throws: ReadError.self) {
      try await RangeReader(source, ReadPipeline(stages: stages))
    }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message.contains("belongs above") == true)
    await quiet()
    #expect(source.closeCount == 1)
  }

  // MARK: descriptions

  @Test func `each stage sees the source as those below it make it, and the source sees its own`() async throws {
    let source = ContentSource(content)
    let reader = try await RangeReader(
      source,
      [
        .stage(stage("top")), .stage(stage("outer", header: 10)), .stage(stage("middle")),
        .stage(stage("inner", header: 5)), .stage(stage("bottom")),
      ])
    #expect(reader.byteCount == 85)
    #expect(reader.source.id == "content|skip:5|skip:10")
    #expect(Array(try await reader.read(0..<3)) == [15, 16, 17])
    typealias Seen = NotingStage.Seen
    let both = "content|skip:5|skip:10"
    #expect(
      notes.all == [
        Seen(stage: "top", range: 0..<3, moreRanges: [], source: both, byteCount: 85),
        Seen(stage: "outer", range: 0..<3, moreRanges: [], source: both, byteCount: 85),
        Seen(stage: "middle", range: 10..<13, moreRanges: [], source: "content|skip:5", byteCount: 95),
        Seen(stage: "inner", range: 10..<13, moreRanges: [], source: "content|skip:5", byteCount: 95),
        Seen(stage: "bottom", range: 15..<18, moreRanges: [], source: "content", byteCount: 100),
      ])
    #expect(source.requests == [.init(ranges: [15..<18], id: "content")])
    await #expect(throws: ReadError.self) { try await reader.read(80..<86) }
  }

  @Test func `a stage that makes up a description is refused`() async {
    struct MakingUp: ReadStage {
      func describe(_ below: SourceDescription) -> SourceDescription {
        SourceDescription(id: "other", validator: nil, byteCount: 1)
      }
      func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse { try await next(request) }
    }
    let error = await #expect(throws: ReadError.self) {
      try await RangeReader(ContentSource([1, 2, 3]), [.stage(MakingUp())])
    }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message.contains("MakingUp") == true)
  }

  // MARK: closing

  @Test func `closing closes each stage and the source once`() async throws {
    let source = ContentSource(content)
    let stages = [stage("a"), stage("b")]
    let reader = try await RangeReader(source, ReadPipeline(stages: stages))
    await reader.close()
    await reader.close()
    #expect(stages.map { $0.closings.all } == [["a"], ["b"]])
    #expect(source.closeCount == 1)
  }
}
