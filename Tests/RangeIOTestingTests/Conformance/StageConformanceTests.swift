import RangeIO
import RangeIOTesting
import Testing

struct StageConformanceTests {
  private let contents = SyntheticSource.bytes(0..<4001)

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func `the stages of the library keep the contract`(seed: UInt64) async throws {
    try await StageConformance.check(contents, seed: seed) { .observing() }
    for fill in [ReadPipeline.CacheFill.block, .exact, .requestedFirst] {
      try await StageConformance.check(contents, seed: seed) {
        ReadPipeline.caching(MemoryStore(limit: .kibibytes(16)), fill: fill, blockSize: .bytes(512))
      }
    }
    try await StageConformance.check(contents, seed: seed) {
      ReadPipeline.caching(MemoryStore(limit: .mebibytes(1)), onSecondRead: true)
    }
  }

  @Test func `a stage that decodes, and one that moves offsets, keep the contract`() async throws {
    let plain = Bytes(contents.map { $0 ^ 0x5A })
    try await StageConformance.check(contents, becomes: plain) { .stage(Unscrambling(key: 0x5A)) }
    try await StageConformance.check(contents, becomes: contents.slice(100..<4001)) {
      .stage(SkippingHeader(count: 100))
    }
  }

  @Test(arguments: OddStage.Fault.allCases) func `each fault of a stage is found`(fault: OddStage.Fault) async {
    let plain = Bytes(contents.map { $0 ^ 0x5A })
    await #expect(throws: StageConformance.Violation.self) {
      try await StageConformance.check(contents, becomes: plain, patience: .seconds(1)) {
        .stage(OddStage(fault: fault))
      }
    }
  }

  @Test func `overRead of below goes no further than a stage that moves offsets, whatever that hands up`() async throws
  {
    try await StageConformance.check(contents, becomes: contents.slice(100..<4001)) {
      .stage(SkippingHeader(count: 100, handsUpSurplus: true))
    }
  }
}

/// Decodes bytes that were XORed with a key.
private struct Unscrambling: ReadStage {
  let key: UInt8
  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    try await next(request).map(request) { _, bytes in Bytes(bytes.map { $0 ^ key }) }
  }
  func describe(_ below: SourceDescription) -> SourceDescription {
    below.deriving("xor:\(key)", byteCount: below.byteCount)
  }
}

/// Hides the first bytes.
private struct SkippingHeader: ReadStage {
  let count: Int
  var handsUpSurplus = false
  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    var below = request
    below.range = moved(request.range)
    below.moreRanges = request.moreRanges.map(moved)
    let response = try await next(below)
    return handsUpSurplus ? response : ReadResponse(response.bytes, moreBytes: response.moreBytes)
  }
  func describe(_ below: SourceDescription) -> SourceDescription {
    below.deriving("skip:\(count)", byteCount: max(0, below.byteCount - count))
  }
  private func moved(_ range: ByteRange) -> ByteRange { range.lowerBound + count..<range.upperBound + count }
}

/// Decodes, and breaks one rule.
struct OddStage: ReadStage {
  enum Fault: CaseIterable, Sendable {
    case ownID, sometimesDerives, unsteady, firstOnly, overRead, wrongByte, cuts, swallowsErrors, detached,
      doesNotDerive
  }
  let fault: Fault

  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    switch fault {
    case .detached:
      // Whoever is cancelled or closed out waits for it all the same.
      return try await Task { try await decoded(request, next) }.value
    case .swallowsErrors:
      do { return try await decoded(request, next) } catch {
        return ReadResponse(
          Bytes(count: request.range.count) { $0.initializeMemory(as: UInt8.self, repeating: 0) },
          moreBytes: request.moreRanges.map { range in
            Bytes(count: range.count) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
          })
      }
    default: return try await decoded(request, next)
    }
  }

  private func decoded(_ request: ReadRequest, _ next: ReadNext) async throws -> ReadResponse {
    var response = try await next(request)
    let key: UInt8 = fault == .wrongByte && request.range.contains(2000) ? 0x5B : 0x5A
    let first = Bytes(response.bytes.map { $0 ^ key })
    let more = response.moreBytes.map { bytes in Bytes(bytes.map { $0 ^ 0x5A }) }
    switch fault {
    case .firstOnly: return ReadResponse(first, moreBytes: response.moreBytes)
    case .overRead:
      response.bytes = first
      response.moreBytes = more
      // Bytes that are not there.
      let end = request.range.upperBound
      let rest = end..<min(end + 8, request.source.byteCount)
      if !rest.isEmpty { response.overRead = [.init(rest, Bytes(repeatElement(0xEE, count: rest.count)))] }
      return response
    case .cuts: return ReadResponse(first.count > 1000 ? first.slice(0..<1000) : first, moreBytes: more)
    default: return ReadResponse(first, moreBytes: more)
    }
  }

  func describe(_ below: SourceDescription) -> SourceDescription {
    switch fault {
    case .ownID: SourceDescription(id: "own", validator: nil, byteCount: below.byteCount)
    case .sometimesDerives where below.byteCount < 2: below
    case .unsteady: below.deriving("xor:\(UInt64.random(in: 0 ... .max))", byteCount: below.byteCount)
    case .doesNotDerive: below
    default: below.deriving("xor", byteCount: below.byteCount)
    }
  }
}
