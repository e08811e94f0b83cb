#if Tool
import Testing

@testable import RangeIOTool

@Suite struct SVGTests {
  @Test func `text of users cannot become part of the picture`() {
    var picture = SVG(width: 10, height: 20, title: "a<b", style: "")
    picture.text("</text><script>&\u{1B}", 1, 2.25, class: "label")
    #expect(picture.text.contains("<title>a&lt;b</title>"))
    #expect(picture.text.contains(">&lt;/text&gt;&lt;script&gt;&amp;\u{FFFD}</text>"))
    #expect(picture.text.contains("x=\"1\" y=\"2.3\""))
  }

  @Test func `lines stay within the plot, and the legend stands beside it`() throws {
    let chart = LineChart(
      title: "t", subtitle: "s",
      x: .init(title: "x", ticks: [1, 10, 100].map { .init(value: $0, label: "l", detail: "d") }),
      yTitle: "y",
      lines: [
        .init(name: "low", isReference: false, points: [(1, 0), (10, 20), (100, 30)]),
        .init(name: "high", isReference: true, points: [(1, 50), (10, 99.9), (100, 100)]),
      ])
    let lines = chart.svg().split(separator: "\n").filter { $0.contains("<polyline") && $0.contains("class=\"line") }
    let points = try lines.map { line -> [(Double, Double)] in
      let text = try #require(line.split(separator: "\"").dropFirst().first)
      return text.split(separator: " ").map { pair in
        let numbers = pair.split(separator: ",").compactMap { Double($0) }
        return (numbers[0], numbers[1])
      }
    }
    // The bound is drawn first, the contender above it; then the legend, the highest first.
    #expect(points.map(\.count) == [3, 3, 2, 2])
    let plots = points.prefix(2).flatMap { $0 }
    #expect(plots.allSatisfy { (64...690).contains($0.0) && (64...400).contains($0.1) })
    #expect(points[0].map(\.0) == [64, 377, 690] && points[1][0].1 == 400 && points[0][2].1 == 64)
    let legend = points.suffix(2).flatMap { $0 }
    #expect(legend.allSatisfy { $0.0 > 690 })
    #expect(points[2][0].1 < points[3][0].1)
    #expect(lines[2].contains("bound") && !lines[3].contains("bound"))
  }

  @Test func `a chart of one size or of nothing can be drawn`() {
    for points in [[(x: 5, y: 40)], []] as [[(x: Double, y: Double)]] {
      let chart = LineChart(
        title: "", subtitle: "", x: .init(title: "", ticks: points.map { .init(value: $0.x, label: "", detail: "") }),
        yTitle: "", lines: [.init(name: "only", isReference: false, points: points)])
      #expect(!chart.svg().contains("nan") && !chart.svg().contains("inf"))
    }
  }
}
#endif
