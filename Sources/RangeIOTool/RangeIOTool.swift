#if Tool
import ArgumentParser
import RangeIO

/// The command line of RangeIO.
///
/// Controls how the program begins and ends: signals, the one line for an error, the exit code. The commands do the
/// rest.
@main
struct RangeIOTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rangeio",
    abstract: "Read byte ranges of big files and of objects behind URLs.",
    discussion: """
      Exit codes: 0 done, 1 other failure, 2 usage, 3 not found, unreadable or not a file, 4 range not satisfiable, \
      5 source changed while it was read, 6 spill directory damaged, 130 interrupted.

      Examples:
        rangeio read survey.bin -r 0-99 --hex
        rangeio copy https://example.org/survey.bin .
        rangeio info s3://bucket/survey.bin
      """,
    version: "0.1.0",
    subcommands: [
      ReadCommand.self, CatCommand.self, CopyCommand.self, ListCommand.self, InfoCommand.self, ExplainCommand.self,
      DemoCommand.self, ReplayCommand.self, SpillCommand.self,
    ] + commandsOfTraits)

  /// Those that need more than the core.
  private static var commandsOfTraits: [any ParsableCommand.Type] {
    #if Serve
    [ServeCommand.self]
    #else
    []
    #endif
  }

  @Flag(name: .customShort("V"), help: .hidden)
  var showsVersion = false

  func run() async throws {
    guard showsVersion else { throw CommandNames.Missing(Self.self) }
    try StandardOutput().line(Self.configuration.version)
  }

  /// Replaces the `main` of ArgumentParser, which uses its own exit codes and error texts.
  static func main() {
    guard Platform.hasArguments else {
      StandardError.line(
        "rangeio: /proc is not mounted, or hides /proc/self/maps, so the arguments cannot be read: mount it (mount -t proc proc /proc)"
      )
      endProcess(ToolStatus.failure.rawValue)
    }
    // The work runs on no actor: it must not wait for the main thread, which waits for signals.
    Interrupts.shared.run { @concurrent in endProcess(await perform(Array(CommandLine.arguments.dropFirst()))) }
  }

  /// Runs the command that `arguments` ask for.
  ///
  /// - Returns: the exit code.
  static func perform(_ arguments: [String]) async -> Int32 {
    do {
      try CommandNames.check(arguments, of: Self.self)
      var command = try parseAsRoot(arguments)
      if var command = command as? any AsyncParsableCommand {
        let report = (command as? any CommandWithStats)?.stats
        report?.apply()
        let log = report?.stats == true ? ReaderLog() : nil
        // Also after an error: then the statistics matter most.
        defer { if let log { StandardError.line(log.text) } }
        try await ReaderLog.$current.withValue(log) { try await command.run() }
      } else {
        try command.run()
      }
      return ToolStatus.done.rawValue
    } catch {
      return end(error, arguments)
    }
  }

  /// Reports `error` to the user. It may also be the help that the user asked for.
  private static func end(_ error: any Error, _ arguments: [String]) -> Int32 {
    if let complaint = Complaint(error) {
      let hint = complaint.status == .usage ? CommandNames.hint(arguments, of: Self.self) : ""
      StandardError.line("rangeio: \(ArgumentSecrets.hidden(complaint.message, arguments))\(hint)")
      return complaint.status.rawValue
    }
    switch error {
    case is CancellationError:
      return Interrupts.shared.exitCode ?? ToolStatus.interrupted.rawValue
    case let missing as CommandNames.Missing:
      StandardError.line(helpMessage(for: missing.command))
      return ToolStatus.usage.rawValue
    case is BrokenPipe:
      return ToolStatus.done.rawValue
    case _ where exitCode(for: error).isSuccess:
      return printed(fullMessage(for: error), arguments)
    case _ where exitCode(for: error) == .validationFailure:
      let hint = CommandNames.hint(arguments, of: Self.self)
      let message = ArgumentSecrets.hidden(Complaint.oneLine(message(for: error)), arguments, fields: true)
      StandardError.line("rangeio: \(message)\(hint)")
      return ToolStatus.usage.rawValue
    default:
      StandardError.line("rangeio: \(ArgumentSecrets.hidden(Complaint.oneLine(message(for: error)), arguments))")
      return ToolStatus.failure.rawValue
    }
  }

  private static func printed(_ text: String, _ arguments: [String]) -> Int32 {
    do {
      try StandardOutput().line(text)
      return ToolStatus.done.rawValue
    } catch {
      return end(error, arguments)
    }
  }
}

/// Outside of the command, whose own `exit` hides the system's.
private func endProcess(_ code: Int32) -> Never { exit(code) }
#endif
