#if Tool
/// A line on a terminal that shows the progress of long work. Prints nothing if the output is not a terminal.
struct Progress {
  /// Rare enough to cost nothing, often enough to show that the program is alive.
  private static let interval = Duration.milliseconds(100)

  private let label: String
  private let total: Int
  private let isShown: Bool
  private let showsRate: Bool
  private let start = ContinuousClock.now
  private var done = 0
  private var next: ContinuousClock.Instant
  private var hasDrawn = false

  /// - Parameters:
  ///   - total: the number of bytes to process.
  ///   - showsRate: whether the bytes are really read, rather than skipped.
  init(_ label: String, total: Int, isShown: Bool = StandardError.showsProgress, showsRate: Bool = true) {
    self.label = label
    self.total = total
    self.showsRate = showsRate
    self.isShown = isShown
    next = start + Self.interval
  }

  /// Records that `count` more bytes are done.
  mutating func advance(_ count: Int) {
    guard isShown else { return }
    let (sum, overflow) = done.addingReportingOverflow(count)
    done = overflow ? .max : sum
    let now = ContinuousClock.now
    guard now >= next else { return }
    next = now + Self.interval
    hasDrawn = true
    let text = Self.text(
      label, done: done, of: total, after: showsRate ? now - start : nil, columns: StandardError.columns)
    StandardError.write("\r\u{1B}[K" + text)
  }

  /// Removes the line.
  func clear() {
    if hasDrawn { StandardError.write("\r\u{1B}[K") }
  }

  /// One line of fewer than `columns` characters, none of which moves the cursor: on a longer line, a terminal
  /// continues in the next one, and only that one would be removed. A long label loses its beginning, because the end
  /// of a path says most.
  static func text(_ label: String, done: Int, of total: Int, after time: Duration?, columns: Int = 80) -> String {
    let rate = time.map { ", " + Figures.rate(bytes: done, in: $0) } ?? ""
    return line(label, share(done, of: total) + rate, columns: columns)
  }

  /// `45%, 450 MB of 1.0 GB`.
  static func share(_ done: Int, of total: Int) -> String {
    let share = total > 0 ? Int((Double(done) / Double(total) * 100).rounded(.down)) : 100
    return "\(min(share, 100))%, \(Figures.size(done)) of \(Figures.size(total))"
  }

  /// `label` and `figures` in one line, shortened as ``text(_:done:of:after:columns:)`` says.
  static func line(_ label: String, _ figures: String, columns: Int) -> String {
    let room = columns - 1 - figures.count - 2
    guard room >= 2 else { return String(figures.prefix(max(0, columns - 1))) }
    return TerminalText.suffix(Complaint.oneLine(label), columns: room) + ": " + figures
  }
}
#endif
