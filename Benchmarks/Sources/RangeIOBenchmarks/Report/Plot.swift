/// The medians as bars on a logarithmic scale: an SVG picture, written by hand since it is nothing but rectangles.
struct Plot {
  private static let barHeight = 13.0
  private static let groupGap = 34.0
  private static let labelWidth = 200.0
  private static let columnWidth = 620.0
  private static let colors: [Contender.Name: String] = [
    .rangeIO: "#d9480f", .rangeIODispatch: "#f59f6b", .rangeIOPositional: "#f7c7a3", .cChecked: "#343a40",
    .cBare: "#868e96", .cStream: "#343a40", .cStreamReused: "#868e96", .dispatchIO: "#1971c2", .nio: "#2f9e44",
    .fileHandle: "#9c36b5",
  ]

  let report: Report

  /// Resident cells to the left, cold ones to the right.
  func svg() -> String {
    let columns = [Cell.Temperature.resident, .cold].map { temperature in
      report.groups.filter { $0.id.contains(temperature.rawValue) }
    }
    let heights = columns.map { $0.reduce(0) { $0 + height($1) } }
    let size = (width: 2 * Self.columnWidth + 20, height: (heights.max() ?? 0) + 70)
    let title = "Time a read, of streams of the whole stream: shorter is better, the scale is logarithmic"
    var body = text(20, 28, title, 15)
    body += text(20, 46, escaped(report.machine.summary), 10)
    for (index, column) in columns.enumerated() {
      var top = 62.0
      for group in column {
        body += bars(group, left: 20 + Double(index) * Self.columnWidth, top: top)
        top += height(group)
      }
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(round(size.width))" height="\(round(size.height))" \
      font-family="system-ui, sans-serif">
      <rect width="100%" height="100%" fill="white"/>
      \(body)</svg>

      """
  }

  private func height(_ group: Report.Group) -> Double { Double(group.rows.count) * Self.barHeight + Self.groupGap }

  private func bars(_ group: Report.Group, left: Double, top: Double) -> String {
    let scale = Scale(group.rows.map(\.median), width: Self.columnWidth - Self.labelWidth - 110)
    var result = text(left, top + 14, escaped(group.title), 12, bold: true)
    let axis = top + 20
    let bottom = axis + Double(group.rows.count) * Self.barHeight
    for tick in scale.ticks {
      let x = left + Self.labelWidth + scale.position(tick)
      result += "<path d=\"M\(round(x)) \(round(axis))V\(round(bottom))\" stroke=\"#dee2e6\"/>\n"
    }
    for (index, row) in group.rows.enumerated() {
      let y = axis + Double(index) * Self.barHeight
      let start = left + Self.labelWidth
      let width = scale.position(row.median)
      let color = Contender.Name(rawValue: row.peer).flatMap { Self.colors[$0] } ?? "#adb5bd"
      result += text(start - 6, y + 10, escaped(row.peer), 10, anchor: "end")
      result += "<rect x=\"\(round(start))\" y=\"\(round(y + 1))\" width=\"\(round(width))\" "
      result += "height=\"\(round(Self.barHeight - 3))\" fill=\"\(color)\"/>\n"
      let speed = group.isStream ? ", " + Figures.throughput(row.bytesPerSecond) : ""
      result += text(start + width + 4, y + 10, Figures.time(row.median) + speed, 10)
    }
    return result
  }

  private func text(
    _ x: Double, _ y: Double, _ text: String, _ size: Int, bold: Bool = false, anchor: String = "start"
  ) -> String {
    let style = "font-size=\"\(size)\" text-anchor=\"\(anchor)\"" + (bold ? " font-weight=\"bold\"" : "")
    return "<text x=\"\(round(x))\" y=\"\(round(y))\" \(style)>\(text)</text>\n"
  }

  private func escaped(_ text: String) -> String {
    text.map { ["&": "&amp;", "<": "&lt;", ">": "&gt;"][$0] ?? String($0) }.joined()
  }

  /// Tenths of a pixel are enough.
  private func round(_ value: Double) -> String { Figures.plain((value * 10).rounded() / 10) }
}
