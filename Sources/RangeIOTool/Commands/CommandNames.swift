#if Tool
import ArgumentParser

/// Reports an unknown command, before the argument parser takes its name for an unexpected argument.
enum CommandNames {
  /// A command was called without a subcommand: its help lists them.
  struct Missing: Error {
    let command: any ParsableCommand.Type
    init(_ command: any ParsableCommand.Type) { self.command = command }
  }

  /// Throws if `arguments` begin with a name that is not a subcommand of `command`, or with no name.
  static func check(_ arguments: [String], of command: any ParsableCommand.Type) throws {
    let commands = command.configuration.subcommands
    guard !commands.isEmpty else { return }
    guard let name = arguments.first else { throw Missing(command) }
    // Options of the command itself, such as `--help`.
    guard !name.hasPrefix("-"), name != "help" else { return }
    if let found = commands.first(where: { self.name(of: $0) == name }) {
      return try check(Array(arguments.dropFirst()), of: found)
    }
    let names = commands.map { self.name(of: $0) }
    let nearest = names.min { distance(name, $0) < distance(name, $1) }
    let advice: String
    if let nearest, distance(name, nearest) <= max(1, nearest.count / 2) {
      advice = "did you mean '\(nearest)'?"
    } else {
      advice = "name one of \(names.joined(separator: ", "))"
    }
    throw ToolFailure.usage("there is no command '\(name)': \(advice)")
  }

  /// Where to read more after wrong usage: ` (see 'rangeio spill list --help')`, for the command that `arguments` begin
  /// with.
  static func hint(_ arguments: [String], of command: any ParsableCommand.Type) -> String {
    var (command, names) = (command, [name(of: command)])
    for word in arguments {
      guard let found = command.configuration.subcommands.first(where: { name(of: $0) == word }) else { break }
      command = found
      names.append(word)
    }
    return " (see '\(names.joined(separator: " ")) --help')"
  }

  private static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? "\(command)".lowercased()
  }

  /// The number of letters to add, remove, replace or swap with their neighbour to get from one name to the other (the
  /// optimal string alignment distance).
  static func distance(_ one: String, _ other: String) -> Int {
    // No command is this long; a path may have any length.
    let (one, other) = (Array(one.prefix(32)), Array(other.prefix(32)))
    var rows = [Array(0...other.count)]
    for i in 1..<(one.count + 1) {
      var row = [i]
      for j in 1..<(other.count + 1) {
        var least = min(row[j - 1], rows[i - 1][j]) + 1
        least = min(least, rows[i - 1][j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1))
        if i > 1, j > 1, one[i - 1] == other[j - 2], one[i - 2] == other[j - 1] {
          least = min(least, rows[i - 2][j - 2] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[one.count][other.count]
  }
}
#endif
