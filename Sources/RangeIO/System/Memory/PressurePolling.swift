/// Polls the system's memory and reports when its level changes.
struct PressurePolling: Sendable {
  let interval: Duration
  let time: TimeSource
  let files: SystemFiles
  private var level: PressureLevel
  private var meter: MemoryMeter?
  private var nextLook: ReadInstant?
  private var isOver = false

  init(every interval: Duration, _ thresholds: MemoryPressure.Thresholds, _ time: TimeSource, _ files: SystemFiles) {
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
