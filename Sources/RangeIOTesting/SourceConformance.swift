public import RangeIO

/// Checks that a `RangeSource` fulfils its contract.
///
/// ```swift
/// @Test func `my source is a source`() async throws {
///   try await SourceConformance.check(of: contents) { MySource(contents) }
/// }
/// ```
///
/// It tests the source directly and through a reader. It cannot check how long a caller waits for a device that hangs,
/// after it is cancelled or its reader is closed, nor what is left behind. A source that never answers makes the check
/// wait for ever, so give the test a time limit.
public enum SourceConformance {
  /// A violation of the contract by a source.
  public struct Violation: Error, CustomStringConvertible {
    /// The fault of the source, and the ranges.
    public let description: String
  }

  /// Reads sources with the same contents in many ways, and compares every byte.
  ///
  /// - Parameters:
  ///   - contents: the bytes that the source must return. Some thousands of bytes find more errors than a few.
  ///   - seed: the seed for the random ranges.
  ///   - rounds: the number of random ranges for each way of reading.
  ///   - make: creates a new source with the same contents each time.
  /// - Throws: ``Violation``; any error that `make` throws.
  public static func check<Source: RangeSource>(
    of contents: Bytes, seed: UInt64 = 1, rounds: Int = 100, _ make: @Sendable () async throws -> Source
  ) async throws {
    var ranges = TestRanges(byteCount: contents.count, seed: seed)
    let source = try await make()
    let description = try await checkDescription(source, contents)
    var kept: [(range: ByteRange, bytes: Bytes)] = []
    if !contents.isEmpty {
      kept = try await checkRanges(source, description, contents, ranges.edges + ranges.some(rounds))
      try await checkSeveral(source, description, contents, &ranges, rounds)
      try checkAnswers(source, description, contents, ranges.edges + ranges.some(rounds))
      try await checkConcurrent(source, description, contents, ranges.some(max(rounds, 64)))
      try await checkCancelled(source, description, contents)
    }
    await source.close()
    for (range, bytes) in kept where bytes != contents.slice(range) {
      throw Violation(description: "bytes of \(range) did not stay what they were when the source was closed")
    }
    try await checkReader(try await make(), contents, ranges.some(max(rounds, 64)))
    try await checkClosing(try await make(), contents, ranges.some(64))
  }

  private static func checkDescription(_ source: some RangeSource, _ contents: Bytes) async throws -> SourceDescription
  {
    let first = try await described(source)
    let second = try await described(source)
    guard first.byteCount == contents.count else {
      throw Violation(description: "describes \(first.byteCount) bytes, and has \(contents.count)")
    }
    guard first.id == second.id, first.byteCount == second.byteCount else {
      throw Violation(description: "describes itself otherwise when asked again, without having changed")
    }
    guard let validator = first.validator else { return first }
    guard let again = second.validator, validator.change(to: again) == .same, again.change(to: validator) == .same
    else {
      throw Violation(description: "takes its own version for another when asked again, without having changed")
    }
    guard validator.change(to: ForeignValidator()) == .other else {
      throw Violation(description: "takes a validator of another type for one of its own")
    }
    guard validator.persistentForm == again.persistentForm, validator.persistentForm?.count ?? 0 <= 4096 else {
      throw Violation(description: "the persistent form of one version varies, or has more than 4,096 bytes")
    }
    return first
  }

  private static func described(_ source: some RangeSource) async throws -> SourceDescription {
    do { return try await source.describe() } catch { throw Violation(description: "describe() throws \(error)") }
  }

  private static func checkRanges(
    _ source: some RangeSource, _ description: SourceDescription, _ contents: Bytes, _ ranges: [ByteRange]
  ) async throws -> [(range: ByteRange, bytes: Bytes)] {
    var all: [(range: ByteRange, bytes: Bytes)] = []
    for range in ranges {
      let bytes = try await answered("a read of \(range)") { try await source.read(range, of: description) }
      try compare(bytes, range, contents, "a read")
      all.append((range, bytes))
    }
    for (range, bytes) in all { try compare(bytes, range, contents, "what a read returned, after other reads,") }
    return all
  }

