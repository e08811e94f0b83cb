/// Estimates how often a cache would hit if it were smaller or larger, while it is in use.
///
/// Four models of the cache, with half, once, twice and four times its capacity, get a sample of the keys. All
/// capacities are scaled down by the sample's share, so each model is a miniature of a cache. The cache itself tells how
/// many of all accesses were hits, so only the ratio between two models is an estimate: what the sample has too much or
/// too little of popular keys is in both of them.
///
/// Measured on five published traces with LRU and S3-FIFO: with models of 256 blocks, estimates are off by 0.2 points on
/// average, and by 3 at worst, in caches that hold most of what a loop reads. Without the model of the cache itself it
/// is 0.8 and 12 points. With models of 4,096 blocks, and three samples each, the middle one is within 1.5 points and the
/// worst within 4.4 of what such caches hit; those with a tuner differ by up to 2.7 among themselves. A
/// store in use has smaller models (``SizeSampling/live``): on four of these traces, in 14 stores of 353 to 37,376
/// blocks, off by 0.8 points on average and 6.3 at worst, and by 2.3 at worst from 1,800 blocks on.
///
/// Takes about 50 bytes for each key of a model. In total that is 375 bytes for each block of the cache, times the
/// sample's share: 1.5 bytes for each block of a large cache, some 100 KB for one of 256 to 65,536 blocks.
///
/// Sources: C. A. Waldspurger, T. Saemundsson, I. Ahmad, N. Park, "Cache Modeling and Optimization using Miniature
/// Simulations", USENIX ATC '17; sampling by hash: C. A. Waldspurger, N. Park, A. Garthwaite, I. Ahmad, "Efficient MRC
/// Construction with SHARDS", FAST '15.
struct SizeModels: Sendable {
  /// The capacities of the models, as multiples of the cache's. One of them is 1.
  static let factors = [0.5, 1, 2, 4]
  private let share: Double
  private var models: [MiniatureCache<SelfTuned>]

  /// - Parameters:
  ///   - capacity: that of the cache, in bytes.
  ///   - share: the share of keys that ``Sample`` chooses.
  ///   - tunes: whether each model of a policy with a tuner has one, which takes some ten times as long. Otherwise it has the
  ///     parameters that such a policy begins with.
  init(capacity: Int, policy: Eviction, share: Double, tunes: Bool) {
    self.share = share
    models = Self.factors.map { factor in
      let capacity = Self.scaled(capacity, factor * share)
      return MiniatureCache(SelfTuned(policy, capacity: capacity, tunes: tunes), capacity: capacity)
    }
  }

  /// Follows a change of the cache's capacity.
  mutating func setCapacity(_ capacity: Int) {
    for (index, factor) in Self.factors.enumerated() {
      models[index].resize(to: Self.scaled(capacity, factor * share))
    }
  }

  /// A sampled key was read.
  mutating func access(_ key: UInt64, weight: Int) {
    let fingerprint = Ghost.fingerprint(of: key)
    for index in models.indices { _ = models[index].read(fingerprint, weight: weight) }
  }

  /// A sampled key was read that the cache does not have and does not keep. A larger one may have it, from earlier reads.
  mutating func accessWithoutStoring(_ key: UInt64) {
    let fingerprint = Ghost.fingerprint(of: key)
    for index in models.indices { models[index].readWithoutStoring(fingerprint) }
  }

  /// The hit ratios of caches with the capacities of ``factors``; empty if no key was sampled.
  ///
  /// - Parameter hitRatio: of the cache itself, since these models began.
  func hitRatios(_ hitRatio: Double) -> [Double] {
    let own = models[1]
    guard own.hits + own.misses > 0 else { return [] }
    return models.map { model in
      guard own.misses > 0 else { return hitRatio }
      return max(0, 1 - (1 - hitRatio) * Double(model.misses) / Double(own.misses))
    }
  }

  private static func scaled(_ capacity: Int, _ factor: Double) -> Int {
    Int(exactly: (Double(capacity) * factor).rounded()) ?? .max
  }
}

/// The size of the sample that ``SizeModels`` gets.
package struct SizeSampling: Hashable, Sendable {
  /// The blocks that the model of the cache itself should have.
  var modelBlocks: Int
  /// The share of keys to sample at most, from 0 to 1.
  package var most: Double

  /// The share of keys that is sampled in a large cache.
  private static let minRate = 1.0 / 256

  /// `true` for models with tuners, see ``SizeModels``.
  package var tunes = false

  /// The blocks that a cache needs to have models at all.
  private var fewestBlocks = 0

  /// For a cache in use. A sampled look-up costs some 200 ns, so a small cache has smaller models, and a tiny one none.
  package static let live = SizeSampling(modelBlocks: 256, most: 1 / 16, fewestBlocks: 128)
  /// For a replay, where a good estimate matters more than time.
  package static let thorough = SizeSampling(modelBlocks: 4096, most: 1, tunes: true)
  /// No estimates.
  package static let none = SizeSampling(modelBlocks: 0, most: 0)

  /// The share of keys to sample for a cache of `blocks` blocks.
  package func share(ofBlocks blocks: Int) -> Double {
    blocks < fewestBlocks ? 0 : min(most, max(Self.minRate, Double(modelBlocks) / Double(max(1, blocks))))
  }
}

extension SizeModels {
  /// Chooses a share of all keys: always the same ones.
  struct Sample: Sendable {
    private let threshold: UInt64

    /// - Parameter share: from 0 to 1.
    init(share: Double) {
      threshold = UInt64(exactly: (share * 0x1p64).rounded()) ?? .max
    }

    /// One multiplication and one comparison.
    @inline(__always) func contains(_ key: UInt64) -> Bool {
      // The lowest bits of a store's keys count the blocks of an extent. The product spreads them over the high bits.
      key &* 0x9E37_79B9_7F4A_7C15 < threshold
    }
  }
}
