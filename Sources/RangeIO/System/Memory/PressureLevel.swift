/// The level that readings lead to: pure, so that every order of them can be tested.
struct PressureLevel: Sendable {
  let thresholds: MemoryPressureThresholds
  private(set) var level = MemoryPressure.normal

  init(_ thresholds: MemoryPressureThresholds) { self.thresholds = thresholds }

  /// A reading comes in. What it does not know keeps no level up.
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

  private func isReached(_ mark: MemoryPressureThresholds.Mark, by part: Double?, in wanted: MemoryPressure) -> Bool {
    guard let part else { return false }
    return part >= mark.from || (level >= wanted && part >= mark.until)
  }
}
