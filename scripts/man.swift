// Prints the man page of rangeio: swift scripts/man.swift VERSION < HELP
//
// HELP is what 'rangeio --experimental-dump-help' prints, so that the page says what --help says.
import Foundation

struct Help: Decodable {
  let command: Command
}

struct Command: Decodable {
  let commandName: String
  let abstract: String?
  let discussion: String?
  let shouldDisplay: Bool?
  let arguments: [Argument]?
  let subcommands: [Command]?
}

struct Argument: Decodable, Hashable {
  struct Name: Decodable, Hashable {
    let kind: String
    let name: String

    var text: String { (kind == "long" ? "--" : "-") + name }
  }
  let kind: String
  let abstract: String?
  let names: [Name]?
  let valueName: String?
  let isOptional: Bool
  let isRepeating: Bool
  let defaultValue: String?
  let allValues: [String]?
  let shouldDisplay: Bool?

  var isShown: Bool { shouldDisplay ?? true && !["help", "version"].contains(names?.first?.name) }

  /// `-r, --range <range>`: short names first.
  var head: String {
    let value = valueName.map { "\\fI\(roff($0))\\fR" } ?? ""
    guard kind != "positional" else { return value }
    let names = (names ?? []).sorted { $0.text.count < $1.text.count }
    return names.map { "\\fB\(roff($0.text))\\fR" }.joined(separator: ", ") + (kind == "option" ? " \(value)" : "")
  }

  var text: String {
    var text = abstract ?? ""
    if let allValues, !allValues.isEmpty { text += " One of \(allValues.joined(separator: ", "))." }
    if let defaultValue { text += " Default: \(defaultValue)." }
    return text
  }
}

/// `text` as roff shows it: nothing in it is a request or an escape.
func roff(_ text: String) -> String {
  let escaped = text.unicodeScalars.reduce(into: "") { escaped, scalar in
    switch scalar {
    case "\\": escaped += "\\e"
    case "-": escaped += "\\-"
    case _ where !scalar.isASCII:
      // Four digits, which is enough for all that the help has.
      escaped += "\\[u\(String(scalar.value + 0x1_0000, radix: 16, uppercase: true).dropFirst())]"
    default: escaped.unicodeScalars.append(scalar)
    }
  }
  return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
}

/// Paragraphs; lines that begin with blanks are shown as they are.
func body(_ text: String) -> [String] {
  var (lines, isExample): ([String], Bool) = ([], false)
  for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
    if line.hasPrefix(" ") != isExample {
      isExample.toggle()
      lines.append(isExample ? ".RS 4\n.nf" : ".fi\n.RE")
    }
    lines.append(line.isEmpty ? ".PP" : roff(isExample ? String(line.drop { $0 == " " }) : line))
  }
  return lines + (isExample ? [".fi\n.RE"] : [])
}

func list(_ arguments: some Sequence<Argument>) -> [String] {
  arguments.filter(\.isShown).flatMap { [".TP", $0.head, roff($0.text)] }
}

/// The commands that do something, with their full names.
func leaves(_ command: Command, _ name: String) -> [(name: String, command: Command)] {
  let below = (command.subcommands ?? []).filter { $0.commandName != "help" && $0.shouldDisplay ?? true }
  return below.isEmpty ? [(name, command)] : below.flatMap { leaves($0, "\(name) \($0.commandName)") }
}

let version = CommandLine.arguments.dropFirst().first ?? ""
let root = try JSONDecoder().decode(Help.self, from: FileHandle.standardInput.readDataToEndOfFile()).command
let commands = leaves(root, root.commandName)

// Options of several commands stand once, at the end.
let uses = Dictionary(grouping: commands.flatMap { $0.command.arguments ?? [] }) { $0 }.mapValues(\.count)
let shared = { (argument: Argument) in argument.kind != "positional" && uses[argument, default: 0] > 2 }
var seen: Set<Argument> = []
let common = commands.flatMap { $0.command.arguments ?? [] }.filter { shared($0) && seen.insert($0).inserted }

var page = [
  ".TH \(root.commandName.uppercased()) 1 \"\" \"\(root.commandName) \(version)\" \"User Commands\"", ".SH NAME",
  "\(root.commandName) \\- \(roff(root.abstract ?? ""))", ".SH SYNOPSIS",
  "\\fB\(root.commandName)\\fR \\fIcommand\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]", ".SH DESCRIPTION",
]
page += body(root.discussion ?? "") + [".SH COMMANDS"]
for (name, command) in commands {
  let positional = (command.arguments ?? []).filter { $0.kind == "positional" }.map { argument in
    let text = argument.head + (argument.isRepeating ? " ..." : "")
    return argument.isOptional ? "[\(text)]" : text
  }
  page += [".SS " + (["\\fB\(roff(name))\\fR [\\fIoptions\\fR]"] + positional).joined(separator: " ")]
  page += [roff(command.abstract ?? "")] + (command.discussion.map { [".PP"] + body($0) } ?? [])
  page += list((command.arguments ?? []).filter { !shared($0) })
}
page += [".SH OPTIONS OF SEVERAL COMMANDS"] + list(common)
page += [".SH SEE ALSO", "\\fBcurl\\fR(1), \\fBcat\\fR(1), \\fBhexdump\\fR(1)"]
print(page.joined(separator: "\n"))
