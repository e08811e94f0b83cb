import Foundation
import Testing

@testable import RangeIO

/// Blocks threads, as a disk that hangs does, until the test opens it.
final class Gate: @unchecked Sendable {
  // Unchecked: all state is guarded by the condition.
  private let condition = NSCondition()
  private var isOpen = false
  private var arrived = 0
  private var departed = 0

  /// Waits, on this thread, until the gate is open.
  func pass() {
    condition.lock()
    arrived += 1
    while !isOpen { condition.wait() }
    departed += 1
    condition.unlock()
  }

  func open() {
    condition.lock()
    isOpen = true
    condition.broadcast()
    condition.unlock()
  }

  var departures: Int {
    condition.lock()
    defer { condition.unlock() }
    return departed
  }

  var arrivals: Int {
    condition.lock()
    defer { condition.unlock() }
    return arrived
  }

  /// Waits until `count` threads have come.
  func arrival(_ count: Int = 1) async {
    while arrivals < count { await Task.yield() }
  }
}
