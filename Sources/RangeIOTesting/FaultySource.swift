public import RangeIO

/// A source that goes wrong on purpose, at reads of your choice.
public final class FaultySource<Base: RangeSource>: RangeSource {
  /// What happens to one read.
  public enum Fault: Sendable {
    /// It throws this error.
    case fail(any Error)
    /// It returns this many bytes too few.
    case short(by: Int)
    /// It returns this many bytes too many.
    case long(by: Int)
    /// It returns the right number of bytes, of which one is wrong.
    case damage
  }

  /// Decides what goes wrong with a read: its number, counted from zero, and its range. `nil`: nothing.
  public typealias Plan = @Sendable (_ number: Int, _ range: ByteRange) -> Fault?

  private let base: Base
  private let plan: Plan
  private let count = Locked(0)

  /// `base`, with what `plan` decides.
  public init(_ base: Base, _ plan: @escaping Plan) {
    self.base = base
    self.plan = plan
  }

  /// Reads so far.
  public var readCount: Int { count.withLock { $0 } }

  /// What the base is.
  public nonisolated(nonsending) func describe() async throws -> SourceDescription { try await base.describe() }

  /// What the base reads, or what the plan makes of it.
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
