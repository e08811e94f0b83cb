#if Tool
import RangeIO

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

/// Detects bytes that could harm a terminal.
enum TerminalText {
  /// `true` if `bytes` contain no control characters other than tabs, line ends and form feeds.
  ///
  /// Escape, NUL and DEL are harmful, and so are U+0080 to U+009F, which UTF-8 terminals take for escape sequences. One
  /// that is cut off at the end of `bytes` is not detected.
  static func isHarmless(_ bytes: Bytes) -> Bool {
    var previous: UInt8 = 0
    for byte in bytes {
      switch byte {
      case 0x09, 0x0A, 0x0C, 0x0D: break
      case 0..<0x20, 0x7F: return false
      case 0x80...0x9F where previous == 0xC2: return false
      default: break
      }
      previous = byte
    }
    return true
  }

  /// The end of `text` that fits into `columns` of a terminal. Begins with an ellipsis if it is not all of the text.
  static func suffix(_ text: String, columns: Int) -> String {
    var width = 0
    var start = text.endIndex
    for index in text.indices.reversed() {
      width += self.width(text[index])
      if width > columns { break }
      start = index
    }
    guard start > text.startIndex else { return text }
    // Makes room for the ellipsis.
    var end = text[start...]
    while !end.isEmpty, end.reduce(0, { $0 + self.width($1) }) >= columns { end.removeFirst() }
    return "…" + end
  }

  /// The columns that a character takes: two for East Asian characters and emoji.
  private static func width(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    switch first.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return character.unicodeScalars.contains("\u{FE0F}") ? 2 : 1
    }
  }
}
#endif
