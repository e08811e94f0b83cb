#if Tool
/// The colours of a ``LineChart``, for light and for dark pages.
enum LineChartStyle {
  /// Told apart by people who see few colours, with contrast enough on both pages (after M. Okabe, K. Ito, "Color
  /// Universal Design", 2008).
  private static let colors: [(light: String, dark: String)] = [
    ("#c2410c", "#fb923c"), ("#0369a1", "#38bdf8"), ("#15803d", "#4ade80"), ("#a21caf", "#e879f9"),
    ("#a16207", "#facc15"), ("#b91c1c", "#f87171"), ("#4338ca", "#a5b4fc"), ("#0f766e", "#2dd4bf"),
  ]

  /// CSS for a chart with this many lines.
  static func sheet(_ count: Int) -> String {
    """
    text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 12px; }
    .heading { font-size: 15px; font-weight: 600; }
    .detail { font-size: 10.5px; }
    polyline { fill: none; stroke-linejoin: round; }
    .line { stroke-width: 2.2; }
    .bound { stroke-dasharray: 6 4; }
    .grid { stroke-width: 1; }
    .axis { stroke-width: 1.2; }
    \(rules(count, { $0.light }, page: "#ffffff", text: "#1f2328", detail: "#59636e", grid: "#e4e7eb", axis: "#6e7781"))
    @media (prefers-color-scheme: dark) {
    \(rules(count, { $0.dark }, page: "#0d1117", text: "#e6edf3", detail: "#9198a1", grid: "#262c36", axis: "#8b949e"))
    }

    """
  }

  private static func rules(
    _ count: Int, _ shade: ((light: String, dark: String)) -> String, page: String, text: String, detail: String,
    grid: String, axis: String
  ) -> String {
    let series = (0..<count).map { index in
      let color = shade(colors[index % colors.count])
      return ".line.s\(index) { stroke: \(color); } .mark.s\(index) { fill: \(color); }"
    }
    return """
      .page { fill: \(page); }
      text { fill: \(text); }
      .detail { fill: \(detail); }
      .grid { stroke: \(grid); }
      .axis, .bound { stroke: \(axis); }
      \(series.joined(separator: "\n"))
      """
  }
}
#endif
