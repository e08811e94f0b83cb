@testable import RangeIO

// What tests look at in the stages of the library.

extension BuiltInStage {
  fileprivate func machinery<Stage>(_ type: Stage.Type) -> Stage {
    guard let stage = machinery as? Stage else { fatalError("another stage: \(machinery)") }
    return stage
  }
}

extension Hedging {
  /// The number of second tries allowed now.
  var saved: Double { machinery(HedgingStage.self).saved }
}

extension Limiting {
  /// The permits in use, and the number of waiters.
  var occupancy: (underWay: Int, queued: Int) { machinery(LimitingStage.self).occupancy }
  /// The current state of the rate limit.
  var bucket: RateBucket? { machinery(LimitingStage.self).bucket }
}

extension Merging {
  var concurrentSpans: Int { machinery(MergingStage.self).concurrentSpans }
  var permits: Permits { machinery(MergingStage.self).permits }
  func planner(for source: SourceDescription) -> SpanPlanner? { machinery(MergingStage.self).planner(for: source) }
  func model(of source: SourceDescription) -> LatencyModel { machinery(MergingStage.self).model(of: source) }
}
