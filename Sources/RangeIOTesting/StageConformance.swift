public import RangeIO

/// Checks that a `ReadStage` fulfils its contract.
///
/// ```swift
/// @Test func `my stage is a stage`() async throws {
///   try await StageConformance.check(scrambled, becomes: plain) { .stage(Unscrambling(key: 0x5A)) }
/// }
/// ```
///
/// It puts new stages above sources that answer, fail, return too few bytes and hang. It cannot check how a stage
/// changes the time that reads take, which is the purpose of many stages. Test those with ``Simulation``.
public enum StageConformance {
  /// A violation of the contract by a stage.
  public struct Violation: Error, CustomStringConvertible {
    /// The fault of the stage, and the ranges.
    public let description: String
  }

  /// Reads through stages in many ways, and compares every byte.
  ///
  /// - Parameters:
  ///   - below: the contents of the source.
  ///   - above: the contents as seen through the stage. Default: the same.
  ///   - seed: the seed for the random ranges.
  ///   - rounds: the number of random ranges for each way of reading.
  ///   - patience: how long a read may take to end after it is cancelled or its reader is closed, on a busy machine.
  ///   - make: creates a new stage each time: a pipeline of it alone.
  /// - Throws: ``Violation``; any error that `make` throws.
  public static func check(
    _ below: Bytes, becomes above: Bytes? = nil, seed: UInt64 = 1, rounds: Int = 100,
    patience: Duration = .seconds(60), _ make: @Sendable () throws -> ReadPipeline
  ) async throws {
    let above = above ?? below
    var ranges = TestRanges(byteCount: above.count, seed: seed)
    precondition(!above.isEmpty, "a stage is checked with some bytes")
    guard try make().stages.count == 1 else { throw Violation(description: "is not one stage: check each by itself") }
    try checkDescription(try make(), below, above)
    // If the source has all bytes in memory, a stage may answer without a call to its `read`.
    for isReady in [false, true] { try await checkReading(try make(), below, above, &ranges, rounds, isReady) }
    try await checkSurplus(try make(), below, above, ranges.edges + ranges.some(rounds))
    try await checkConcurrent(try make(), below, above, ranges.some(max(rounds, 64)))
    try await checkFaults(make, below, above)
    try await checkCancelled(try make(), below, above, patience)
    try await checkClosed(try make(), below, patience)
  }

  private static func checkDescription(_ stage: ReadPipeline, _ below: Bytes, _ above: Bytes) throws {
    var derives: Set<Bool> = []
    // Small sources too: the size above the stage must not become negative.
    for byteCount in [0, 1, 2, 100, below.count] {
      let source = SourceDescription(id: "source", validator: nil, byteCount: byteCount)
      let (first, second) = (stage.stages[0].describe(source), stage.stages[0].describe(source))
      guard first === source || first.base === source else {
        throw Violation(description: "makes a description up: return `below`, or `below.deriving(…)`")
      }
      guard first.id == second.id, first.byteCount == second.byteCount else {
        throw Violation(description: "describes one source in two ways")
      }
      guard first === source || first.id != source.id else {
        throw Violation(description: "derives a description under the source's own id")
      }
      derives.insert(first !== source)
      if byteCount == below.count, first.byteCount != above.count {
        throw Violation(description: "describes \(first.byteCount) bytes, and makes \(above.count)")
      }
    }
    guard derives.count == 1 else { throw Violation(description: "derives for some sizes and not for others") }
    guard derives.contains(true) || below == above else {
      throw Violation(description: "changes contents, and does not derive a description")
    }
    if let statistics = stage.stages[0].statistics(), statistics.name.isEmpty {
      throw Violation(description: "has statistics without its name")
    }
  }

