/// What of a store on disk a cell measures. All data is such that LZ4 halves it.
enum SpillTopic: Hashable, Sendable {
  /// Reads at random of blocks that are there, their files in the page cache.
  case hit(size: Int)
  /// Look-ups of blocks that are not.
  case miss(size: Int)
  /// Writing all blocks into a new store, until they are as safe as its durability says.
  case write(size: Int, SpillDurability)
  /// From opening a store of so many blocks of 4 KiB to the first that it has read; its files are in the page cache, or
  /// none of their pages is.
  case reopen(blocks: Int, SpillEnd, Cell.Temperature)

  /// What stores hold for hits and misses, and what a run writes, in bytes.
  static let byteCount = 256 << 20

  static let cells: [Cell] =
    [65_536, 4096].flatMap { size in
      [SpillTopic.hit(size: size), .miss(size: size)]
        + SpillDurability.allCases.map { .write(size: size, $0) }
    }.map { Cell.spill($0) }
    + [(100_000, .resident), (1_000_000, .resident), (1_000_000, .cold)].flatMap { blocks, temperature in
      SpillEnd.allCases.map { Cell.spill(.reopen(blocks: blocks, $0, temperature)) }
    }

  /// The bytes of a block.
  var size: Int {
    switch self {
    case .hit(let size), .miss(let size), .write(let size, _): size
    case .reopen: 4096
    }
  }

  /// How many blocks the store has, or gets.
  var blocks: Int {
    if case .reopen(let blocks, _, _) = self { blocks } else { Self.byteCount / size }
  }

  /// The operations of a run, where time does not decide.
  var exactReads: Int? {
    switch self {
    case .hit, .miss: nil
    case .write: blocks
    case .reopen: 1
    }
  }

  /// The most rounds that are worth it: what follows a kill has to be copied for each, what is cold to be made so.
  var mostRounds: Int {
    switch self {
    case .reopen(_, .killed, _), .reopen(_, _, .cold): 3
    default: .max
    }
  }

  /// Bytes that one operation moves; 0 where a rate of bytes would say nothing.
  var bytesMoved: Int {
    switch self {
    case .hit, .write: size
    case .miss, .reopen: 0
    }
  }

  /// What the table's times are of.
  var measure: String {
    switch self {
    case .hit: "time a read"
    case .miss: "time a look-up"
    case .write: "time a block"
    case .reopen: "time to the first read"
    }
  }

  var id: String {
    let name = Cell.sizeName(size)
    return switch self {
    case .hit: "spill/hit/\(name)"
    case .miss: "spill/miss/\(name)"
    case .write(_, let durability): "spill/write/\(name)/\(durability)"
    case .reopen(let blocks, let end, .cold): "spill/reopen/\(blocks)/\(end)/cold"
    case .reopen(let blocks, let end, _): "spill/reopen/\(blocks)/\(end)"
    }
  }

  var title: String {
    let name = Cell.sizeName(size, " ")
    return switch self {
    case .hit: "reads of \(name) from a store on disk that is in the page cache"
    case .miss: "look-ups of blocks of \(name) that a store on disk has not"
    case .write(_, let durability):
      "writing \(Self.byteCount >> 20) MiB in blocks of \(name), "
        + (durability == .none ? "not synced" : "then fdatasync")
    case .reopen(let blocks, let end, let temperature):
      "opening a store of \(Figures.grouped(blocks)) blocks of 4 KiB " + (end == .closed ? "that was closed" : "killed")
        + (temperature == .cold ? ", cold" : "")
    }
  }
}

/// How safe blocks are when a contender says that they are written.
enum SpillDurability: String, CaseIterable, Sendable, CustomStringConvertible {
  /// With the system: they outlive the process, not a loss of power.
  case none
  /// On the disk.
  case fdatasync

  var description: String { rawValue }
}

/// How the one who filled a store left it.
enum SpillEnd: String, CaseIterable, Sendable, CustomStringConvertible {
  case closed
  /// By SIGKILL, all having been written.
  case killed

  var description: String { rawValue }
}

extension Cell {
  static func spill(_ topic: SpillTopic) -> Cell { cache(.spill(topic), topic.size) }

  var spillTopic: SpillTopic? {
    if case .spill(let topic) = topic { topic } else { nil }
  }
}
