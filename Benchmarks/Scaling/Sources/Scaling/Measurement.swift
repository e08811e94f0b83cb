import CBenchmarkPeers
import Foundation
import Synchronization

/// Runs the contenders of a workload in turn, round by round.
struct Measurement: Sendable {
  let tasks: Int
  let threads: Int
  let seconds: Double
  let rounds: Int
  let hasTable: Bool
  let hasRatios: Bool

  private struct Entrant: Sendable {
    let contender: Contender
    let ready: Contender.Ready
  }

  /// Off the main actor: from there a loop would measure hops between threads.
  @concurrent func run(_ workload: Workload, _ laboratory: Laboratory) async throws -> (
    ScalingReport.Table, [ScalingReport.Ratio]
  ) {
    let progress = Progress()
    progress.show("preparing: \(workload.title)")
    if workload != .cold { try laboratory.makeResident(true) }
    let wanted = hasRatios ? workload.ratios(threads: max(2, threads)) : []
    let names = Set(wanted.flatMap { [$0.above.contender, $0.below.contender] })
    var entrants: [Entrant] = []
    for contender in workload.contenders(laboratory) where hasTable || names.contains(contender.name) {
      entrants.append(Entrant(contender: contender, ready: try await contender.start(max(2, tasks, threads))))
    }
    let crowds = hasTable ? workload.crowds(mostTasks: tasks, threads: threads) : []
    var table = ScalingReport.Table(
      id: workload.rawValue, title: workload.title, unit: workload.unit, crowds: crowds.map(\.description),
      series: entrants.map { .init(name: $0.contender.name, samples: crowds.map { _ in [] }) },
      processors: crowds.map { _ in [] })
    for round in 0..<rounds {
      for (column, crowd) in crowds.enumerated() {
        progress.show("\(workload.title): round \(round + 1) of \(rounds), \(crowd)")
        let (start, used) = (ContinuousClock.now, bench_usage().cpu_ns)
        for turn in entrants.indices {
          // Another one begins each round.
          let index = (turn + round) % entrants.count
          let (rate, hits) = try await rate(entrants[index], crowd, round)
          table.series[index].samples[column].append(rate / workload.perUnit)
          if let hits, workload == .ycsb { table.series[index].hits = (table.series[index].hits ?? []) + [hits] }
        }
        table.processors[column].append(
          Double(bench_usage().cpu_ns - used) / ((ContinuousClock.now - start) / .nanoseconds(1)))
      }
    }
    var ratios: [ScalingReport.Ratio] = []
    for ratio in wanted {
      let sides = [ratio.above, ratio.below].compactMap { side in
        entrants.first { $0.contender.name == side.contender }.map { ($0, side.crowd) }
      }
      guard sides.count == 2 else { continue }
      progress.show(ratio.name)
      let (samples, byProcessor) = try await samples(sides)
      ratios.append(.init(name: ratio.name, goal: ratio.goal, samples: samples, byProcessor: byProcessor))
    }
    progress.clear()
    return (table, ratios)
  }

  /// The first side by the second, each round: a pair in short runs, in the other order every second time.
  private func samples(_ sides: [(Entrant, Crowd)]) async throws -> ([Double], [Double]) {
    var (samples, byProcessor): ([Double], [Double]) = ([], [])
    for round in 0..<2 * rounds + 1 {
      var (rates, used) = ([0.0, 0.0], [0.0, 0.0])
      for side in round % 2 == 0 ? [0, 1] : [1, 0] {
        let (start, before) = (ContinuousClock.now, bench_usage().cpu_ns)
        rates[side] = try await rate(sides[side].0, sides[side].1, round).rate
        used[side] = Double(bench_usage().cpu_ns - before) / ((ContinuousClock.now - start) / .nanoseconds(1))
      }
      samples.append(rates[0] / rates[1])
      byProcessor.append(rates[0] / rates[1] * used[1] / used[0])
    }
    return (samples, byProcessor)
  }

  /// What is read a second, and how much of it did not go to the file, if that is counted.
  private func rate(_ entrant: Entrant, _ crowd: Crowd, _ round: Int) async throws -> (rate: Double, hits: Double?) {
    let crowd = entrant.contender.blocksThreads ? .threads(crowd.count) : crowd
    let lanes = try await entrant.ready(crowd.count)
    let before = lanes.misses()
    let done = try await crowd.run(lanes.all, seconds: seconds, seed: round)
    let missed = lanes.misses().flatMap { after in before.map { after - $0 } }
    return (Double(done.total) / done.seconds, missed.map { 1 - Double($0) / Double(max(1, done.total)) })
  }
}

/// Threads that compute and want nothing else.
final class BusyLoops: Sendable {
  private let isOver = Atomic<Bool>(false)

  init(_ count: Int) {
    for _ in 0..<count { Thread { [self] in while !isOver.load(ordering: .relaxed) {} }.start() }
  }

  func end() { isOver.store(true, ordering: .relaxed) }
}

/// What was measured.
struct ScalingReport: Codable {
  /// Of each contender, for each number of tasks, the rates of all rounds.
  struct Series: Codable, Sendable {
    var name: String
    var samples: [[Double]]
    /// Which share of its reads did not go to the file, in all runs one after the other, where that is what is measured.
    var hits: [Double]?
  }

  struct Table: Codable, Sendable {
    var id: String
    var title: String
    var unit: String
    var crowds: [String]
    var series: [Series]
    /// How many processors all of them together had, each round: less than tasks or processors where others ran beside.
    var processors: [[Double]]
  }

  struct Ratio: Codable, Sendable {
    var name: String
    var goal: Double
    var samples: [Double]
    /// The same of reads for each second of processor time: others do not disturb it, and it does not see tasks wait.
    var byProcessor: [Double]
  }

  var machine: MachineInfo
  var seconds: Double
  var rounds: Int
  var busy: Int
  var gibibytes: Int
  var tables: [Table] = []
  var ratios: [Ratio] = []

  static func text(_ table: Table, _ ratios: [Ratio]) -> String {
    let hasHits = table.series.contains { $0.hits != nil }
    var figures = table.series.map { series in
      [series.name] + series.samples.map { figure($0.median) }
        + (hasHits ? [series.hits.map { figure($0.median) } ?? ""] : [])
    }
    figures.append(["(processors had)"] + table.processors.map { figure($0.median) } + (hasHits ? [""] : []))
    let shown = TextTable(
      header: ["\(table.title), \(table.unit)"] + table.crowds + (hasHits ? ["hits"] : []),
      rows: table.crowds.isEmpty ? [] : figures)
    let lines = ratios.map {
      "\($0.name): \(figure($0.samples.median)) (\(figure($0.samples.min() ?? 0)) to \(figure($0.samples.max() ?? 0))), goal \($0.goal); by processor time \(figure($0.byProcessor.median))"
    }
    return ([shown.text()] + lines).joined(separator: "\n") + "\n"
  }

  private static func figure(_ value: Double) -> String { String(format: value < 0.1 ? "%.3f" : "%.2f", value) }
}
