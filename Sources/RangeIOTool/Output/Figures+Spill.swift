extension Figures {
  /// `12.3%`.
  static func percent(_ share: Double) -> String { decimal(share * 100, places: 1) + "%" }

  /// `00ff1a`: two digits per byte.
  static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
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
