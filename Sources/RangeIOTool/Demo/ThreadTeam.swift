import CRangeIOSystem
import Synchronization

/// Plain threads that do one job together. Used to measure plain `pread` with many readers.
enum ThreadTeam {
  /// Runs `body` on `count` threads and waits for all of them. Blocks the calling thread.
  static func run(_ count: Int, _ body: @escaping @Sendable () -> Void) throws(ToolFailure) {
    guard let parker = rio_parker_create() else { throw ToolFailure("out of memory") }
    let team = Team(count, parker, body)
    var started = 0
    for _ in 0..<count {
      let context = Unmanaged.passRetained(team)
      let result = rio_thread_start(
        { Unmanaged<Team>.fromOpaque($0!).takeRetainedValue().work() }, context.toOpaque(), "rangeio.demo")
      guard result >= 0 else {
        context.release()
        break
      }
      started += 1
    }
    team.leave(count - started)
    while !team.isDone { _ = rio_parker_wait(parker, 1_000_000_000) }
    guard started == count else {
      throw ToolFailure("the system gives no \(count) threads: raise the limit (ulimit -u)")
    }
  }

  private final class Team: @unchecked Sendable {
    // Unchecked: the parker is a C semaphore.
    private let left: Atomic<Int>
    private let parker: OpaquePointer
    private let body: @Sendable () -> Void

    init(_ count: Int, _ parker: OpaquePointer, _ body: @escaping @Sendable () -> Void) {
      left = Atomic(count)
      self.parker = parker
      self.body = body
    }

    deinit { rio_parker_destroy(parker) }

    var isDone: Bool { left.load(ordering: .acquiring) == 0 }

    func work() {
      body()
      leave(1)
    }

    func leave(_ count: Int) {
      let left = left.wrappingSubtract(count, ordering: .acquiringAndReleasing).newValue
      if left == 0 { rio_parker_wake(parker) }
    }
  }
}
