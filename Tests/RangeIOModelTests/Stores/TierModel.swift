import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTestSupport

/// What a model found that must not be.
struct ModelMismatch: Error, CustomStringConvertible {
  let description: String
}

/// One run of random operations on tiers, and beside it for every unit of every block whether it may be found: what is the
/// same for two tiers and for three. Each choice takes the next random number, so the order of the calls is a part of it.
protocol TierModel: AnyObject {
  typealias Mismatch = ModelMismatch

  var random: TestRandom { get set }
  var clock: ManualClock { get }
  var operations: Int { get set }
  /// What was found in the midst of another operation.
  var failure: Mismatch? { get }

  /// Does one thing of a hundred.
  func operate(_ choice: Int) throws(Mismatch)
  /// Compares what is quickly compared, after each operation.
  func check() throws(Mismatch)
  /// Compares every account, while something may be under way.
  func recount() throws(Mismatch)
  /// Lets all come to rest, and compares every account.
  func settle() throws(Mismatch)
}

extension TierModel {
  static var unit: Int { 64 }
  static var none: Int64 { Int64.min }

  func perform(operations count: Int) throws(Mismatch) {
    for _ in 0..<count {
      operations += 1
      try operate(random.below(100))
      if let failure { throw failure }
      try check()
      if operations % 50 == 0 { try recount() }
      if operations % 500 == 0 { try settle() }
    }
    try settle()
  }

  func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws(Mismatch) {
    if !condition { throw Mismatch(description: "operation \(operations): \(what())") }
  }

  var now: Int64 { clock.now.offset.nanoseconds }

  func units(_ range: ByteRange) -> Range<Int> { range.lowerBound / Self.unit..<range.upperBound / Self.unit }

  /// A range of whole units that is not empty, mostly short, mostly where it was lately, in bytes.
  ///
  /// - Parameter period: the operations after which another place is hot.
  /// - Parameter anywhere: one in so many is anywhere.
  func anyRange(of units: Int, on grid: BlockGrid, period: Int, anywhere: Int) -> ByteRange {
    let hot = random.below(1 << 10)
    let center = operations / period * 977
    // The nearer the likelier: what is hot moves on now and then, and comes back.
    let near = random.below(anywhere) == 0 ? hot : hot * hot / 1024 * hot / 1024
    let lower = (center + units * near / 1024) % units
    let perBlock = grid.blockSize / Self.unit
    let longest = [1, perBlock / 2, perBlock, perBlock * 3][random.below(4)]
    let upper = min(units, lower + 1 + random.below(max(1, longest)))
    return lower * Self.unit..<upper * Self.unit
  }
}