  private static func checkSeveral(
    _ source: some RangeSource, _ description: SourceDescription, _ contents: Bytes, _ ranges: inout TestRanges,
    _ rounds: Int
  ) async throws {
    var lists = [[ranges.edges[0]], ranges.edges, ranges.edges.reversed(), Array(ranges.edges + ranges.edges)]
    for _ in 0..<rounds { lists.append(ranges.some(Int.random(in: 1...12, using: &ranges.random))) }
    // As a cache asks for its blocks.
    for (index, range) in (ranges.edges + ranges.some(rounds)).enumerated() {
      guard let grid = BlockGrid(blockSize: index % 2 == 0 ? 512 : description.preferredBlockSize.bytes) else {
        continue
      }
      lists.append(grid.pieces(of: range).map(\.range))
    }
    for list in lists {
      let all = try await answered("a read of \(list)") { try await source.read(list, of: description) }
      guard all.count == list.count else {
        throw Violation(description: "\(all.count) answers to \(list.count) ranges")
      }
      for (range, bytes) in zip(list, all) { try compare(bytes, range, contents, "a read of \(list.count) ranges") }
    }
  }

  private static func checkAnswers(
    _ source: some RangeSource, _ description: SourceDescription, _ contents: Bytes, _ ranges: [ByteRange]
  ) throws {
    for range in ranges {
      if case .here(let bytes) = source.answer(range, of: description) {
        try compare(bytes, range, contents, "an answer")
      }
    }
  }

  private static func checkConcurrent(
    _ source: some RangeSource, _ description: SourceDescription, _ contents: Bytes, _ ranges: [ByteRange]
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for range in ranges {
        group.addTask {
          let bytes = try await answered("one of many reads") { try await source.read(range, of: description) }
          try compare(bytes, range, contents, "one of many reads")
        }
      }
      try await group.waitForAll()
    }
  }

  /// A cancelled task gets the right bytes or `CancellationError`, and does not affect later reads.
  private static func checkCancelled(
    _ source: some RangeSource, _ description: SourceDescription, _ contents: Bytes
  ) async throws {
    let whole = 0..<contents.count
    let task = Task { () async throws -> Bytes in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await source.read(whole, of: description)
    }
    switch await task.result {
    case .success(let bytes): try compare(bytes, whole, contents, "a read in a cancelled task")
    case .failure(let error):
      guard error is CancellationError else {
        throw Violation(description: "a read in a cancelled task throws \(error) instead of CancellationError")
      }
    }
    let after = try await answered("a read after a cancelled one") { try await source.read(whole, of: description) }
    try compare(after, whole, contents, "a read after a cancelled one")
  }

  /// Reads through a reader.
  private static func checkReader(_ source: some RangeSource, _ contents: Bytes, _ ranges: [ByteRange]) async throws {
    let reader = try await answered("opening a reader") { try await RangeReader(source) }
    guard reader.byteCount == contents.count else {
      throw Violation(description: "a reader finds \(reader.byteCount) bytes, not \(contents.count)")
    }
    for range in [0..<0, contents.count..<contents.count] {
      let none = try await answered("an empty read") { try await reader.read(range) }
      guard none.isEmpty else { throw Violation(description: "an empty read returns bytes") }
    }
    var position = 0
    for try await piece in reader.stream(0..<contents.count, chunkSize: .bytes(997)) {
      try compare(piece, position..<position + piece.count, contents, "a stream")
      position += piece.count
    }
    guard position == contents.count else {
      throw Violation(description: "a stream ends after \(position) of \(contents.count) bytes")
    }
    if !contents.isEmpty {
      let all = try await answered("several ranges of a reader") { try await reader.read(ranges) }
      for (range, bytes) in zip(ranges, all) { try compare(bytes, range, contents, "one of several ranges") }
    }
    do {
      _ = try await reader.read(contents.count..<contents.count + 1)
      throw Violation(description: "a reader reads beyond the end")
    } catch let error as ReadError where error.code == .rangeNotSatisfiable {}
    await reader.close()
  }

  /// If the reader is closed during a read, the read returns bytes or throws `closed`, and closing ends.
  private static func checkClosing(_ source: some RangeSource, _ contents: Bytes, _ ranges: [ByteRange]) async throws {
    let reader = try await answered("opening a reader") { try await RangeReader(source) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      if !contents.isEmpty {
        for range in ranges {
          group.addTask {
            do {
              try compare(try await reader.read(range), range, contents, "a read while the reader is closed")
            } catch let error as ReadError where error.code == .closed {}
          }
        }
      }
      group.addTask { await reader.close() }
      try await group.waitForAll()
    }
    do {
      _ = try await reader.read(0..<contents.count)
      throw Violation(description: "a reader that is closed reads on")
    } catch let error as ReadError where error.code == .closed {}
  }
}

