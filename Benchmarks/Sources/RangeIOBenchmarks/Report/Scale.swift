import Foundation

/// A logarithmic scale over whole decades.
struct Scale {
  private let lowest: Double
  private let decades: Double
  private let width: Double

  /// The scale that shows all of `values` within `width`.
  ///
  /// It begins a little below the decade of the smallest value, so that every bar has a length.
  init(_ values: [Double], width: Double) {
    let low = log10(values.min() ?? 1)
    let high = log10(values.max() ?? 10)
    lowest = (low - 0.3).rounded(.down)
    decades = max(1, high - lowest)
    self.width = width
  }

  func position(_ value: Double) -> Double { (log10(value) - lowest) / decades * width }

  /// The powers of ten on the scale.
  var ticks: [Double] { (0...Int(decades)).map { pow(10, lowest + Double($0)) } }
}
