#if SharedCache
  internal import RangeIO

  extension SharedCacheEngine {
    /// Asks the engine, and leaves it after `longest`: it may be one that does not keep to its limit.
    ///
    /// - Returns: `nil` if there is no answer by then, or the task is cancelled.
    nonisolated(nonsending) func get(
      _ keys: [SharedBlockKey], lease: Duration?, within limit: Duration, leavingAfter longest: Duration,
      _ next: ReadNext
    ) async -> [SharedBlockAnswer]? {
      let (answers, answer) = AsyncStream.makeStream(of: [SharedBlockAnswer].self)
      let asking = next.start {
        answer.yield(await get(keys, lease: lease, within: limit))
        answer.finish()
      }
      let end = next.time.now.advanced(by: longest)
      let leaving = next.start {
        // `try?`: it fails when the reader is closed, and when the answer has come.
        try? await next.sleep(until: end)
        answer.finish()
      }
      defer {
        asking.cancel()
        leaving.cancel()
      }
      return await answers.first { _ in true }
    }
  }
#endif
