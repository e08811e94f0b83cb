#if SharedCache

  /// Chooses the node of a key: the one whose name and the key together have the highest hash.
  ///
  /// Every process that knows the same names chooses the same node, in whatever order they are listed. A name that is
  /// added or removed moves only its own share of the keys. A node that is down keeps its keys, which are misses.
  ///
  /// Source: Thaler and Ravishankar, [Using name-based mappings to increase hit
  /// rates](https://doi.org/10.1109/90.663936), 1998.
  struct Rendezvous: Sendable {
    private let seeds: [UInt64]

    init(_ names: [String]) { seeds = names.map(Self.seed) }

    /// The number of the node for a key.
    func node(of key: SharedBlockKey) -> Int {
      let digest = key.digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
      var (best, highest) = (0, UInt64(0))
      for (number, seed) in seeds.enumerated() {
        let score = Self.mixed(seed ^ digest)
        if score > highest { (best, highest) = (number, score) }
      }
      return best
    }

    /// FNV-1a.
    private static func seed(_ name: String) -> UInt64 {
      mixed(name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    }

    /// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
    private static func mixed(_ number: UInt64) -> UInt64 {
      var z = number
      z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
      return z ^ z >> 31
    }
  }
#endif
