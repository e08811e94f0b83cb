/// The report for people: the same tables on a terminal and as Markdown.
extension Report {
  /// For a terminal.
  func text() -> String {
    var parts = ["\(machine.summary)\n\(method)"]
    parts += groups.map { "\($0.title)\n\(table($0).text())" }
    parts += ["goals\n\(goalTable(beside: []).text())", laneLine].filter { !$0.isEmpty }
    return parts.joined(separator: "\n\n")
  }

  /// For `Docs/Benchmarks/latest.md`.
  ///
  /// - Parameter others: the last reports of other processors, whose goals stand beside these.
  func markdown(beside others: [Report] = []) -> String {
    var parts = ["# The last run", "\(machine.summary)."]
    parts += others.map { "Beside it, the last run on another processor: \($0.machine.summary)." }
    parts += [method, "## Goals", goalTable(beside: others).markdown(), laneLine]
    parts += groups.flatMap { ["## \($0.title)", table($0).markdown()] }
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  private var method: String {
    "Medians of \(settings.rounds) interleaved rounds; the state of the page cache was verified before every run, and "
      + "after it where the file was resident."
  }

  private func table(_ group: Group) -> TextTable {
    let countsSource = group.rows.contains { $0.source != nil }
    return TextTable(
      header: [
        "", group.measure, "fastest–slowest round", group.isStream ? "" : "reads",
        "throughput", "CPU", "faults",
      ] + (countsSource ? ["from source"] : []) + ["RangeIO is", "configuration"],
      rows: group.rows.map { row in
        [
          row.peer, Figures.time(row.median), "\(Figures.time(row.minimum)) – \(Figures.time(row.maximum))",
          group.isStream ? "" : Figures.rate(1e9 / row.median),
          row.bytesPerSecond > 0 ? Figures.throughput(row.bytesPerSecond) : "",
          Figures.time(row.cpuNanoseconds), Figures.plain(row.pageFaults.rounded()),
        ] + (countsSource ? [row.sourceReadsPerRead.map(Figures.share) ?? ""] : []) + [
          row.peer == Contender.Name.rangeIO.rawValue
            ? "—" : row.rangeIOIsTimesFaster.map { Figures.ratio($0) + " as fast" } ?? "", row.configuration,
        ]
      })
  }

  /// The goals that this run can judge; a filtered run says nothing about the others.
  private func goalTable(beside others: [Report]) -> TextTable {
    let judged = goals.filter { $0.isMet != nil }
    return TextTable(
      header: ["goal (\(judged.count) of \(goals.count) measured)", "asked", machine.cpu, ""]
        + others.map(\.machine.cpu)
        + ["note"],
      rows: judged.map { goal in
        [goal.name, goal.target, goal.figure ?? "", goal.verdict]
          + others.map { $0.goals.first { $0.name == goal.name }?.figure ?? "" } + [goal.note]
      })
  }

  /// What the cold stream's bytes came by.
  private var laneLine: String {
    guard let lanes = self[.stream(.cold)]?[.rangeIO]?.lanes, !lanes.isEmpty else { return "" }
    let counts = lanes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    return "Bytes by lane of RangeIO's cold streams, all rounds: \(counts)."
  }
}
