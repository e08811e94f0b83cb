/// Rows of text in aligned columns.
struct Table {
  enum Alignment { case left, right }

  let columns: [Alignment]
  let rows: [[String]]

  /// The lines, with two spaces between columns and none at the end.
  var text: String {
    let widths = columns.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = row.indices.map { column in
        let padding = String(repeating: " ", count: widths[column] - row[column].count)
        return columns[column] == .left ? row[column] + padding : padding + row[column]
      }
      let line = cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}
