extension ReaderCore {
  /// Closes the gate, answers everyone, and takes the pipeline apart in the background. To be called once.
  ///
  /// - Returns: the end of all that.
  func beginClosing() -> Closing {
    let closing = Closing()
    _ = gate.close()
    watcher.withLock { $0 }?.cancel()
    background.start {
      await self.takeApart()
      closing.finish()
    }
    return closing
  }

  private func takeApart() async {
    // The source is closed while reads are still inside: that is what answers them.
    let sourceIsClosed = Promise<Void>()
    background.start { [link] in
      await link.close()
      sourceIsClosed.resolve(.success(()))
    }
    // Nobody cancels this work, so neither wait can end early.
    try? await gate.drained()
    await link.stagesAreQuiet()
    await StageUses.close(pipeline)
    try? await sourceIsClosed.value()
  }
}

/// A closing under way, which any number of callers wait for.
final class Closing: Sendable {
  private let isFinished = ShutdownGate()

  init() { _ = isFinished.enter() }

  func finish() {
    _ = isFinished.close()
    isFinished.leave()
  }

  /// Returns when the closing has ended, or at once in a cancelled task.
  func wait() async {
    // The only error is cancellation, which ends the wait and not the closing.
    try? await isFinished.drained()
  }
}
