/// What of the cache a cell measures. All blocks are of 4 KiB.
enum CacheTopic: Hashable, Sendable {
  static let blockSize = 4096

  /// Reads of what is in a store of so many blocks, nothing evicted.
  case hits(blocks: Int)
  /// Hits below 0 to 5 stages that do nothing.
  case stages
  /// Two tasks: one reader for both, or a reader or even a store each.
  case sharing
  /// Reads of what is not there, over a source that has its bytes ready; it may suspend once before it answers.
  case misses(suspending: Bool)
  /// Reads of a resident file, of which everything is kept and hardly anything is there.
  case fileMisses
  /// As many reads of one cold block as the cell has tasks.
  case stampede
  /// Reads at random over ten times the store.
  case churn
  /// Reads at random over ten times the store that a reader has without settings, against a reader without one.
  case defaults
  /// Hits through stages that are ready-made.
  case pipelineHits
  /// Reads and streams of a cold file through the stages that suit one.
  case pipelineCold
  /// Reads of a source that never answers, each cancelled as soon as it waits: from there to its end.
  case cancel
  /// Reads of what is compressed, each block once: blocks of the size of the cell's reads, which LZ4 halves.
  case compressedHits(size: Int)
  /// How fast blocks are compressed that memory evicts, at full tilt.
  case demotion(size: Int)
  /// Hits in memory while blocks are compressed at full tilt: the 99th percentile of batches.
  case tail
  /// A store on disk.
  case spill(SpillTopic)

  /// The blocks of the topics that compress.
  static func tierBlocks(_ size: Int) -> Int { max(256, min(16_384, (128 << 20) / size)) }
  /// Hits that are timed together.
  static let tailBatch = 64
  static let tailBatches = 4000
  static let hotBlocks = 1000

  /// Blocks that have bytes ready: as many misses can one run have.
  static let readyBlocks = 65_536
  /// The limit of the store for `churn`, in bytes.
  static let churnLimit = 64 << 20

  /// How many bytes from the start of the file or source take part.
  var extent: Int {
    switch self {
    case .hits(let blocks): blocks * Self.blockSize
    case .stages, .pipelineHits: 1_000 * Self.blockSize
    case .pipelineCold: BenchmarkFile.Size.standard.rawValue
    case .cancel: 100_000 * Self.blockSize
    case .sharing: 100_000 * Self.blockSize
    case .misses, .fileMisses: Self.readyBlocks * Self.blockSize
    case .stampede: Self.blockSize
    case .churn: 10 * Self.churnLimit
    case .defaults: 10 * DefaultReader.cacheByteCount
    case .compressedHits(let size), .demotion(let size): Self.tierBlocks(size) * size
    case .tail: Self.hotBlocks * Self.blockSize
    case .spill(let topic): topic.blocks * topic.size
    }
  }

  var order: Offsets.Order {
    switch self {
    case .hits, .stages, .sharing, .misses, .fileMisses, .tail, .pipelineHits, .cancel: .all(step: Self.blockSize)
    case .pipelineCold: .everyOther
    case .compressedHits(let size), .demotion(let size): .all(step: size)
    case .spill(let topic): .all(step: topic.size)
    case .stampede: .same
    case .churn, .defaults: .drawn
    }
  }

  /// A block can be missed only once.
  var mostReads: Int {
    switch self {
    case .misses, .fileMisses: Self.readyBlocks
    case .pipelineCold: Offsets.coldLimit(size: Self.blockSize, extent: extent)
    // A second touch would let it rise.
    case .compressedHits(let size): Self.tierBlocks(size)
    default: .max
    }
  }

  /// The reads of a run, where time does not decide.
  var exactReads: Int? {
    switch self {
    case .stampede: Self.stampedeReads
    case .cancel: CancelContenders.count
    case .compressedHits(let size), .demotion(let size): Self.tierBlocks(size)
    case .tail: Self.tailBatch * Self.tailBatches
    case .spill(let topic): topic.exactReads
    default: nil
    }
  }

  static let stampedeReads = 10_000
}

