import ArgumentParser
import Foundation
import RangeIO

/// The command behind `make bench`.
@main struct BenchmarkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "range-io-benchmarks",
    abstract: "Measures RangeIO against what a program could use instead.",
    discussion: "A slow result is a result: the exit code is 0 unless something could not be measured.")

  @Flag(help: "Fewer and shorter rounds: for a first look, in about two minutes.")
  var quick = false

  @Option(help: ArgumentHelp("Only cells whose name contains this; may be repeated.", valueName: "text"))
  var filter: [String] = []

  @Option(help: "Rounds; the figures are medians over these.")
  var rounds: Int?

  @Option(help: ArgumentHelp("Where the files are made, on the disk to be measured.", valueName: "path"))
  var directory: String?

  @Option(help: ArgumentHelp("Write the report as JSON, and plots beside it (.svg, -cache.svg).", valueName: "file"))
  var json: String?

  @Option(
    help: ArgumentHelp("Write latest.json, latest.md and the plots into a directory.", valueName: "directory"))
  var publish: String?

  @Option(
    help: ArgumentHelp(
      "Only churn through tiers of memory, budget 1 GiB, for so long; tell what memory that takes, fail if it is too much.",
      valueName: "seconds"))
  var churn: Int?

  @Flag(
    help: """
      Only sweep over sizes and orders of what is read, with the cache of a reader without settings and without one, and print \
      one table; with --publish, write it as sweep.md.
      """)
  var sweep = false

  @Option(
    help: ArgumentHelp(
      "Measure nothing: compare the reports before-1.json, after-1.json and so on; fail if something became slower.",
      valueName: "directory"))
  var compare: String?

  // What the benchmark starts of itself to have a store whose writer was killed, in --directory.
  @Option(help: .hidden) var spillAndDie: String?
  @Option(help: .hidden) var spillBlocks = 0
  @Option(help: .hidden) var spillSize = 4096

  @Flag(help: "Print the names of the cells and stop.")
  var list = false

  func validate() throws {
    if let rounds, rounds < 1 { throw ValidationError("--rounds must be at least 1.") }
    guard !cells.isEmpty || wantsCacheFacts else {
      throw ValidationError("No cell matches --filter; --list shows their names.")
    }
  }

  private var cells: [Cell] { Cell.all.filter { isWanted($0.id) && !isTooLarge($0) } }

  private func isWanted(_ name: String) -> Bool {
    filter.isEmpty || filter.contains { name.lowercased().contains($0.lowercased()) }
  }

  /// A million blocks take 13 GiB of memory, store, peer and page cache together, and half a minute to make.
  private func isTooLarge(_ cell: Cell) -> Bool {
    guard let blocks = cell.storedBlocks ?? cell.spillTopic?.blocks, blocks > 100_000,
      !filter.contains(where: { $0.contains("\(blocks)") })
    else { return false }
    return quick || ProcessInfo.processInfo.physicalMemory < 16 << 30
  }

  /// Measured before any cell, and so not one itself.
  private var wantsCacheFacts: Bool { isWanted(CacheFacts.id) }

  private var settings: Settings {
    var settings = quick ? Settings.quick : .standard
    if let rounds { settings.rounds = rounds }
    return settings
  }

  private var directoryURL: URL {
    directory.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appendingPathComponent("bench-data")
  }

  func run() async throws {
    guard !list else {
      print((cells.map(\.id) + (wantsCacheFacts ? [CacheFacts.id] : [])).joined(separator: "\n"))
      return
    }
    if let spillAndDie {
      return try await KilledWriter.fillAndDie(spillAndDie, directoryURL, blocks: spillBlocks, size: spillSize)
    }
    if sweep {
      try FileManager.default.createDirectory(at: directoryURL, withIntermediateDirectories: true)
      let table = try await CacheSweep.run(directoryURL, rounds: settings.rounds, Progress())
      print(table)
      if let publish {
        let page = CacheSweep.page(table, MachineInfo(path: directoryURL.path), rounds: settings.rounds)
        try Data(page.utf8).write(to: URL(fileURLWithPath: publish).appendingPathComponent("sweep.md"))
      }
      return
    }
    if let compare {
      let comparison = try Comparison(reportsIn: URL(fileURLWithPath: compare))
      print(comparison.text())
      guard comparison.slower.isEmpty else { throw ExitCode.failure }
      return
    }
    if let churn {
      let result = try await TierChurn.run(.seconds(churn), budget: .gibibytes(1), Progress())
      print(result)
      return try result.check()
    }
    let report = try await Self.measure(
      cells, settings, in: directoryURL, memory: filter.isEmpty, cacheFacts: wantsCacheFacts)
    print(report.text())
    if let json {
      let file = URL(fileURLWithPath: json)
      try report.json().write(to: file)
      try plot(report, beside: file)
    }
    if let publish {
      try plot(report, beside: Publication(report: report, directory: URL(fileURLWithPath: publish)).write())
    }
  }

  /// All of it off the main actor: from there a loop would measure hops between threads.
  @concurrent private static func measure(
    _ cells: [Cell], _ settings: Settings, in directory: URL, memory measuresMemory: Bool, cacheFacts: Bool
  ) async throws -> Report {
    let progress = Progress()
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    var memory: MemoryGrowth?
    if measuresMemory {
      progress.show("streaming a sparse file")
      memory = try await MemoryGrowth.measure(settings.sparseByteCount, in: directory)
    }
    var facts: CacheFacts?
    if cacheFacts {
      progress.show("filling a store")
      facts = try await CacheFacts.measure(settings.factBlocks)
    }
    var series: [[Tournament.Series]] = []
    for section in Section.all(cells, in: directory) {
      series += try await section.run(in: directory, settings, progress)
    }
    progress.clear()
    return Report(
      machine: MachineInfo(path: directory.path), settings: settings, series: series, memory: memory, cacheFacts: facts)
  }

  /// Draws what was measured, into files beside the JSON.
  private func plot(_ report: Report, beside json: URL) throws {
    let base = json.deletingPathExtension()
    for (plot, suffix) in [(Plot.files(report), ""), (.hits(report), "-cache")] where !plot.isEmpty {
      let picture = base.deletingLastPathComponent().appendingPathComponent(base.lastPathComponent + suffix + ".svg")
      try Data(plot.svg().utf8).write(to: picture)
    }
  }
}
