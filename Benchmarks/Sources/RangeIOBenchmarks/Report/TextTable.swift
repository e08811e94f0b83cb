/// Columns for a terminal: the first to the left, the others to the right.
struct TextTable {
  var header: [String]
  var rows: [[String]]

  /// Lines of equal columns. Cells that are all empty take no room.
  func text() -> String {
    let all = [header] + rows
    let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { line in
      let cells = line.indices.map { column in
        let padding = String(repeating: " ", count: widths[column] - line[column].count)
        return column == 0 ? line[column] + padding : padding + line[column]
      }
      return trimmed(cells.joined(separator: "  "))
    }.joined(separator: "\n")
  }

  /// The same in Markdown.
  func markdown() -> String {
    let rule = header.indices.map { $0 == 0 ? ":--" : "--:" }
    return ([header, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }

  private func trimmed(_ line: String) -> String {
    String(line.reversed().drop { $0 == " " }.reversed())
  }
}
