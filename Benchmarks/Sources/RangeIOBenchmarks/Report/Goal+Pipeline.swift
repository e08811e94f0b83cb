extension Goal {
  /// The goals of the pipeline.
  static func pipeline(_ report: Report) -> [Goal] {
    [idleStage(report), standardHit(report), coldStream(report)] + coldReads(report)
  }

  /// What a stage that does nothing adds to a hit: the difference of five and none, round by round.
  private static func idleStage(_ report: Report) -> Goal {
    let group = report[.cache(.stages)]
    func each(_ five: Contender.Name) -> Double? {
      group?[five].flatMap { five in
        group?[.noStages].map { none in zip(five.samples, none.samples).map { ($0 - $1) / 5 }.median }
      }
    }
    let (idle, ready) = (each(.fiveStages), each(.fiveReadyStages))
    let limit = 40.0
    return Goal(
      name: "a stage that does nothing, in a hit", target: "at most \(Figures.time(limit))",
      figure: idle.map(Figures.time), isMet: idle.map { $0 <= limit },
      note: (group?[.noStages].map { "without one a hit takes \(Figures.time($0.median))" } ?? "")
        + (ready.map { "; one that has an `answer` \(Figures.time($0))" } ?? ""))
  }

  private static func standardHit(_ report: Report) -> Goal {
    let group = report[.cache(.pipelineHits, temperature: .resident)]
    let far = group?[.farPipeline].flatMap { far in group?[.cachingAlone].map { far.median / $0.median } }
    return atMost(
      1.5, timesTheTimeOf: .cachingAlone, "hit through the standard local pipeline: time against Caching alone", group,
      note: far.map { "through that for far objects \(Figures.ratio($0))" } ?? "")
  }

  private static func coldStream(_ report: Report) -> Goal {
    atLeast(
      0.97, timesAsFastAs: .uncached, "cold stream through the standard local pipeline: speed against no stages",
      report[Cell(workload: .stream, temperature: .cold, topic: .pipelineCold)])
  }

  private static func coldReads(_ report: Report) -> [Goal] {
    let group = report[.cache(.pipelineCold, temperature: .cold)]
    func goal(_ name: String, _ value: (Report.Row) -> Double?) -> Goal {
      let ratio = group?[.rangeIO].flatMap(value).flatMap { ours in
        group?[.uncached].flatMap(value).map { ours / $0 }
      }
      return Goal(
        name: "cold point reads through the standard local pipeline: \(name)", target: "at most 1×",
        figure: ratio.map(Figures.ratio), isMet: ratio.map { $0 <= 1 })
    }
    return [goal("requests", \.sourceReadsPerRead), goal("bytes", \.sourceBytesPerRead)]
  }
}
