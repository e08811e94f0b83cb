/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers for the same seed, on every platform.
struct TestRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  mutating func array(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }

  /// A range within `0..<count`, empty ones among them.
  mutating func range(within count: Int) -> Range<Int> {
    let a = below(count + 1)
    let b = below(count + 1)
    return min(a, b)..<max(a, b)
  }
}

/// Seeds that every run tries, and one that is new each time. A failure names its seed; put that one in the list.
let testSeeds: [UInt64] = Array(1...40) + [UInt64.random(in: .min ... .max)]
