/// Counts the pipelines that list a stage. If several readers share a stage, it stays open until the last of them ends.
/// While a stage is being closed, no reader begins with it.
///
/// One count for the whole process, since nothing else knows all readers. Stages are identified as objects; each value
/// is a separate stage.
enum StageUses {
  private struct Uses {
    var readers = 0
    var isClosing = false
    /// The readers that wait until it is closed.
    var waiting: [Promise<Void>] = []
  }
  private static let uses = Locked<[ObjectIdentifier: Uses]>([:])

  /// A reader of `pipeline` begins. Waits while one of its stages is being closed, so that no stage is closed under a
  /// reader. Throws `CancellationError`. Nothing has begun then.
  static func begin(_ pipeline: ReadPipeline) async throws {
    let stages = pipeline.stages.compactMap(identity)
    while let (stage, closed) = enter(stages) {
      do {
        try await closed.value()
      } catch {
        uses.withLock { $0[stage]?.waiting.removeAll { $0 === closed } }
        throw error
      }
    }
  }

  /// Counts a reader of all these stages, or of none if one of them is being closed. Returns the stage that is being
  /// closed, and a promise that is resolved when it is closed.
  private static func enter(_ stages: [ObjectIdentifier]) -> (ObjectIdentifier, Promise<Void>)? {
    uses.withLock { uses in
      if let stage = stages.first(where: { uses[$0]?.isClosing == true }) {
        let closed = Promise<Void>()
        uses[stage]?.waiting.append(closed)
        return (stage, closed)
      }
      for stage in stages { uses[stage, default: Uses()].readers += 1 }
      return nil
    }
  }

  /// A reader of `pipeline` ends without closing its stages.
  static func end(_ pipeline: ReadPipeline) { _ = leave(pipeline, closing: false) }

  /// A reader of `pipeline` ends, and closes the stages that no other reader lists, from the top down.
  static func close(_ pipeline: ReadPipeline) async {
    for stage in leave(pipeline, closing: true) {
      await stage.close()
      guard let id = identity(of: stage) else { continue }
      let waiting = uses.withLock { $0.removeValue(forKey: id)?.waiting ?? [] }
      for one in waiting { one.resolve(.success(())) }
    }
  }

  /// - Returns: the stages that no other reader lists.
  private static func leave(_ pipeline: ReadPipeline, closing: Bool) -> [any ReadStage] {
    uses.withLock { uses in
      pipeline.stages.filter { stage in
        guard let id = identity(of: stage) else { return true }
        uses[id]?.readers -= 1
        guard uses[id]?.readers == 0 else { return false }
        if closing { uses[id]?.isClosing = true } else { uses[id] = nil }
        return true
      }
    }
  }

  /// Pipelines hold their stages, so no other object can get the same identity while they are counted.
  private static func identity(of stage: any ReadStage) -> ObjectIdentifier? {
    guard type(of: stage) is AnyClass else { return nil }
    return ObjectIdentifier(stage as AnyObject)
  }
}