  private static func checkReading(
    _ stage: ReadPipeline, _ below: Bytes, _ above: Bytes, _ ranges: inout TestRanges, _ rounds: Int,
    _ isReady: Bool
  ) async throws {
    let reader = try await RangeReader(BytesSource(below, isReady: isReady), stage)
    for range in ranges.edges + ranges.some(rounds) {
      try compare(try await answered("a read of \(range)") { try await reader.read(range) }, range, above, "a read")
    }
    var lists = [ranges.edges, ranges.edges.reversed()]
    for _ in 0..<rounds { lists.append(ranges.some(Int.random(in: 2...12, using: &ranges.random))) }
    for list in lists {
      let all = try await answered("a read of \(list.count) ranges") { try await reader.read(list) }
      for (range, bytes) in zip(list, all) { try compare(bytes, range, above, "a read of \(list.count) ranges") }
    }
    let none = try await answered("an empty read") { try await reader.read(0..<0) }
    guard none.isEmpty else { throw Violation(description: "an empty read returns bytes") }
    var position = 0
    for try await piece in reader.stream(0..<above.count, chunkSize: .bytes(997)) {
      try compare(piece, position..<position + piece.count, above, "a stream")
      position += piece.count
    }
    guard position == above.count else {
      throw Violation(description: "a stream ends after \(position) of \(above.count) bytes")
    }
    await reader.close()
  }

  /// The stage must also change the over-read bytes next to the requested ones, or leave them out.
  private static func checkSurplus(
    _ stage: ReadPipeline, _ below: Bytes, _ above: Bytes, _ ranges: [ByteRange]
  ) async throws {
    let watching = SurplusWatching(above)
    let reader = try await RangeReader(
      BytesSource(below),
      [.stage(watching), stage, .stage(SurplusAdding(below))])
    for range in ranges {
      let bytes = try await answered("a read with overRead below") { try await reader.read(range) }
      try compare(bytes, range, above, "a read with overRead below")
    }
    await reader.close()
    if let fault = watching.fault {
      throw Violation(
        description: "hands up overRead that is not what it should be: \(fault). Leave it out, or change it")
    }
  }

  private static func checkConcurrent(
    _ stage: ReadPipeline, _ below: Bytes, _ above: Bytes, _ ranges: [ByteRange]
  ) async throws {
    let reader = try await RangeReader(BytesSource(below), stage)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for range in ranges {
        group.addTask {
          let bytes = try await answered("one of many reads") { try await reader.read(range) }
          try compare(bytes, range, above, "one of many reads")
        }
      }
      try await group.waitForAll()
    }
    await reader.close()
  }

  /// If a source fails or returns too few bytes, the stage never returns a wrong byte, and later reads are not
  /// affected.
  private static func checkFaults(
    _ make: @Sendable () throws -> ReadPipeline, _ below: Bytes, _ above: Bytes
  ) async throws {
    let whole = 0..<above.count
    for fault in [FaultySource<BytesSource>.Fault.fail(Refused()), .short(by: 1), .long(by: 1)] {
      let source = FaultySource(BytesSource(below)) { number, _ in number == 0 ? fault : nil }
      let stage = try make()
      let reader = try await RangeReader(source, stage)
      if let bytes = try? await reader.read(whole) { try compare(bytes, whole, above, "a read above a faulty source") }
      let after = try await answered("a read after a failed one") { try await reader.read(whole) }
      try compare(after, whole, above, "a read after a failed one")
      await reader.close()
    }
  }

  /// A cancelled read ends while the source hangs, and does not affect another read.
  private static func checkCancelled(
    _ stage: ReadPipeline, _ below: Bytes, _ above: Bytes, _ patience: Duration
  ) async throws {
    let source = GatedSource(BytesSource(below))
    let reader = try await RangeReader(source, stage)
    let whole = 0..<above.count
    let read = WatchedRead { try await reader.read(whole) }
    await source.arrivals(1)
    let other = WatchedRead { try await reader.read(whole) }
    read.cancel()
    let ended = await read.ended(within: patience)
    source.open()
    switch ended {
    case .failure(let error) where error is CancellationError: break
    case .failure(let error): throw Violation(description: "a cancelled read throws \(error), not CancellationError")
    case .success: throw Violation(description: "a cancelled read returns bytes while the source hangs")
    case nil: throw Violation(description: "a cancelled read waits for a source that hangs")
    }
    try compare(
      try await answered("a read beside a cancelled one") { try await other.value }, whole, above,
      "a read beside a cancelled one")
    await reader.close()
  }

  /// Closing ends reads in progress while the source hangs.
  private static func checkClosed(_ stage: ReadPipeline, _ below: Bytes, _ patience: Duration) async throws {
    let source = GatedSource(BytesSource(below))
    let reader = try await RangeReader(source, stage)
    let read = WatchedRead { try await reader.read(0..<1) }
    await source.arrivals(1)
    let closing = Task { await reader.close() }
    let ended = await read.ended(within: patience)
    source.open()
    await closing.value
    switch ended {
    case .failure(let error) where (error as? ReadError)?.code == .closed: break
    case .failure(let error):
      throw Violation(description: "a read whose reader is closed throws \(error), not `closed`")
    case .success: throw Violation(description: "a read returns bytes while the source hangs")
    case nil: throw Violation(description: "a read whose reader is closed waits for a source that hangs")
    }
  }

  private static func answered<Value>(_ what: String, _ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch { throw Violation(description: "\(what) throws \(error)") }
  }

  private static func compare(_ bytes: Bytes, _ range: ByteRange, _ contents: Bytes, _ what: String) throws {
    if let fault = TestRanges.difference(bytes, range, contents) {
      throw Violation(description: "\(what) \(fault)")
    }
  }
}

