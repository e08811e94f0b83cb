#if Tool && Serve
import ArgumentParser
import RangeIO
import RangeIOServe

/// The access log of `rangeio serve`.
struct ServeLogOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file that gets a line for each answer; '-': standard output. SIGHUP opens it anew.", valueName: "path"))
  var accessLog: String?
  @Option(help: ArgumentHelp("How its lines are written: combined, json.", valueName: "format"))
  var accessLogFormat = ServeLogFormat.combined

  func open() throws -> AccessLog? {
    guard let accessLog else { return nil }
    do {
      let path = accessLog == "-" ? accessLog : try PathArgument.path(accessLog, for: "--access-log")
      return try AccessLog(path, format: accessLogFormat.choice) { StandardError.line("rangeio: \($0)") }
    } catch let error as ReadError {
      throw ToolFailure("--access-log: \(error.message)")
    }
  }
}

/// How the lines of an access log are written.
enum ServeLogFormat: String, CaseIterable, ExpressibleByArgument {
  case combined, json

  var choice: AccessLog.Format { self == .json ? .json : .combined }
}
#endif
