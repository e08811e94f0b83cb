/// The writer's calls to the disk, under the store's watch: a disk that hangs too long in a single call is sick,
/// however long the whole work takes. Used only by the writer's run.
final class SpillWatchedCalls {
  private let core: SpillCore
  /// The current call, as the watch knows it.
  private var call: DiskWatch.Call?

  init(_ core: SpillCore) { self.core = core }

  /// Runs work that calls the disk.
  func run(_ permit: SpillBreaker.Permit, _ body: () -> Void) {
    let call = core.watch.begin { [weak core] in
      guard let core else { return }
      core.state.withLock { state in _ = state.breaker.stalled(permit, now: core.now) }
    }
    self.call = call
    body()
    self.call = nil
    core.watch.end(call)
  }

  /// Call before the next call to the disk.
  func goOn() { if let call { core.watch.renew(call) } }

  /// Call before a disk call that may take long even if the disk is healthy.
  func takeTime() { if let call { core.watch.pause(call) } }
}