private struct Refused: Error {}

/// A read that can be waited for with a time limit.
private final class WatchedRead: Sendable {
  private let result = Locked<Result<Bytes, any Error>?>(nil)
  private let task = Locked<Task<Bytes, any Error>?>(nil)

  init(_ read: @escaping @Sendable () async throws -> Bytes) {
    let started = Task {
      do {
        let bytes = try await read()
        result.withLock { $0 = .success(bytes) }
        return bytes
      } catch {
        result.withLock { $0 = .failure(error) }
        throw error
      }
    }
    task.withLock { $0 = started }
  }

  func cancel() { task.withLock { $0?.cancel() } }

  /// The result of the read; `nil` if it has not ended.
  func ended(within patience: Duration) async -> Result<Bytes, any Error>? {
    let deadline = ContinuousClock.now.advanced(by: patience)
    while true {
      if let result = result.withLock({ $0 }) { return result }
      if ContinuousClock.now > deadline { return nil }
      await Task.yield()
    }
  }

  var value: Bytes {
    get async throws {
      guard let task = task.withLock({ $0 }) else { throw CancellationError() }
      return try await task.value
    }
  }
}

/// Bytes in memory that never change.
private struct BytesSource: RangeSource {
  private struct Version: SourceDescription.Validator {
    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
      newer is Version ? .same : .other
    }
  }
  private let bytes: Bytes
  private let isReady: Bool

  init(_ bytes: Bytes, isReady: Bool = false) { (self.bytes, self.isReady) = (bytes, isReady) }

  func answer(_ range: ByteRange, of source: SourceDescription) -> ReadAnswer<Bytes> {
    isReady ? .here(bytes.slice(range)) : .later
  }

  func describe() async throws -> SourceDescription {
    SourceDescription(id: "bytes", validator: Version(), byteCount: bytes.count, preferredBlockSize: .kibibytes(4))
  }
  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes { bytes.slice(range) }
}

/// Also returns bytes around each requested range.
private struct SurplusAdding: ReadStage {
  let bytes: Bytes

  init(_ bytes: Bytes) { self.bytes = bytes }

  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    var response = try await next(request)
    guard request.moreRanges.isEmpty else { return response }
    let before = max(0, request.range.lowerBound - 50)..<request.range.lowerBound
    let after = request.range.upperBound..<min(bytes.count, request.range.upperBound + 50)
    response.overRead = [before, after].filter { !$0.isEmpty }.map { RangedBytes($0, bytes.slice($0)) }
    return response
  }
}

/// Compares the over-read bytes that come up.
private final class SurplusWatching: ReadStage {
  private let bytes: Bytes
  private let found = Locked<String?>(nil)

  init(_ bytes: Bytes) { self.bytes = bytes }

  var fault: String? { found.withLock { $0 } }

  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    let response = try await next(request)
    for part in response.overRead {
      let fault =
        part.range.upperBound <= bytes.count
        ? TestRanges.difference(part.bytes, part.range, bytes) : "of \(part.range), beyond the end"
      if let fault { found.withLock { $0 = $0 ?? fault } }
    }
    return response
  }
}
