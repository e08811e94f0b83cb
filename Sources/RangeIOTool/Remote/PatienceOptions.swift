#if Tool
import ArgumentParser

/// The options of the commands that read URLs themselves: how long, and how often, they try.
struct PatienceOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "For a URL: the most time of opening it, and of a read (of copy: a request) with its retries; longer ones fail. Default: none.",
      valueName: "seconds"))
  var timeLimit: Double?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      For a URL: how often a request that failed for a while is sent again in a row, 0 to 1000; a server that says nothing \
      is given 30 seconds each time. Default: 12, within about half a minute of pauses; of copy 63, within about five. A request that a broken \
      connection cut off is sent again besides, at once, up to 8 times in a row.
      """,
      valueName: "count"))
  var retries: Int?

  /// Adds what the options say to `settings`.
  func set(_ settings: inout RemoteSettings) throws(ToolFailure) {
    if let timeLimit {
      guard timeLimit > 0, timeLimit < 1e6 else {
        throw .usage("--time-limit: write seconds, more than 0 and less than a million")
      }
      settings.timeLimit = .seconds(timeLimit)
    }
    if let retries {
      guard (0...1000).contains(retries) else { throw .usage("--retries: \(retries) is not from 0 to 1000") }
      settings.retries = retries
    }
  }
}
#endif