extension CacheTopic {
  func id(_ cell: Cell) -> String {
    guard case .reads(let size, let tasks) = cell.workload else {
      return "pipeline/stream/\(cell.temperature.rawValue)"
    }
    let reads = "\(Cell.sizeName(size))/\(tasks)"
    return switch self {
    case .hits(let blocks): "cache/hit/\(blocks)/\(reads)"
    case .stages: "cache/stages/\(reads)"
    case .sharing: "cache/sharing/\(reads)"
    case .misses(let suspending): "cache/miss/\(suspending ? "suspending" : "ready")"
    case .fileMisses: "cache/miss/file"
    case .stampede: "cache/stampede"
    case .churn: "cache/churn/\(reads)"
    case .defaults: "cache/defaults/\(cell.temperature.rawValue)"
    case .pipelineHits: "pipeline/hit"
    case .cancel: "pipeline/cancel"
    case .pipelineCold: "pipeline/read/\(cell.temperature.rawValue)"
    case .compressedHits(let size): "tiers/compressed/\(Cell.sizeName(size))"
    case .demotion(let size): "tiers/demotion/\(Cell.sizeName(size))"
    case .tail: "tiers/tail"
    case .spill(let topic): topic.id
    }
  }

  func title(_ cell: Cell) -> String {
    guard case .reads(let size, let tasks) = cell.workload else {
      return "stream through the stages that suit a file, \(cell.temperature.rawValue)"
    }
    let reads = "\(Cell.sizeName(size, " ")), \(tasks) \(tasks == 1 ? "task" : "tasks")"
    return switch self {
    case .hits(let blocks): "hits of \(reads), \(Figures.grouped(blocks)) blocks"
    case .stages: "hits of \(reads), 1,000 blocks, by stages above the cache"
    case .sharing: "hits of \(reads), 100,000 blocks, by what they share"
    case .misses(let suspending): "misses of \(reads), source \(suspending ? "suspends once" : "answers at once")"
    case .fileMisses: "misses of \(reads), all of them kept, file \(cell.temperature)"
    case .stampede: "\(Figures.grouped(tasks)) tasks want one cold block"
    case .churn: "random reads of \(reads), over ten times the store"
    case .cancel: "from cancelling a read of a source that never answers to its end"
    case .pipelineHits: "hits of \(reads), 1,000 blocks, by stages that are ready-made"
    case .pipelineCold: "random reads of \(reads), each block once, file \(cell.temperature)"
    case .compressedHits(let size): "hits of \(Cell.sizeName(size, " ")) that are compressed, data that LZ4 halves"
    case .demotion(let size): "compressing evicted blocks of \(Cell.sizeName(size, " ")), one core at work on it"
    case .tail: "hits of 4 KiB in memory, by the 99th percentile of batches of 64"
    case .spill(let topic): topic.title
    case .defaults: "random reads of \(reads), default settings, over ten times the store, file \(cell.temperature)"
    }
  }
}

extension Cell {
  static func cache(
    _ topic: CacheTopic, _ size: Int = 4096, tasks: Int = 1, temperature: Temperature = .memory
  ) -> Cell {
    Cell(workload: .reads(size: size, concurrency: tasks), temperature: temperature, topic: topic)
  }

  /// Those of the cache, by section.
  static let cache: [Cell] = cacheHits + cacheRest + pipeline + tiers

  private static let cacheHits: [Cell] =
    [1_000, 100_000, 1_000_000].flatMap { blocks in
      [1, 2, 8].map { cache(.hits(blocks: blocks), tasks: $0, temperature: .resident) }
    } + [
      // A sorted array is judged at this size.
      cache(.hits(blocks: 10_000), temperature: .resident),
      cache(.hits(blocks: 100_000), 65_536, temperature: .resident),
      cache(.stages), cache(.sharing, tasks: 2),
    ]

  private static let cacheRest: [Cell] = [
    cache(.misses(suspending: false)), cache(.misses(suspending: true)),
    cache(.fileMisses, temperature: .resident),
    cache(.stampede, tasks: CacheTopic.stampedeReads),
    cache(.churn), cache(.churn, tasks: 8),
    cache(.defaults, temperature: .resident), cache(.defaults, temperature: .cold),
  ]

  private static let pipeline: [Cell] = [
    cache(.pipelineHits, temperature: .resident), cache(.pipelineCold, temperature: .cold),
    Cell(workload: .stream, temperature: .cold, topic: .pipelineCold), cache(.cancel),
  ]

  private static let tiers: [Cell] =
    [4096, 65_536, 1 << 20].map { cache(.compressedHits(size: $0), $0) }
    + [4096, 65_536].map { cache(.demotion(size: $0), $0) } + [cache(.tail)]

  /// How many blocks its stores hold, if it measures hits.
  var storedBlocks: Int? {
    switch topic {
    case .hits, .stages, .sharing: topic.map { $0.extent / CacheTopic.blockSize }
    default: nil
    }
  }
}
