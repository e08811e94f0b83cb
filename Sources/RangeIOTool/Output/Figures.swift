#if Tool
import Synchronization

/// Formats numbers for people.
enum Figures {
  /// `--si`: sizes and rates are in powers of 1000. One setting for the process, since threads of all kinds show progress.
  private static let isDecimal = Atomic(false)

  static func usePowersOf1000() { isDecimal.store(true, ordering: .relaxed) }

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
  ///
  /// - Parameter things: where an `s` is not enough.
  static func count(_ number: Int, _ thing: String, _ things: String? = nil) -> String {
    count(number) + " " + (number == 1 ? thing : things ?? thing + "s")
  }

  /// `1.4 GiB`, or `1.5 GB` with `--si`.
  static func size(_ bytes: Int) -> String {
    size(Double(bytes), inPowersOf1000: isDecimal.load(ordering: .relaxed))
  }

  static func size(_ bytes: Double, inPowersOf1000 isDecimal: Bool) -> String {
    isDecimal
      ? scaled(bytes, by: 1000, ["B", "kB", "MB", "GB", "TB"])
      : scaled(bytes, by: 1024, ["B", "KiB", "MiB", "GiB", "TiB"])
  }

  /// `850 ns`, `12.3 µs`, `4.1 ms`, `2.5 s`.
  static func time(_ duration: Duration) -> String {
    scaled(nanoseconds(duration), by: 1000, ["ns", "µs", "ms", "s"])
  }

  /// `7.6 GiB/s`; a dash if there was nothing to time.
  static func rate(bytes: Int, in duration: Duration) -> String {
    let nanoseconds = nanoseconds(duration)
    guard nanoseconds > 0, bytes > 0 else { return "–" }
    return size(Int(min(Double(bytes) / nanoseconds * 1e9, 1e18))) + "/s"
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
    // What would be rounded to a whole step has the next unit.
    while number >= step - 0.5, unit < units.count - 1 {
      number /= step
      unit += 1
    }
    return decimal(number, places: unit == 0 || number >= 100 ? 0 : 1) + " " + units[unit]
  }
}

extension Figures {
  /// `12.3%`.
  static func percent(_ share: Double) -> String {
    // Only all is 100%.
    decimal(share < 1 ? min(share * 100, 99.9) : share * 100, places: 1) + "%"
  }

  /// The name of a segment: 16 hexadecimal digits.
  static func segment(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// `2026-03-01 12:00:05 UTC`, from nanoseconds since 1970.
  static func date(_ nanoseconds: Int64) -> String {
    let days = floored(Int(nanoseconds), 86_400_000_000_000)
    let rest = floored(Int(nanoseconds), 1_000_000_000) - days * 86_400
    // Counts days from 0000-03-01, so that a leap day is the last day of its year (H. Hinnant, "chrono-Compatible
    // Low-Level Date Algorithms").
    let shifted = days + 719_468
    let era = floored(shifted, 146_097)
    let day = shifted - era * 146_097
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let number = month < 10 ? month + 3 : month - 9
    let years = year + era * 400 + (number <= 2 ? 1 : 0)
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let date = "\(years)-\(two(number))-\(two(dayOfYear - (153 * month + 2) / 5 + 1))"
    return "\(date) \(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60)) UTC"
  }

  /// The quotient, rounded down.
  private static func floored(_ number: Int, _ divisor: Int) -> Int {
    number >= 0 ? number / divisor : (number + 1) / divisor - 1
  }
}
#endif
