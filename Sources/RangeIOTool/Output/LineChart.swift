#if Tool
/// Lines over a logarithmic horizontal axis and a vertical axis in percent, as an SVG picture.
///
/// Lines differ by colour and by the shape of their marks. The legend stands beside the plot, with the highest line
/// first. Colours are readable on light and on dark pages, and the picture follows the setting of the reader.
struct LineChart {
  struct Tick {
    var value: Double
    var label: String
    /// A second line below the label.
    var detail: String
  }

  struct Axis {
    var title: String
    /// In ascending order. They also bound the axis.
    var ticks: [Tick]
  }

  struct Line {
    var name: String
    /// A bound rather than a contender: drawn in grey, with dashes.
    var isReference: Bool
    var points: [(x: Double, y: Double)]
  }

  var title: String
  var subtitle: String
  var x: Axis
  var yTitle: String
  var lines: [Line]

  // In pixels.
  private static let size = (width: 860.0, height: 480.0)
  private static let plot = (left: 64.0, top: 64.0, right: 690.0, bottom: 400.0)
  /// Labels below the axis need this much.
  private static let labelWidth = 52.0

  /// The picture.
  func svg() -> String {
    var picture = SVG(
      width: Self.size.width, height: Self.size.height, title: title, style: LineChartStyle.sheet(lines.count))
    picture.rectangle(0, 0, Self.size.width, Self.size.height, class: "page")
    picture.text(title, Self.plot.left, 26, class: "heading")
    picture.text(subtitle, Self.plot.left, 46, class: "label")
    drawAxes(&picture)
    let order = lines.indices.sorted { mean(lines[$0]) > mean(lines[$1]) }
    // The highest last, so that it is on top; a bound below all of them.
    for index in order.reversed().sorted(by: { lines[$0].isReference && !lines[$1].isReference }) {
      draw(lines[index], index, &picture)
    }
    for (row, index) in order.enumerated() { drawLegend(lines[index], index, row: row, &picture) }
    return picture.text
  }

  private func mean(_ line: Line) -> Double {
    line.points.reduce(0) { $0 + $1.y } / Double(max(1, line.points.count))
  }

  /// The end of the vertical axis: a multiple of ten, at most 100.
  private var top: Double {
    let most = lines.flatMap(\.points).map(\.y).max() ?? 0
    return min(100, max(10, (most / 10).rounded(.up) * 10))
  }

  private func place(_ x: Double) -> Double {
    let (low, high) = (log(self.x.ticks.first?.value ?? 1), log(self.x.ticks.last?.value ?? 1))
    guard high > low else { return (Self.plot.left + Self.plot.right) / 2 }
    return Self.plot.left + (log(x) - low) / (high - low) * (Self.plot.right - Self.plot.left)
  }

  private func height(_ y: Double) -> Double {
    Self.plot.bottom - y / top * (Self.plot.bottom - Self.plot.top)
  }

  private func drawAxes(_ picture: inout SVG) {
    let step = top > 50 ? 20.0 : 10.0
    for y in stride(from: 0, through: top, by: step) {
      picture.line([(Self.plot.left, height(y)), (Self.plot.right, height(y))], class: "grid")
      picture.text(Figures.decimal(y, places: 0) + "%", Self.plot.left - 8, height(y) + 4, anchor: .end, class: "label")
    }
    var end = -Double.infinity
    for tick in x.ticks {
      let x = place(tick.value)
      picture.line([(x, Self.plot.top), (x, Self.plot.bottom)], class: "grid")
      guard x - end >= Self.labelWidth else { continue }
      picture.text(tick.label, x, Self.plot.bottom + 18, anchor: .middle, class: "label")
      picture.text(tick.detail, x, Self.plot.bottom + 33, anchor: .middle, class: "detail")
      end = x
    }
    picture.line([(Self.plot.left, Self.plot.bottom), (Self.plot.right, Self.plot.bottom)], class: "axis")
    picture.text(
      x.title, (Self.plot.left + Self.plot.right) / 2, Self.plot.bottom + 58, anchor: .middle, class: "label")
    picture.text(
      yTitle, 18, (Self.plot.top + Self.plot.bottom) / 2, anchor: .middle, class: "label", isVertical: true)
  }

  private func draw(_ line: Line, _ index: Int, _ picture: inout SVG) {
    let points = line.points.map { (x: place($0.x), y: height($0.y)) }
    picture.line(points, class: name(line, index, "line"))
    for point in points { mark(line, index, point.x, point.y, &picture) }
  }

  private func drawLegend(_ line: Line, _ index: Int, row: Int, _ picture: inout SVG) {
    let (x, y) = (Self.plot.right + 24, Self.plot.top + 8 + Double(row) * 22)
    picture.line([(x, y), (x + 28, y)], class: name(line, index, "line"))
    mark(line, index, x + 14, y, &picture)
    picture.text(line.name, x + 36, y + 4, class: "label")
  }

  private func mark(_ line: Line, _ index: Int, _ x: Double, _ y: Double, _ picture: inout SVG) {
    guard !line.isReference else { return }
    let corners = [0, 4, 3, 5, 6][index % 5]
    picture.mark(x, y, radius: corners == 3 ? 5 : 4, corners: corners, class: name(line, index, "mark"))
  }

  private func name(_ line: Line, _ index: Int, _ kind: String) -> String {
    line.isReference ? "\(kind) bound" : "\(kind) s\(index)"
  }
}
#endif
