/// A line on a terminal that tells how far long work has come. Elsewhere it says nothing.
struct Progress {
  /// Rarely enough to cost nothing, often enough to look alive.
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
  ///   - total: the bytes there are to do.
  ///   - showsRate: whether they are read, and not passed over.
  init(_ label: String, total: Int, isShown: Bool = StandardError.isTerminal, showsRate: Bool = true) {
    self.label = label
    self.total = total
    self.showsRate = showsRate
    self.isShown = isShown
    next = start + Self.interval
  }

  /// Notes that `count` more bytes are done.
  mutating func advance(_ count: Int) {
    guard isShown else { return }
    done += count
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

  /// One line, of which nothing moves the cursor, in fewer than `columns`: a terminal goes on in the next line else, and
  /// only that would be removed. A long label loses its beginning, since a path tells most at its end.
  static func text(_ label: String, done: Int, of total: Int, after time: Duration?, columns: Int = 80) -> String {
    let share = total > 0 ? Int((Double(done) / Double(total) * 100).rounded(.down)) : 100
    let figures =
      "\(min(share, 100))%, \(Figures.size(done)) of \(Figures.size(total))"
      + (time.map { ", " + Figures.rate(bytes: done, in: $0) } ?? "")
    let room = columns - 1 - figures.count - 2
    guard room >= 2 else { return String(figures.prefix(max(0, columns - 1))) }
    return TerminalText.suffix(Complaint.oneLine(label), columns: room) + ": " + figures
  }
}
