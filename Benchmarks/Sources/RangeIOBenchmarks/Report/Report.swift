import Foundation

/// Everything that one run of the benchmark found: the JSON, and what tables and plot are made of.
struct Report: Sendable, Codable {
  /// One contender in one cell.
  struct Row: Sendable, Codable {
    var peer: String
    /// The configuration that took part.
    var configuration: String
    var readsPerRun: Int
    /// Time a read, for streams of the whole stream, in nanoseconds: one value a round.
    var samples: [Double]
    var median: Double
    var minimum: Double
    var maximum: Double
    /// Bytes delivered a second, by the median; 0 where none are.
    var bytesPerSecond: Double
    /// How many times as fast as this row RangeIO is, by the medians. 1 for RangeIO itself.
    var rangeIOIsTimesFaster: Double?
    /// The same as the median over rounds of the ratio within one round: slow changes of the machine cancel out.
    var rangeIOIsTimesFasterPaired: Double?
    /// Medians a read.
    var pageFaults: Double
    var cpuNanoseconds: Double
    /// Bytes brought into the page cache for each byte asked for; cold cells only.
    var amplification: Double?
    /// Bytes by lane, of all rounds together.
    var lanes: [String: Int]
    /// What was read from the source below a cache, of all rounds together.
    var source: SourceUse?
  }

  /// The rows of one cell.
  struct Group: Sendable, Codable {
    var id: String
    var title: String
    var isStream: Bool
    /// What times are of.
    var measure: String
    var rows: [Row]

    subscript(_ name: Contender.Name) -> Row? { rows.first { $0.peer == name.rawValue } }
  }

  var machine: MachineInfo
  var settings: Settings
  var groups: [Group]
  var memory: MemoryGrowth?
  var cacheFacts: CacheFacts?
  var goals: [Goal] = []

  init(
    machine: MachineInfo, settings: Settings, series: [[Tournament.Series]], memory: MemoryGrowth?,
    cacheFacts: CacheFacts?
  ) {
    self.machine = machine
    self.settings = settings
    self.memory = memory
    self.cacheFacts = cacheFacts
    groups = series.compactMap { Group($0, settings) }
    goals = Goal.all(self)
  }

  /// The group of `cell`, unless it was filtered out.
  subscript(_ cell: Cell) -> Group? { groups.first { $0.id == cell.id } }

  /// JSON for machines and for keeping.
  func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }
}

extension Report.Group {
  fileprivate init?(_ series: [Tournament.Series], _ settings: Settings) {
    guard let cell = series.first?.cell else { return nil }
    let ours = series.first { $0.name == .rangeIO }?.samples.map(\.nanoseconds)
    let bytes: Int
    switch cell.workload {
    case .reads(let size, _): bytes = cell.spillTopic?.bytesMoved ?? size
    case .stream: bytes = settings.streamByteCount
    }
    id = cell.id
    title = cell.title(streaming: settings.streamByteCount)
    isStream = cell.workload == .stream
    measure = cell.measure
    rows = series.map { Report.Row($0, ours: ours, bytes: bytes) }
  }
}

extension Report.Row {
  fileprivate init(_ series: Tournament.Series, ours: [Double]?, bytes: Int) {
    peer = series.name.rawValue
    configuration = series.configuration
    samples = series.samples.map { $0.nanoseconds.rounded() }
    let times = series.samples.map(\.nanoseconds)
    median = times.median
    minimum = times.min() ?? median
    maximum = times.max() ?? median
    readsPerRun = series.samples.first?.reads ?? 0
    bytesPerSecond = Double(bytes) / median * 1e9
    rangeIOIsTimesFaster = ours.map { times.median / $0.median }
    rangeIOIsTimesFasterPaired = ours.map { zip(times, $0).map { $0 / $1 }.median }
    pageFaults = series.samples.map(\.faults).median
    cpuNanoseconds = series.samples.map(\.cpuNanoseconds).median
    let amplifications = series.samples.compactMap(\.amplification)
    amplification = amplifications.isEmpty ? nil : amplifications.median
    lanes = series.samples.reduce(into: [:]) { $0.merge($1.lanes, uniquingKeysWith: +) }
    let uses = series.samples.compactMap(\.source)
    source = uses.isEmpty ? nil : uses.dropFirst().reduce(uses[0], +)
  }
}
