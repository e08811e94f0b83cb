#if SharedCache

  /// The commands that one task waits for, which may be cancelled before they are sent or after.
  final class AskedBatch: @unchecked Sendable {
    // Unchecked: used on the event loop of one node only.
    private var batch: NodeBatch?
    private var isCancelled = false

    /// Returns true if `batch` is to be sent. If not, it is finished.
    func begins(_ batch: NodeBatch) -> Bool {
      if isCancelled { batch.finish() } else { self.batch = batch }
      return !isCancelled
    }

    /// The task waits no more: it gets what is there. The replies still come, and tell of the node.
    func cancel() {
      isCancelled = true
      batch?.finish()
    }
  }
#endif
