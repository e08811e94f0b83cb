import ArgumentParser
import Foundation

@main struct ScalingCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "range-io-scaling", abstract: "Measures how reads get faster with every core.",
    subcommands: [MeasureCommand.self, LinesCommand.self, LocksCommand.self], defaultSubcommand: MeasureCommand.self)
}

struct FileOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Where the files are made, and kept.", valueName: "path"))
  var directory: String?

  @Option(help: "The size of the file that is read, in GiB. It must fit into the page cache.")
  var gibibytes = 1

  var url: URL {
    directory.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appendingPathComponent("bench-data")
  }

  func validate() throws {
    guard gibibytes > 0 else { throw ValidationError("--gibibytes must be at least 1.") }
  }
}

struct MeasureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure", abstract: "Measures workloads with 1, 2, 4 and more tasks, beside other ways to read.")

  @OptionGroup var files: FileOptions
  @Argument(help: "What to measure: \(Workload.allCases.map(\.rawValue).joined(separator: ", ")). Default: all.")
  var workloads: [String] = []
  @Option(help: "The most tasks. Default: the number of processors.")
  var tasks = ProcessInfo.processInfo.activeProcessorCount
  @Option(help: "So many tasks with a thread each are measured as well; 0: none. Default: eight a processor.")
  var threads = 8 * ProcessInfo.processInfo.activeProcessorCount
  @Option(help: "How long each run takes, in seconds.") var seconds = 0.25
  @Option(help: "Rounds in which all contenders take turns; the figures are medians over them.") var rounds = 5
  @Flag(inversion: .prefixedNo, help: "Measure the table of tasks.") var table = true
  @Flag(inversion: .prefixedNo, help: "Measure the ratios that must hold, each in runs of its own.") var ratios = true
  @Option(help: "So many threads that do nothing but compute run beside.") var busy = 0
  @Option(help: ArgumentHelp("Write what was measured as JSON.", valueName: "file")) var json: String?

  func validate() throws {
    guard tasks > 0, threads >= 0, seconds > 0, rounds > 0, busy >= 0 else {
      throw ValidationError("Numbers must be positive.")
    }
    for name in workloads where Workload(rawValue: name) == nil { throw ValidationError("No workload '\(name)'.") }
  }

  func run() async throws {
    let laboratory = try Laboratory(files.url, gibibytes: files.gibibytes)
    // Caches take a file for one that is still changing for a while after it was written.
    try await Task.sleep(for: .seconds(2))
    let loops = BusyLoops(busy)
    defer { loops.end() }
    let plan = Measurement(
      tasks: tasks, threads: threads, seconds: seconds, rounds: rounds, hasTable: table, hasRatios: ratios)
    var report = ScalingReport(
      machine: MachineInfo(path: laboratory.file.path), seconds: seconds, rounds: rounds, busy: busy,
      gibibytes: files.gibibytes)
    for workload in workloads.isEmpty ? Workload.allCases : workloads.compactMap(Workload.init) {
      let (table, ratios) = try await plan.run(workload, laboratory)
      report.tables.append(table)
      report.ratios += ratios
      print(ScalingReport.text(table, ratios))
    }
    if let json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      try encoder.encode(report).write(to: URL(fileURLWithPath: json))
    }
  }
}

struct LinesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lines", abstract: "Runs two tasks on different blocks, for shared-lines.py.")

  @OptionGroup var files: FileOptions
  @Argument var workload: String
  @Argument(help: "The name of a contender. Default: the first.") var contender: String?
  @Option(help: "How many blocks each task reads, if they are chosen at random.") var part = 8
  @Option(help: "How often each task does a batch of reads. 0: only makes the files.") var batches = 4
  @Option(help: "The limit of stores that evict, in MiB.") var store = 8

  func run() async throws {
    guard let workload = Workload(rawValue: workload) else { throw ValidationError("No such workload.") }
    let laboratory = try Laboratory(
      files.url, gibibytes: files.gibibytes, store: store << 20, mostBlocks: 256, verifies: false)
    try await Lines.run(workload.contender(contender, laboratory), part: part, batches: batches)
  }
}

struct LocksCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "locks", abstract: "Reads with many threads, for locks.sh, whose build counts the library's locks.")

  @OptionGroup var files: FileOptions
  @Argument var workload: String
  @Argument(help: "The name of a contender. Default: the first.") var contender: String?
  @Option(help: "So many tasks, with a thread each.") var threads = 16
  @Option(help: "How long, in seconds.") var seconds = 2.0

  func run() async throws {
    guard let workload = Workload(rawValue: workload) else { throw ValidationError("No such workload.") }
    let laboratory = try Laboratory(files.url, gibibytes: files.gibibytes)
    try laboratory.makeResident(true)
    let ready = try await workload.contender(contender, laboratory).start(threads)
    let done = try await Crowd.threads(threads).run(try await ready(threads).all, seconds: seconds, seed: 1)
    print("\(threads) threads: \(Int(Double(done.total) / done.seconds)) reads a second")
  }
}

extension Workload {
  /// - Parameter name: of one of the contenders. `nil`: the first.
  fileprivate func contender(_ name: String?, _ laboratory: Laboratory) throws -> Contender {
    let contenders = contenders(laboratory)
    guard let contender = contenders.first(where: { $0.name == name ?? contenders[0].name }) else {
      throw ValidationError("The contenders are: \(contenders.map(\.name).joined(separator: "; ")).")
    }
    return contender
  }
}
