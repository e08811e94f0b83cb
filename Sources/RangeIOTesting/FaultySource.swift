public import RangeIO

/// A source that fails on purpose, at reads of your choice.
public final class FaultySource<Base: RangeSource>: RangeSource {
  /// A fault in one read.
  @nonexhaustive
  public enum Fault: Sendable {
    /// The read throws this error.
    case fail(any Error)
    /// The read returns this many bytes too few.
    case short(by: Int)
    /// The read returns this many bytes too many.
    case long(by: Int)
    /// The read returns the right number of bytes, but one of them is wrong.
    case damage
  }

  /// Decides which fault a read has, by its number (counted from zero) and its range. `nil`: none.
  public typealias Plan = @Sendable (_ number: Int, _ range: ByteRange) -> Fault?

  private let base: Base
  private let plan: Plan
  private let count = Locked(0)

  /// Creates a source that reads from `base`, with the faults that `plan` decides.
  public init(_ base: Base, _ plan: @escaping Plan) {
    self.base = base
    self.plan = plan
  }

  /// The number of reads so far.
  public var readCount: Int { count.withLock { $0 } }

  /// The description of the base.
  public nonisolated(nonsending) func describe() async throws -> SourceDescription { try await base.describe() }

  /// The bytes that the base reads, changed as the plan decides.
  public nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    let number = count.withLock { count in
      defer { count += 1 }
      return count
    }
    guard let fault = plan(number, range) else { return try await base.read(range, of: source) }
    if case .fail(let error) = fault { throw error }
    let bytes = try await base.read(range, of: source)
    switch fault {
    case .fail: return bytes
    case .short(let count): return bytes.slice(0..<Swift.max(0, bytes.count - count))
    case .long(let count): return Bytes(concatenating: [bytes, Bytes(repeatElement(0, count: count))])
    case .damage:
      var copy = Array(bytes)
      copy[copy.count / 2] ^= 0xFF
      return Bytes(copy)
    }
  }

  /// Closes the base.
  public nonisolated(nonsending) func close() async { await base.close() }
}
