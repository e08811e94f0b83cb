@testable import RangeIO

// What tests look at in a pipeline of one stage of the library.

extension ReadPipeline {
  private func stage<Stage>(_ type: Stage.Type) -> Stage {
    guard stages.count == 1, let stage = stages[0] as? Stage else { fatalError("other stages: \(stages)") }
    return stage
  }

  /// What the stage counts.
  func statistics() -> Counters? { stage((any ReadStage).self).statistics() }

  /// The number of second tries that hedging allows now.
  var saved: Double { stage(HedgingStage.self).saved }

  /// The permits of the limit in use, and the number of waiters.
  var occupancy: (underWay: Int, queued: Int) { stage(LimitingStage.self).occupancy }
  /// The current state of the rate limit.
  var bucket: RateBucket? { stage(LimitingStage.self).bucket }

  /// The spans that are read at once.
  var concurrentSpans: Int { stage(MergingStage.self).concurrentSpans }
  var permits: Permits { stage(MergingStage.self).permits }
  func planner(for source: SourceDescription) -> SpanPlanner? { stage(MergingStage.self).planner(for: source) }
  func model(of source: SourceDescription) -> LatencyModel { stage(MergingStage.self).model(of: source) }
}
