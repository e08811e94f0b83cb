#if Tool
/// An SVG picture, built element by element.
///
/// Coordinates are in pixels from the top left corner. Escapes all text. A style sheet gives colours to classes, so
/// that one picture has two sets of them, for light and for dark pages.
struct SVG {
  enum Anchor: String { case start, middle, end }

  let width: Double
  let height: Double
  /// A description of the picture for those who cannot see it.
  let title: String
  private let style: String
  private var body = ""

  /// - Parameter style: CSS.
  init(width: Double, height: Double, title: String, style: String) {
    (self.width, self.height, self.title, self.style) = (width, height, title, style)
  }

  var text: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.number(width))" height="\(Self.number(height))" \
    viewBox="0 0 \(Self.number(width)) \(Self.number(height))" role="img">
    <title>\(Self.escaped(title))</title>
    <style>
    \(style)</style>
    \(body)</svg>

    """
  }

  mutating func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, class name: String) {
    add(
      "<rect x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" width=\"\(Self.number(width))\" "
        + "height=\"\(Self.number(height))\" class=\"\(name)\"/>")
  }

  mutating func line(_ points: [(x: Double, y: Double)], class name: String) {
    let points = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }.joined(separator: " ")
    add("<polyline points=\"\(points)\" class=\"\(name)\"/>")
  }

  /// A small filled polygon with `corners` corners around a point, the first at the top; a disc for zero corners.
  mutating func mark(_ x: Double, _ y: Double, radius: Double, corners: Int, class name: String) {
    guard corners > 0 else {
      add("<circle cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" r=\"\(Self.number(radius))\" class=\"\(name)\"/>")
      return
    }
    let points = (0..<corners).map { corner -> String in
      let angle = 2 * Double.pi * Double(corner) / Double(corners)
      return "\(Self.number(x + radius * sin(angle))),\(Self.number(y - radius * cos(angle)))"
    }
    add("<polygon points=\"\(points.joined(separator: " "))\" class=\"\(name)\"/>")
  }

  /// - Parameter isVertical: turned by a quarter, to be read from the bottom to the top.
  mutating func text(
    _ text: String, _ x: Double, _ y: Double, anchor: Anchor = .start, class name: String, isVertical: Bool = false
  ) {
    let rotation = isVertical ? " transform=\"rotate(-90 \(Self.number(x)) \(Self.number(y)))\"" : ""
    add(
      "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" text-anchor=\"\(anchor.rawValue)\" class=\"\(name)\"\(rotation)>"
        + "\(Self.escaped(text))</text>")
  }

  private mutating func add(_ element: String) { body += element + "\n" }

  private static func escaped(_ text: String) -> String {
    // XML 1.0 has no control characters, not even escaped.
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case _ where scalar.value < 0x20 || (0xFFFE...0xFFFF).contains(scalar.value): result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  /// Tenths of a pixel are enough.
  private static func number(_ value: Double) -> String {
    let text = Figures.decimal(value, places: 1)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
#endif
