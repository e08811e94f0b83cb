/// Formats numbers for people.
enum Figures {
  /// `12,345`.
  static func count(_ number: Int) -> String {
    var text = ""
    for (position, digit) in String(number.magnitude).reversed().enumerated() {
      if position > 0, position % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return (number < 0 ? "-" : "") + String(text.reversed())
  }

  /// `1 source`, `12,345 sources`.
  static func count(_ number: Int, _ thing: String) -> String { count(number) + " " + thing + (number == 1 ? "" : "s") }

  /// `1.4 GB`: in powers of ten, as is usual for rates.
  static func size(_ bytes: Int) -> String {
    scaled(Double(bytes), by: 1000, ["B", "kB", "MB", "GB", "TB"])
  }

  /// `850 ns`, `12.3 µs`, `4.1 ms`, `2.5 s`.
  static func time(_ duration: Duration) -> String {
    scaled(nanoseconds(duration), by: 1000, ["ns", "µs", "ms", "s"])
  }

  /// `8.21 GB/s`; a dash if there was nothing to time.
  static func rate(bytes: Int, in duration: Duration) -> String {
    let nanoseconds = nanoseconds(duration)
    guard nanoseconds > 0, bytes > 0 else { return "–" }
    return decimal(Double(bytes) / nanoseconds, places: 2) + " GB/s"
  }

  /// `0.93`.
  static func decimal(_ number: Double, places: Int) -> String {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = (number.magnitude * scale).rounded()
    guard scaled < Double(Int.max) else { return "\(number)" }
    let (whole, part) = Int(scaled).quotientAndRemainder(dividingBy: Int(scale))
    let digits = String(part)
    let sign = number < 0 && scaled > 0 ? "-" : ""
    guard places > 0 else { return sign + String(whole) }
    return sign + "\(whole)." + String(repeating: "0", count: places - digits.count) + digits
  }

  static func nanoseconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) * 1e9 + Double(duration.components.attoseconds) / 1e9
  }

  private static func scaled(_ number: Double, by step: Double, _ units: [String]) -> String {
    var number = number
    var unit = 0
    while number >= step, unit < units.count - 1 {
      number /= step
      unit += 1
    }
    return decimal(number, places: unit == 0 || number >= 100 ? 0 : 1) + " " + units[unit]
  }
}
