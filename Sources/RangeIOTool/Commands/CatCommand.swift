import ArgumentParser

/// `rangeio cat`: all bytes of a source.
struct CatCommand: CommandWithStats {
  static let configuration = CommandConfiguration(
    commandName: "cat", abstract: "Write a whole file to standard output.")

  @Argument(help: "The file to read.", completion: .file())
  var source: String
  @Flag(help: "Write binary to a terminal.")
  var force = false
  @OptionGroup var engine: EngineOption
  @OptionGroup var stats: StatsOption

  func run() async throws {
    try await Copying(source: source, selection: .whole, engine: engine.engine, force: force).toStandardOutput()
  }
}
