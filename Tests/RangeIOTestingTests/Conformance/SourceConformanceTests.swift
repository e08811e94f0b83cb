import RangeIO
import RangeIOTesting
import Synchronization
import Testing

struct SourceConformanceTests {
  private let contents = SyntheticSource.bytes(0..<20_001)

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func `a synthetic source keeps the contract`(seed: UInt64) async throws {
    try await SourceConformance.check(of: contents, seed: seed) { SyntheticSource(byteCount: 20_001) }
    let source = SyntheticSource(byteCount: 20_001)
    try await SourceConformance.checkVersions(of: contents, source) {
      source.grow(by: 100)
      return SyntheticSource.bytes(0..<20_101)
    } replace: {
      source.rewrite()
      return source.expected(0..<20_101)
    }
  }

  @Test(arguments: [0, 1, 2, 20_001]) func `the shortest source keeps the contract`(count: Int) async throws {
    let contents = SyntheticSource.bytes(0..<count)
    try await SourceConformance.check(of: contents) { FaultySource(MemorySource(bytes: contents)) { _, _ in nil } }
    try await SourceConformance.check(of: contents) { MemorySource(bytes: contents) }
  }

  /// Checks a source with a fault, and returns what was found.
  private func finding(
    _ plan: @escaping FaultySource<MemorySource>.Plan
  ) async -> String? {
    do {
      try await SourceConformance.check(of: contents) { FaultySource(MemorySource(bytes: contents), plan) }
      return nil
    } catch {
      return (error as? SourceConformance.Violation)?.description
    }
  }

  @Test func `wrong counts, wrong bytes and errors are found`() async {
    struct Refused: Error {}
    #expect(await finding { number, _ in number == 0 ? .short(by: 1) : nil } != nil)
    #expect(await finding { number, _ in number == 3 ? .long(by: 1) : nil } != nil)
    #expect(await finding { number, _ in number == 50 ? .damage : nil } != nil)
    #expect(await finding { _, range in range.upperBound == 20_001 ? .damage : nil } != nil)
    #expect(await finding { _, range in range.count == 1 ? .fail(Refused()) : nil } != nil)
    // Only what several tasks see.
    #expect(await finding { number, _ in number > 700 ? .damage : nil } != nil)
  }

  @Test(arguments: Odd.Fault.allCases) func `each fault of a description or a source is found`(fault: Odd.Fault) async {
    await #expect(throws: SourceConformance.Violation.self) {
      try await SourceConformance.check(of: contents) { Odd(contents, fault) }
    }
  }

  @Test func `a source that keeps answering for a version that is gone is found`() async {
    let source = Odd(contents, .none)
    await #expect(throws: SourceConformance.Violation.self) {
      try await SourceConformance.checkVersions(of: contents, source) { SyntheticSource.bytes(0..<10, version: 1) }
    }
  }
}

/// Bytes in memory.
struct MemorySource: RangeSource {
  let bytes: Bytes
  func describe() async throws -> SourceDescription {
    SourceDescription(id: "memory", validator: nil, byteCount: bytes.count)
  }
  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes { bytes.slice(range) }
}

/// A source that breaks one rule.
final class Odd: RangeSource {
  enum Fault: CaseIterable, Sendable {
    static let allCases: [Fault] = [
      .otherID, .otherVersion, .believesAnything, .otherForm, .size, .order, .pieces, .answer, .cancellation,
      .overwrites,
    ]
    case none, otherID, otherVersion, believesAnything, otherForm, size, order, pieces, answer, cancellation, overwrites
  }
  struct Version: SourceDescription.Validator {
    let number: Int
    let fault: Fault
    var persistentForm: [UInt8]? { fault == .otherForm ? [UInt8(truncatingIfNeeded: number)] : [1] }
    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
      if fault == .believesAnything { return .same }
      return (newer as? Version).map { fault != .otherVersion || $0.number == number } == true ? .same : .other
    }
  }

  private let contents: Bytes
  private let fault: Fault
  private let looks = Atomic<Int>(0)
  /// Memory that is written over by the next read.
  private let shared: Shared

  init(_ contents: Bytes, _ fault: Fault) {
    (self.contents, self.fault) = (contents, fault)
    shared = Shared(contents.count)
  }

  func describe() async throws -> SourceDescription {
    let number = looks.wrappingAdd(1, ordering: .relaxed).newValue
    var traits = SourceDescription.Traits()
    traits.mayGrow = true
    return SourceDescription(
      id: fault == .otherID ? "odd \(number)" : "odd", validator: Version(number: number, fault: fault),
      byteCount: contents.count + (fault == .size ? 1 : 0), traits: traits)
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    if fault == .cancellation, Task.isCancelled { throw ReadError(.inputOutput, "gone") }
    guard fault == .overwrites else { return contents.slice(range) }
    return shared.fill(contents.slice(range))
  }

  func read(_ ranges: [ByteRange], of source: SourceDescription) async throws -> [Bytes] {
    let all = ranges.map { contents.slice($0) }
    if fault == .pieces { return [Bytes(concatenating: all)] }
    return fault == .order ? all.reversed() : all
  }

  func answer(_ range: ByteRange, of source: SourceDescription) -> ReadAnswer<Bytes> {
    fault == .answer && range.lowerBound > 0
      ? .here(contents.slice(range.lowerBound - 1..<range.upperBound - 1)) : .later
  }

  /// Hands the same memory out again and again.
  private final class Shared: @unchecked Sendable {
    // Unchecked: wrong on purpose; the suite reads one after the other until it has found that.
    private let memory: UnsafeMutableRawBufferPointer

    init(_ count: Int) { memory = .allocate(byteCount: count, alignment: 1) }
    deinit { memory.deallocate() }

    func fill(_ bytes: Bytes) -> Bytes {
      bytes.copyBytes(to: memory)
      return Bytes(unsafeNoCopy: UnsafeRawBufferPointer(rebasing: memory[..<bytes.count]), owner: self)
    }
  }
}
