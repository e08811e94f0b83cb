public import ArgumentParser
public import RangeIO

extension FileSource.Engine: ExpressibleByArgument {}

/// The option shared by the commands that read a file.
struct EngineOption: ParsableArguments {
  @Option(help: "How the file is read.")
  var engine = FileSource.Engine.automatic
}
