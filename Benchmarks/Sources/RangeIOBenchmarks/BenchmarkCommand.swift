import ArgumentParser
import Foundation

/// The command behind `make bench`.
@main struct BenchmarkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "range-io-benchmarks",
    abstract: "Measures RangeIO against what a program could use instead.",
    discussion: "A slow result is a result: the exit code is 0 unless something could not be measured.")

  @Flag(help: "Fewer and shorter rounds: for a first look, in under a minute.")
  var quick = false

  @Option(help: ArgumentHelp("Only cells whose name contains this; may be repeated.", valueName: "text"))
  var filter: [String] = []

  @Option(help: "Rounds; the figures are medians over these.")
  var rounds: Int?

  @Option(help: ArgumentHelp("Where the files are made, on the disk to be measured.", valueName: "path"))
  var directory: String?

  @Option(help: ArgumentHelp("Write the report as JSON, and a plot beside it (.svg).", valueName: "file"))
  var json: String?

  @Option(
    help: ArgumentHelp("Write latest.json, latest.md and latest.svg into a directory.", valueName: "directory"))
  var publish: String?

  @Flag(help: "Print the names of the cells and stop.")
  var list = false

  func validate() throws {
    if let rounds, rounds < 1 { throw ValidationError("--rounds must be at least 1.") }
    guard !cells.isEmpty else { throw ValidationError("No cell matches --filter; --list shows their names.") }
  }

  private var cells: [Cell] {
    Cell.all.filter { cell in filter.isEmpty || filter.contains { cell.id.lowercased().contains($0.lowercased()) } }
  }

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
      print(cells.map(\.id).joined(separator: "\n"))
      return
    }
    let report = try await Self.measure(cells, settings, in: directoryURL, isFiltered: !filter.isEmpty)
    print(report.text())
    if let json { try write(report, json: URL(fileURLWithPath: json)) }
    if let publish {
      let directory = URL(fileURLWithPath: publish)
      try write(report, json: directory.appendingPathComponent("latest.json"))
      try Data(report.markdown().utf8).write(to: directory.appendingPathComponent("latest.md"))
    }
  }

  /// All of it off the main actor: from there a loop would measure hops between threads.
  @concurrent private static func measure(
    _ cells: [Cell], _ settings: Settings, in directory: URL, isFiltered: Bool
  ) async throws -> Report {
    let progress = Progress()
    let file = try BenchmarkFile(in: directory, progress: progress)
    var memory: MemoryGrowth?
    if !isFiltered {
      progress.show("streaming a sparse file")
      memory = try await MemoryGrowth.measure(settings.sparseByteCount, in: directory)
    }
    let laboratory = try Laboratory(file, settings)
    // Found out now, not after minutes: whether the page cache does as it is told.
    for temperature in Set(cells.map(\.temperature)) { try laboratory.residency.establish(temperature) }
    let contenders = try await contenders(file)
    let tournament = Tournament(laboratory: laboratory, contenders: contenders, cells: cells, progress: progress)
    let series: [[Tournament.Series]]
    do {
      series = try await tournament.run()
    } catch {
      progress.clear()
      for contender in contenders { try await contender.close() }
      throw error
    }
    for contender in contenders { try await contender.close() }
    return Report(machine: MachineInfo(path: file.path), settings: settings, series: series, memory: memory)
  }

  /// In the order of the tables.
  private static func contenders(_ file: BenchmarkFile) async throws -> [Contender] {
    var contenders = try await RangeIOPeer.contenders(file)
    contenders += try CPeers(file).contenders
    contenders.append(try DispatchIOPeer.contender(file))
    contenders.append(try await NIOFileSystemPeer.contender(file))
    contenders.append(FileHandlePeer.contender(file))
    return contenders
  }

  private func write(_ report: Report, json: URL) throws {
    try report.json().write(to: json)
    try Data(Plot(report: report).svg().utf8).write(to: json.deletingPathExtension().appendingPathExtension("svg"))
  }
}
