/// How many pipelines list a stage: of one that several readers share, what is left when one of them ends is for the
/// others.
///
/// Of the whole process, since nothing else knows all readers. Stages are told apart as objects; each value is a stage
/// of its own.
enum StageUses {
  private static let counts = Locked<[ObjectIdentifier: Int]>([:])

  /// A reader of `pipeline` begins.
  static func begin(_ pipeline: ReadPipeline) {
    counts.withLock { counts in
      for stage in pipeline.stages { if let id = identity(of: stage) { counts[id, default: 0] += 1 } }
    }
  }

  /// A reader of `pipeline` ends.
  ///
  /// - Returns: the stages that no other reader lists, from the top down.
  @discardableResult static func end(_ pipeline: ReadPipeline) -> [any ReadStage] {
    counts.withLock { counts in
      pipeline.stages.filter { stage in
        guard let id = identity(of: stage) else { return true }
        let rest = (counts[id] ?? 1) - 1
        counts[id] = rest > 0 ? rest : nil
        return rest == 0
      }
    }
  }

  /// The stages are held by their pipelines, so that no other object can have the same identity meanwhile.
  private static func identity(of stage: any ReadStage) -> ObjectIdentifier? {
    guard type(of: stage) is AnyClass else { return nil }
    return ObjectIdentifier(stage as AnyObject)
  }
}
