/// The medians as bars on a logarithmic scale: an SVG picture, written by hand since it is nothing but rectangles.
struct Plot {
  private static let barHeight = 13.0
  private static let groupGap = 34.0
  private static let labelWidth = 200.0
  private static let columnWidth = 620.0
  private static let colors: [Contender.Name: String] = [
    .rangeIO: "#d9480f", .rangeIODispatch: "#f59f6b", .rangeIODirect: "#e8590c",
    .rangeIOInPlace: "#fd7e14", .cDirect: "#495057", .cDirectStream: "#495057", .cChecked: "#343a40",
    .cBare: "#868e96", .cStream: "#343a40", .cStreamReused: "#868e96", .dispatchIO: "#1971c2", .nio: "#2f9e44",
    .fileHandle: "#9c36b5", .fileDescriptor: "#c2255c", .mapped: "#5c940d", .fioBlocking: "#e67700",
    .fioRing: "#f08c00", .noStages: "#f59f6b", .oneStage: "#f59f6b", .threeStages: "#f59f6b",
    .fourStages: "#f59f6b", .fiveStages: "#f59f6b", .fiveReadyStages: "#f7c7a3", .readerEach: "#f59f6b",
    .storeEach: "#f7c7a3",
    .uncached: "#f7c7a3", .actorDictionary: "#0c8599", .nsCache: "#9c36b5", .sortedChunks: "#e67700",
    .sqlite: "#1971c2",
  ]

  private let title: String
  private let machine: String
  private let columns: [[Report.Group]]

  /// Reading files: resident cells to the left, cold ones to the right.
  static func files(_ report: Report) -> Plot {
    Plot(
      title: "Time a read, of streams of the whole stream", report,
      columns: [Cell.Temperature.resident, .cold].map { temperature in
        Cell.files.filter { $0.temperature == temperature }
      })
  }

  /// Hits in a cache: one task to the left, by the size of the store; several tasks, and what else was tried, to the
  /// right.
  static func hits(_ report: Report) -> Plot {
    let hits = Cell.cache.filter { $0.storedBlocks != nil }
      .sorted { ($0.storedBlocks ?? 0, $0.readSize) < ($1.storedBlocks ?? 0, $1.readSize) }
    let isSimple = { (cell: Cell) in
      if case .hits = cell.topic { cell.workload == .reads(size: CacheTopic.blockSize, concurrency: 1) } else { false }
    }
    return Plot(
      title: "Time of a hit", report, columns: [hits.filter(isSimple), hits.filter { !isSimple($0) }])
  }

  private init(title: String, _ report: Report, columns: [[Cell]]) {
    self.title = title
    machine = report.machine.summary
    self.columns = columns.map { $0.compactMap { report[$0] } }
  }

  /// Whether nothing of it was measured.
  var isEmpty: Bool { columns.allSatisfy(\.isEmpty) }

  func svg() -> String {
    let heights = columns.map { $0.reduce(0) { $0 + height($1) } }
    let size = (width: 2 * Self.columnWidth + 20, height: (heights.max() ?? 0) + 70)
    var body = text(20, 28, title + ": shorter is better, the scale is logarithmic", 15)
    body += text(20, 46, escaped(machine), 10)
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
