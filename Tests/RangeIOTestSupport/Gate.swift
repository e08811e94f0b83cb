import Foundation
import Testing

@testable import RangeIO

/// Blocks threads, as a disk that hangs does, until the test opens it.
final class Gate: @unchecked Sendable {
  // Unchecked: all state is guarded by the condition.
  private let condition = NSCondition()
  private var isOpen = false
  private let arrived = AwaitedCount()

  /// Waits, on this thread, until the gate is open.
  func pass() {
    arrived.add()
    condition.lock()
    while !isOpen { condition.wait() }
    condition.unlock()
  }

  func open() {
    condition.lock()
    isOpen = true
    condition.broadcast()
    condition.unlock()
  }

  var arrivals: Int { arrived.now }

  /// Waits until `count` threads have come.
  func arrival(_ count: Int = 1) async { await arrived.reaches(count) }
}
