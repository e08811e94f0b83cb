@testable import RangeIO
@testable import RangeIOTestSupport

/// Numbers as no honest program has them, but a damaged file, a server or a configuration may.
enum Hostile {
  static let integers: [Int] = [
    .min, .min + 1, -1 << 47, -4097, -1, 0, 1, 4095, 65_537, 1 << 20, 1 << 47, 1 << 62, .max - 1, .max,
  ]
  /// Of all integers that are not in the wrong order.
  static let ranges: [ByteRange] = integers.flatMap { lower in
    integers.filter { $0 >= lower }.map { lower..<$0 }
  }
  static let sizes: [Int] = [0, 1, 4097, 1 << 47, .max]
  static let counts: [ByteCount] = [0, 1, 3, 4096, 1 << 30, 1 << 62, .max].map { .bytes($0) }
  static let doubles: [Double] = [
    .nan, -.infinity, -1e308, -1, -0.0, 0, .leastNonzeroMagnitude, 0.5, 1, 1.5, 1e9, 1e308, .infinity,
  ]
  static let durations: [Duration] = [
    .seconds(Int64.min), .seconds(-1_000_000_000_000), .nanoseconds(-1), .zero, .nanoseconds(1),
    .seconds(1_000_000_000_000), .seconds(Int64.max), .seconds(Int64.max) * 17,
  ]
}

/// A source that says of itself what it is told to. It has no bytes for more than two megabytes at once, and each is a
/// line feed, so that lines end.
struct HostileSource: RangeSource {
  var byteCount = 4097
  var blockSize = 4096
  var cost = SourceDescription.Cost()
  /// What every read throws, if anything.
  var failure: ReadError?

  private static let content = Bytes(repeatElement(10, count: 2 << 20))

  struct Version: SourceDescription.Validator {
    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
      newer is Version ? .same : .other
    }
  }

  func describe() async throws -> SourceDescription {
    SourceDescription(
      id: "hostile \(byteCount) \(blockSize)", validator: Version(), byteCount: byteCount,
      preferredBlockSize: .bytes(blockSize),
      traits: .with { ($0.cost, $0.answersCancellation) = (cost, true) })
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    if let failure { throw failure }
    guard range.count <= Self.content.count else { throw ReadError(.limitExceeded, "too much at once: ask for less") }
    return Self.content.slice(0..<range.count)
  }
}

/// Does what may throw: it is to end, and not to end the process.
func survives(_ work: nonisolated(nonsending) () async throws -> Void) async {
  do { try await work() } catch {}
}
