import Foundation

/// Numbers as people read them.
enum Figures {
  /// `1.23×`: as many digits as mean anything.
  static func ratio(_ value: Double) -> String { digits(value) + "×" }

  static func percent(_ value: Double) -> String { String(format: "%.1f%%", value * 100) }

  /// A share of something, however small: `0.01%`.
  static func share(_ value: Double) -> String { value == 0 ? "none" : String(format: "%.3g%%", value * 100) }

  static func mebibytes(_ bytes: Int) -> String { String(format: "%.1f MiB", Double(bytes) / 1_048_576) }

  /// A time with the unit that suits it.
  static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1e3: digits(nanoseconds) + " ns"
    case ..<1e6: digits(nanoseconds / 1e3) + " µs"
    case ..<1e9: digits(nanoseconds / 1e6) + " ms"
    default: digits(nanoseconds / 1e9) + " s"
    }
  }

  /// Decimal gigabytes a second.
  static func throughput(_ bytesPerSecond: Double) -> String { digits(bytesPerSecond / 1e9) + " GB/s" }

  /// Reads a second, with separators.
  static func rate(_ perSecond: Double) -> String { grouped(Int(perSecond.rounded())) + "/s" }

  /// A number that is not negative, with separators: `100,000`.
  static func grouped(_ number: Int) -> String {
    var digits = Array(String(number))
    for position in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: position) }
    return String(digits)
  }

  static func lanes(_ lanes: [String: Int]) -> String {
    let total = Double(lanes.values.reduce(0, +))
    guard total > 0 else { return "" }
    return lanes.sorted { $0.key < $1.key }.map { "\($0.key) \(percent(Double($0.value) / total))" }
      .joined(separator: ", ")
  }

  /// Without digits after the point that say nothing: `10`, `0.9`.
  static func plain(_ value: Double) -> String { String(format: "%g", value) }

  private static func digits(_ value: Double) -> String {
    switch value {
    case ..<10: String(format: "%.2f", value)
    case ..<100: String(format: "%.1f", value)
    default: String(format: "%.0f", value)
    }
  }
}
