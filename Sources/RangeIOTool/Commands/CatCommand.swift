import ArgumentParser

/// `rangeio cat`: prints all bytes of a source.
struct CatCommand: CommandWithStats {
  static let configuration = CommandConfiguration(
    commandName: "cat", abstract: "Write a whole file to standard output.")

  @Argument(help: "The file to read.", completion: .file())
  var source: String
  @Flag(help: "Read a file that is being added to, to the size that it has at first.")
  var growing = false
  @Flag(help: "Write binary to a terminal.")
  var force = false
  @OptionGroup var engine: EngineOption
  @OptionGroup var stats: StatsOption

  func run() async throws {
    let copying = Copying(source: source, selection: .whole, engine: engine.engine, growing: growing, force: force)
    try await copying.toStandardOutput()
  }
}
