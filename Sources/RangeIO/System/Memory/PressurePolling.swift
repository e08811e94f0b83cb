/// Polls the system's memory and reports when its level changes.
struct PressurePolling: Sendable {
  let interval: Duration
  let time: ReadClock
  let files: SystemFiles
  private var level: PressureLevel
  private var meter: MemoryMeter?
  private var nextLook: ReadClock.Instant?
  private var isOver = false

  init(every interval: Duration, _ thresholds: MemoryPressure.Thresholds, _ time: ReadClock, _ files: SystemFiles) {
    // Averages over ten seconds do not change faster, and zero would keep a processor busy.
    self.interval = max(interval, .milliseconds(10))
    self.time = time
    self.files = files
    level = PressureLevel(thresholds)
  }

  /// The next level that differs from the previous one; `nil` when the task is cancelled or the clock fails.
  mutating func next() async -> MemoryPressure? {
    while !isOver {
      do {
        if let nextLook { try await time.sleep(until: nextLook) }
        try Task.checkCancellation()
      } catch {
        isOver = true
        return nil
      }
      let meter = self.meter ?? MemoryMeter(files)
      self.meter = meter
      nextLook = time.now.advanced(by: interval)
      if let change = level.note(meter.read()) { return change }
    }
    return nil
  }
}

extension MemoryPressure {
  /// When memory begins and stops to count as short, where it is polled.
  ///
  /// All values are fractions: 0.25 is a quarter of a limit, or of the time. A level begins when the upper bound is
  /// reached (`.infinity`: never), and lasts down to the lower bound. In between the level does not change, so that it
  /// does not flap.
  struct Thresholds: Sendable {
    /// Warning: the used part of a control group's limit, in the group where it is largest.
    var usedForWarning = 0.75...0.85
    /// Critical: the used part of a control group's limit. Beyond it the process ends.
    var usedForCritical = 0.9...0.95
    /// Warning: the part of the last ten seconds in which some task waited for memory.
    var someStalledForWarning = 0.05...0.1
    /// Critical: the part of the last ten seconds in which all tasks waited for memory.
    var allStalledForCritical = 0.05...0.1

    init() {}
  }
}

/// The level that follows from readings. Pure, so that tests can try every order of them.
struct PressureLevel: Sendable {
  let thresholds: MemoryPressure.Thresholds
  private(set) var level = MemoryPressure.normal

  init(_ thresholds: MemoryPressure.Thresholds) { self.thresholds = thresholds }

  /// A reading arrives. An unknown value does not hold a level. Returns the level, if it has changed.
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
