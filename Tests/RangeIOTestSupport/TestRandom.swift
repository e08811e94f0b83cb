import Foundation
import RangeIOTesting

/// Seeded numbers, with what tests of bytes make of them.
struct TestRandom: RandomNumberGenerator {
  private var generator: SeededGenerator

  init(_ seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func next() -> UInt64 { generator.next() }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  mutating func array(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }

  /// A range within `0..<count`, empty ones among them.
  mutating func range(within count: Int) -> Range<Int> {
    let a = below(count + 1)
    let b = below(count + 1)
    return min(a, b)..<max(a, b)
  }
}

/// Seeds that every run tries, and one that is new each time, or `RANGEIO_SEED`. A failure names its seed; put that one in
/// the list.
let testSeeds: [UInt64] =
  Array(1...40)
  + [ProcessInfo.processInfo.environment["RANGEIO_SEED"].flatMap { UInt64($0) } ?? .random(in: .min ... .max)]
