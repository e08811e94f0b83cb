#if Telemetry
  /// A name that this plugin gives to a backend: of a span, an event, an attribute or a metric. The README lists all of
  /// them, with what they mean.
  struct TelemetryName: Hashable, Sendable {
    /// The kind of telemetry that has the name.
    enum Kind: String, Sendable {
      case span, event, attribute, counter, gauge, histogram
    }

    let text: String
    let kind: Kind
    /// The unit of a metric as OpenTelemetry writes it (UCUM); empty for everything else.
    let unit: String

    private init(_ text: String, _ kind: Kind, _ unit: String = "") {
      self.text = text
      self.kind = kind
      self.unit = unit
    }
  }

  // MARK: spans and events

  extension TelemetryName {
    static let read = Self("rangeio.read", .span)
    static let fetch = Self("rangeio.fetch", .span)
    static let retry = Self("rangeio.retry", .event)
    static let hedge = Self("rangeio.hedge", .event)
    static let hedgeWon = Self("rangeio.hedge.won", .event)
  }

  // MARK: attributes, of spans, events, metrics and log lines

  extension TelemetryName {
    // From OpenTelemetry's registry of attributes.
    static let errorType = Self("error.type", .attribute)
    static let filePath = Self("file.path", .attribute)
    static let url = Self("url.full", .attribute)

    static let sourceName = Self("rangeio.source.name", .attribute)
    static let sourceSize = Self("rangeio.source.size", .attribute)
    static let readerName = Self("rangeio.reader.name", .attribute)
    static let ranges = Self("rangeio.ranges", .attribute)
    static let rangeCount = Self("rangeio.range.count", .attribute)
    static let requestSize = Self("rangeio.request.size", .attribute)
    static let isPrefetch = Self("rangeio.prefetch", .attribute)
    static let fetchCount = Self("rangeio.fetch.count", .attribute)
    static let tryNumber = Self("rangeio.try.number", .attribute)
    static let tryCount = Self("rangeio.try.count", .attribute)
    static let retryCount = Self("rangeio.retry.count", .attribute)
    static let hedgeCount = Self("rangeio.hedge.count", .attribute)
    static let errorMessage = Self("rangeio.error.message", .attribute)
    static let errorIsTransient = Self("rangeio.error.transient", .attribute)
    static let errorRetryAfter = Self("rangeio.error.retry_after", .attribute)
    static let errorCause = Self("rangeio.error.cause", .attribute)
    static let outcome = Self("rangeio.outcome", .attribute)
    static let stageName = Self("rangeio.stage.name", .attribute)
    static let countName = Self("rangeio.count.name", .attribute)
    static let sourceLane = Self("rangeio.source.lane", .attribute)
    static let cacheName = Self("rangeio.cache.name", .attribute)
    static let cacheTier = Self("rangeio.cache.tier", .attribute)
    static let cacheResult = Self("rangeio.cache.result", .attribute)
    static let dropReason = Self("rangeio.drop.reason", .attribute)
  }

  // MARK: metrics

  extension TelemetryName {
    static let fetchDuration = Self("rangeio.fetch.duration", .histogram, "s")
    static let fetchSize = Self("rangeio.fetch.size", .histogram, "By")

    static let readerReads = Self("rangeio.reader.reads", .counter, "{read}")
    static let readerBytes = Self("rangeio.reader.io", .counter, "By")
    static let readerLookups = Self("rangeio.reader.cache.lookups", .counter, "{read}")
    static let sourceEvents = Self("rangeio.source.events", .counter, "{event}")
    static let sourceBytes = Self("rangeio.source.io", .counter, "By")
    static let stageEvents = Self("rangeio.stage.events", .counter, "{event}")
    static let stageBytes = Self("rangeio.stage.io", .counter, "By")
    static let stageTime = Self("rangeio.stage.time", .counter, "s")
    static let stageLatency = Self("rangeio.stage.latency", .gauge, "s")
    static let stagePeak = Self("rangeio.stage.peak", .gauge, "{item}")
    static let stageWaste = Self("rangeio.stage.waste", .counter, "By")

    static let cacheLookups = Self("rangeio.cache.lookups", .counter, "{lookup}")
    static let cacheEvictions = Self("rangeio.cache.evictions", .counter, "{block}")
    static let cacheDemotions = Self("rangeio.cache.demotions", .counter, "{block}")
    static let cacheDrops = Self("rangeio.cache.drops", .counter, "{block}")
    static let cacheWrites = Self("rangeio.cache.writes", .counter, "{block}")
    static let cacheDamaged = Self("rangeio.cache.damaged", .counter, "{block}")
    static let cacheUsage = Self("rangeio.cache.usage", .gauge, "By")
    static let cacheLimit = Self("rangeio.cache.limit", .gauge, "By")
    static let cachePeak = Self("rangeio.cache.usage.peak", .gauge, "By")
    static let cachePinned = Self("rangeio.cache.pinned", .gauge, "By")
    static let cacheBlocks = Self("rangeio.cache.blocks", .gauge, "{block}")
    static let cacheStored = Self("rangeio.cache.compressed.size", .gauge, "By")
    static let cacheRaw = Self("rangeio.cache.uncompressed.size", .gauge, "By")
    static let cacheIndex = Self("rangeio.cache.index.usage", .gauge, "By")
    static let cacheDiskInUse = Self("rangeio.cache.disk.in_use", .gauge, "1")
    static let memoryUsage = Self("rangeio.cache.memory.usage", .gauge, "By")
    static let memoryLimit = Self("rangeio.cache.memory.limit", .gauge, "By")
    static let memoryPeak = Self("rangeio.cache.memory.usage.peak", .gauge, "By")
  }

  extension TelemetryName {
    /// All of them: the table in the README.
    static let all: [Self] = [
      read, fetch, retry, hedge, hedgeWon,
      errorType, filePath, url, sourceName, sourceSize, readerName, ranges, rangeCount, requestSize, isPrefetch,
      fetchCount, tryNumber, tryCount, retryCount, hedgeCount, errorMessage, errorIsTransient, errorRetryAfter,
      errorCause, outcome, stageName, countName, sourceLane, cacheName, cacheTier, cacheResult, dropReason,
      fetchDuration, fetchSize, readerReads, readerBytes, readerLookups, sourceEvents, sourceBytes, stageEvents,
      stageBytes, stageTime, stageLatency, stagePeak, stageWaste, cacheLookups, cacheEvictions, cacheDemotions,
      cacheDrops, cacheWrites, cacheDamaged, cacheUsage, cacheLimit, cachePeak, cachePinned, cacheBlocks, cacheStored,
      cacheRaw, cacheIndex, cacheDiskInUse, memoryUsage, memoryLimit, memoryPeak,
    ]
  }
#endif
