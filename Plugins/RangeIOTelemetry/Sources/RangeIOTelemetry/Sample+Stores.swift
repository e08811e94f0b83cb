import RangeIOTiers

#if Telemetry
  internal import RangeIO

  /// What the statistics of a store become.
  extension Sample {
    /// A store that is memory alone.
    static func all(of memory: TierStatistics, name: String) -> [Sample] {
      all(of: memory, tier: "memory", name: name)
    }

    /// A store of several tiers. Tiers that it does not have hold nothing and are left out.
    static func all(of tiers: TieredChunkStore.Statistics, name: String) -> [Sample] {
      let store = [(TelemetryName.cacheName.text, name)]
      var samples = [
        Sample(.memoryUsage, .level(tiers.bytes), store),
        Sample(.memoryLimit, .level(tiers.limit), store),
        Sample(.memoryPeak, .level(tiers.peakBytes), store),
      ]
      if tiers.memory.limit > 0 {
        samples += all(of: tiers.memory, tier: "memory", name: name)
        samples += all(ofQueue: tiers.moving, below: "memory", name: name)
      }
      if tiers.compressed.limit > 0 {
        samples += all(of: tiers.compressed, tier: "compressed", name: name)
        samples += [
          Sample(.cacheStored, .level(tiers.compressed.storedBytes), tier("compressed", of: name)),
          Sample(.cacheRaw, .level(tiers.compressed.rawBytes), tier("compressed", of: name)),
          Sample(
            .cacheDrops, .total(tiers.compressed.incompressible), drop("incompressible", "compressed", of: name)),
        ]
        samples += all(ofQueue: tiers.movingToDisk, below: "compressed", name: name)
      }
      if let disk = tiers.disk { samples += all(of: disk, name: name) }
      return samples
    }

    private static func all(of one: TierStatistics, tier: String, name: String) -> [Sample] {
      let dimensions = Self.tier(tier, of: name)
      return [
        Sample(.cacheLookups, .total(one.hits), result("hit", tier, of: name)),
        Sample(.cacheLookups, .total(one.partialHits), result("partial", tier, of: name)),
        Sample(.cacheLookups, .total(one.misses), result("miss", tier, of: name)),
        Sample(.cacheEvictions, .total(one.evictions), dimensions),
        Sample(.cacheDrops, .total(one.dropped), drop("not_kept", tier, of: name)),
        Sample(.cacheUsage, .level(one.bytes), dimensions),
        Sample(.cacheLimit, .level(one.limit), dimensions),
        Sample(.cachePeak, .level(one.peakBytes), dimensions),
        Sample(.cachePinned, .level(one.pinnedBytes), dimensions),
        Sample(.cacheBlocks, .level(one.blocks), dimensions),
      ]
    }

    /// The chunks that a tier has evicted, on their way down.
    private static func all(ofQueue queue: TierStatistics, below tier: String, name: String) -> [Sample] {
      [
        Sample(.cacheDemotions, .total(queue.moved), Self.tier(tier, of: name)),
        Sample(.cacheDrops, .total(queue.dropped), drop("queue_full", tier, of: name)),
      ]
    }

    private static func all(of disk: DiskStatistics, name: String) -> [Sample] {
      let dimensions = tier("disk", of: name)
      return [
        Sample(.cacheLookups, .total(disk.hits), result("hit", "disk", of: name)),
        Sample(.cacheLookups, .total(disk.misses), result("miss", "disk", of: name)),
        Sample(.cacheDrops, .total(disk.dropped), drop("not_kept", "disk", of: name)),
        Sample(.cacheDrops, .total(disk.notSlower), drop("source_is_fast", "disk", of: name)),
        Sample(.cacheWrites, .total(disk.written), dimensions),
        Sample(.cacheDamaged, .total(disk.damaged), dimensions),
        Sample(.cacheUsage, .level(disk.bytes), dimensions),
        Sample(.cacheLimit, .level(disk.limit), dimensions),
        Sample(.cacheBlocks, .level(disk.blocks), dimensions),
        Sample(.cacheIndex, .level(disk.indexBytes), dimensions),
        Sample(.cacheDiskInUse, .level(disk.isDiskInUse ? 1 : 0), dimensions),
      ]
    }

    private static func tier(_ tier: String, of name: String) -> [(String, String)] {
      [(TelemetryName.cacheName.text, name), (TelemetryName.cacheTier.text, tier)]
    }

    private static func result(_ result: String, _ tier: String, of name: String) -> [(String, String)] {
      Self.tier(tier, of: name) + [(TelemetryName.cacheResult.text, result)]
    }

    private static func drop(_ reason: String, _ tier: String, of name: String) -> [(String, String)] {
      Self.tier(tier, of: name) + [(TelemetryName.dropReason.text, reason)]
    }
  }
#endif
