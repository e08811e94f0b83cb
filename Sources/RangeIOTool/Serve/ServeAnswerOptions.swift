#if Tool && Serve
import ArgumentParser
import RangeIOServe

/// What `rangeio serve` answers with, and for how long.
struct ServeAnswerOptions: ParsableArguments {
  @Flag(help: "Show index.html in place of the listing of a directory that has it.")
  var index = false
  @Flag(help: "Send a.br, a.zst or a.gz for a to clients that accept that coding, unless it is older than a.")
  var precompressed = false
  @Option(
    help: ArgumentHelp(
      "How long to go on after SIGTERM, with 503 for /-/readyz, until balancers know.", valueName: "seconds"))
  var stopDelay = 0.0

  func apply(to configuration: inout RangeServer.Configuration) throws(ToolFailure) {
    guard stopDelay >= 0, stopDelay < 1e6 else {
      throw .usage("--stop-delay: write seconds, not negative, and less than a million")
    }
    configuration.indexName = index ? "index.html" : nil
    configuration.servesCodedFiles = precompressed
    configuration.stopDelay = .seconds(stopDelay)
  }
}
#endif