// MARK: versions

extension SourceConformance {
  /// Changes the data behind a source, and checks that the source reports it.
  ///
  /// - Parameters:
  ///   - contents: the bytes that the source must return at first.
  ///   - source: the source to check.
  ///   - grow: appends to the data, and returns all of it. `nil` for a source that cannot grow.
  ///   - replace: replaces the data, and returns the new data. They may be as long as before.
  /// - Throws: ``Violation``; any error that the closures throw.
  public static func checkVersions(
    of contents: Bytes, _ source: some RangeSource, grow: (() async throws -> Bytes)? = nil,
    replace: () async throws -> Bytes
  ) async throws {
    var contents = contents
    var description = try await settled(source)
    if let grow {
      let longer = try await grow()
      precondition(longer.count > contents.count && longer.slice(0..<contents.count) == contents, "that is no growth")
      let now = try await settled(source)
      guard description.mayGrow, description.change(to: now) == .extends, now.byteCount == longer.count else {
        throw Violation(description: "has grown from \(contents.count) to \(longer.count) bytes, and does not say so")
      }
      for (asked, version) in [(0..<contents.count, description), (0..<longer.count, now)] where !asked.isEmpty {
        let bytes = try await answered("a read after it grew") { try await source.read(asked, of: version) }
        try compare(bytes, asked, longer, "a read after it grew")
      }
      (contents, description) = (longer, now)
    }
    let other = try await replace()
    precondition(other != contents, "that is the same")
    try await expectChanged("a read") { _ = try await source.read(0..<contents.count, of: description) }
    try await expectChanged("a read of several ranges") {
      _ = try await source.read([0..<1, 0..<contents.count], of: description)
    }
    if case .here = source.answer(0..<contents.count, of: description) {
      throw Violation(description: "`answer` answers for a version that is gone")
    }
    await source.close()
  }

  /// A description whose version must differ after another change.
  private static func settled(_ source: some RangeSource) async throws -> SourceDescription {
    while true {
      let description = try await described(source)
      if description.isSettled { return description }
      await Task.yield()
    }
  }

  private static func expectChanged(_ what: String, _ body: () async throws -> Void) async throws {
    do { try await body() } catch let error as ReadError where error.code == .sourceChanged { return } catch {
      throw Violation(description: "\(what) of a version that is gone throws \(error) instead of sourceChanged")
    }
    throw Violation(description: "\(what) of a version that is gone answers")
  }
}

// MARK: comparing

extension SourceConformance {
  private static func answered<Value>(_ what: String, _ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch { throw Violation(description: "\(what) throws \(error)") }
  }

  private static func compare(_ bytes: Bytes, _ range: ByteRange, _ contents: Bytes, _ what: String) throws {
    if let fault = TestRanges.difference(bytes, range, contents) {
      throw Violation(description: "\(what) \(fault)")
    }
  }

  private struct ForeignValidator: SourceDescription.Validator {
    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change { .other }
  }
}
