extension ReaderCore {
  /// Closes the gate, ends all waits, and closes the pipeline in the background. Call this once.
  ///
  /// - Returns: a handle for waiting until all of that is done.
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
    // Closes the source while reads are still running: that is what ends them.
    let sourceIsClosed = Promise<Void>()
    background.start { [link] in
      await link.close()
      sourceIsClosed.resolve(.success(()))
    }
    // This work is never cancelled, so neither wait can end early.
    try? await gate.drained()
    await link.stagesAreQuiet()
    await StageUses.close(pipeline)
    try? await sourceIsClosed.value()
  }
}

/// A close in progress. Any number of callers can wait for it.
final class Closing: Sendable {
  private let isFinished = ShutdownGate()

  init() { _ = isFinished.enter() }

  func finish() {
    _ = isFinished.close()
    isFinished.leave()
  }

  /// Returns when closing has finished, or at once in a cancelled task.
  func wait() async {
    // The only possible error is cancellation. It ends this wait, not the closing.
    try? await isFinished.drained()
  }
}
