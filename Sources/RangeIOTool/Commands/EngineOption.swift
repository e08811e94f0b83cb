public import ArgumentParser
public import RangeIO

extension FileSource.Engine: ExpressibleByArgument {
  /// The engine of that name.
  public init?(argument: String) {
    guard let engine = Self.allCases.first(where: { "\($0)" == argument }) else { return nil }
    self = engine
  }
}

/// The option shared by the commands that read a file.
struct EngineOption: ParsableArguments {
  @Option(help: "How the file is read.")
  var engine = FileSource.Engine.automatic
}
