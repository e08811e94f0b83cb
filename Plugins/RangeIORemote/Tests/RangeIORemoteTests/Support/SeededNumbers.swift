import Foundation

/// Random numbers that a seed repeats (SplitMix64: Steele, Lea and Flood, 2014).
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// True in so many of a thousand cases.
  mutating func happens(_ perThousand: Int) -> Bool { below(1000) < perThousand }

  mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }
}

/// The size of the simulation, from the environment.
enum SimulationScale {
  /// Seeds: `RANGEIO_SEEDS`, 20,000 unless given.
  static let seeds = number("RANGEIO_SEEDS", or: 20_000)
  /// The first one: `RANGEIO_SEED`, to run one again.
  static let first = number("RANGEIO_SEED", or: 0)

  private static func number(_ name: String, or standard: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard
  }
}
