import Foundation

/// Two builds of the library, measured in turn: what became slower, and what became faster, by more than chance.
///
/// A pair is a report of the earlier build and one of the later, measured one after the other. For each contender of the
/// library the time in the later report is divided by that in the earlier, and that by what became of the other
/// contenders of the same cell in the meantime, whose code is the same: so what the machine does counts on both sides.
/// The figure is the median over all pairs.
struct Comparison: Sendable {
  /// What is compared: the wall-clock time of a read, or the processor's.
  enum Measure: String, Sendable {
    case time
    case processor
  }

  /// One contender of the library in one cell.
  struct Row: Sendable {
    var cell: String
    var contender: String
    var measure: Measure
    /// The later time as a multiple of the earlier.
    var ratio: Double
    /// How far the ratio may be off: three standard errors of the median.
    var noise: Double

    /// What is smaller than this is not worth a look, however certain.
    static let least = 0.03

    var isSlower: Bool { ratio > 1 + max(noise, Self.least) }
    var isFaster: Bool { ratio < 1 - max(noise, Self.least) }
    var verdict: String { isSlower ? "slower" : isFaster ? "faster" : "" }
  }

  let rows: [Row]

  /// - Parameter pairs: at least three; what only one report of a pair has is left out.
  init(_ pairs: [(before: Report, after: Report)]) {
    var ratios: [Key: [Double]] = [:]
    for (before, after) in pairs {
      for group in after.groups {
        guard let earlier = before.groups.first(where: { $0.id == group.id }) else { continue }
        for measure in [Measure.time, .processor] {
          let changes = group.changes(since: earlier, measure)
          let others = changes.filter { !$0.key.hasPrefix("RangeIO") }.map(\.value)
          let machine = others.isEmpty ? 1 : others.median
          for (contender, change) in changes where contender.hasPrefix("RangeIO") {
            ratios[Key(cell: group.id, contender: contender, measure: measure), default: []].append(change / machine)
          }
        }
      }
    }
    rows = ratios.filter { $0.value.count >= 3 }
      .map { key, values in
        let deviation = values.map { abs($0 - values.median) }.median
        // A median's standard error is 1.25 of a mean's; 1.48 deviations are a standard deviation.
        let error = 1.25 * 1.48 * deviation / Double(values.count).squareRoot()
        return Row(
          cell: key.cell, contender: key.contender, measure: key.measure, ratio: values.median, noise: 3 * error)
      }
      .sorted { ($0.cell, $0.contender, $0.measure.rawValue) < ($1.cell, $1.contender, $1.measure.rawValue) }
  }

  private struct Key: Hashable {
    var cell: String
    var contender: String
    var measure: Measure
  }

  var slower: [Row] { rows.filter(\.isSlower) }

  func text() -> String {
    TextTable(
      header: ["cell", "contender", "of", "later ∕ earlier", "noise", ""],
      rows: rows.map {
        [
          $0.cell, $0.contender, $0.measure.rawValue, Figures.ratio($0.ratio),
          "±" + Figures.percent($0.noise), $0.verdict,
        ]
      }
    ).text()
  }
}

extension Comparison {
  /// The comparison of the reports in `directory`: `before-1.json`, `after-1.json`, `before-2.json` and so on.
  init(reportsIn directory: URL) throws {
    var pairs: [(before: Report, after: Report)] = []
    func report(_ name: String) throws -> Report {
      try JSONDecoder().decode(Report.self, from: Data(contentsOf: directory.appendingPathComponent(name)))
    }
    while case let number = pairs.count + 1,
      FileManager.default.fileExists(atPath: directory.appendingPathComponent("after-\(number).json").path)
    {
      pairs.append((try report("before-\(number).json"), try report("after-\(number).json")))
    }
    guard pairs.count >= 3 else { throw TooFewPairs(directory: directory.path, count: pairs.count) }
    self.init(pairs)
  }

  private struct TooFewPairs: Error, CustomStringConvertible {
    let directory: String
    let count: Int

    var description: String { "\(directory) has \(count) pairs of reports, and three are the fewest that tell chance" }
  }
}

extension Report.Group {
  /// How each contender's time changed, as a multiple of what it was.
  fileprivate func changes(since earlier: Report.Group, _ measure: Comparison.Measure) -> [String: Double] {
    var changes: [String: Double] = [:]
    for row in rows {
      guard let before = earlier.rows.first(where: { $0.peer == row.peer })?.value(measure), before > 0,
        case let after = row.value(measure), after > 0
      else { continue }
      changes[row.peer] = after / before
    }
    return changes
  }
}

extension Report.Row {
  fileprivate func value(_ measure: Comparison.Measure) -> Double {
    switch measure {
    case .time: median
    case .processor: cpuNanoseconds
    }
  }
}
