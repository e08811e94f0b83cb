#if Telemetry
  internal import RangeIO

  /// The samples from the statistics of a store.
  extension Sample {
    /// A count that is exported: its name, the metric, and the attribute by which the metric is divided.
    private typealias Export = (count: String, metric: TelemetryName, attribute: (TelemetryName, String)?)

    /// The counts of a tier that are exported.
    private static let ofTier: [Export] = [
      ("hits", .cacheLookups, (.cacheResult, "hit")), ("partialHits", .cacheLookups, (.cacheResult, "partial")),
      ("misses", .cacheLookups, (.cacheResult, "miss")), ("dropped", .cacheDrops, (.dropReason, "not_kept")),
      ("incompressible", .cacheDrops, (.dropReason, "incompressible")),
      ("rejectedFastSource", .cacheDrops, (.dropReason, "source_is_fast")), ("evictions", .cacheEvictions, nil),
      ("written", .cacheWrites, nil), ("damaged", .cacheDamaged, nil), ("bytes", .cacheUsage, nil),
      ("limit", .cacheLimit, nil), ("peakBytes", .cachePeak, nil), ("pinnedBytes", .cachePinned, nil),
      ("blocks", .cacheBlocks, nil), ("storedBytes", .cacheStored, nil), ("rawBytes", .cacheRaw, nil),
      ("indexBytes", .cacheIndex, nil),
    ]
    /// The counts that are exported of the chunks on their way down from a tier.
    private static let ofQueue: [Export] = [
      ("demoted", .cacheDemotions, nil), ("dropped", .cacheDrops, (.dropReason, "queue_full")),
    ]
    /// The counts that are exported of all tiers in memory together.
    private static let ofMemory: [Export] = [
      ("bytes", .memoryUsage, nil), ("limit", .memoryLimit, nil), ("peakBytes", .memoryPeak, nil),
    ]

    /// A store. Tiers that may hold nothing are left out.
    static func all(of store: [Counters], name: String) -> [Sample] {
      let dimensions = [(TelemetryName.cacheName.text, name)]
      return store.filter { $0.limit != 0 }.flatMap { tier -> [Sample] in
        if tier.name == "all memory" { return exported(ofMemory, of: tier, dimensions) }
        let queue = " queue"
        let isQueue = tier.name.hasSuffix(queue)
        let name = tier.name.dropLast(isQueue ? queue.count : 0)
        let ofTier = dimensions + [(TelemetryName.cacheTier.text, String(name))]
        guard !isQueue else { return exported(ofQueue, of: tier, ofTier) }
        let isInUse = tier["notInUse"].map { Sample(.cacheDiskInUse, .level(1 - $0), ofTier) }
        return exported(Self.ofTier, of: tier, ofTier) + (isInUse.map { [$0] } ?? [])
      }
    }

    private static func exported(_ all: [Export], of tier: Counters, _ dimensions: [(String, String)]) -> [Sample] {
      all.compactMap { count, metric, attribute in
        guard let value = tier[count] else { return nil }
        let divided = dimensions + (attribute.map { [($0.text, $1)] } ?? [])
        return Sample(metric, metric.kind == .counter ? .total(value) : .level(value), divided)
      }
    }
  }
#endif
