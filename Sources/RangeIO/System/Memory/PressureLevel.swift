/// The level that follows from readings. Pure, so that tests can try every order of them.
struct PressureLevel: Sendable {
  let thresholds: MemoryPressure.Thresholds
  private(set) var level = MemoryPressure.normal

  init(_ thresholds: MemoryPressure.Thresholds) { self.thresholds = thresholds }

  /// A reading arrives. An unknown value does not hold a level.
  ///
  /// - Returns: the level, if it has changed.
  mutating func note(_ reading: MemoryReading) -> MemoryPressure? {
    let isCritical =
      isReached(thresholds.usedForCritical, by: reading.used, in: .critical)
      || isReached(thresholds.allStalledForCritical, by: reading.allStalled, in: .critical)
    let isWarning =
      isReached(thresholds.usedForWarning, by: reading.used, in: .warning)
      || isReached(thresholds.someStalledForWarning, by: reading.someStalled, in: .warning)
    let next: MemoryPressure = isCritical ? .critical : isWarning ? .warning : .normal
    guard next != level else { return nil }
    level = next
    return next
  }

  private func isReached(_ mark: ClosedRange<Double>, by part: Double?, in wanted: MemoryPressure) -> Bool {
    guard let part else { return false }
    return part >= mark.upperBound || (level >= wanted && part >= mark.lowerBound)
  }
}
