import CRangeIOSystem

/// A value for each of some groups of threads, each in cache lines of its own and under a lock that threads of other groups
/// never take: threads that change it do not meet.
package final class ThreadGroups<Value: Sendable>: @unchecked Sendable {
  // Unchecked: memory with values that are accessed only under their locks, freed with this object.
  @inline(__always) private static var stride: Int { ThreadSpread.stride }

  private let count = ThreadSpread.count
  private let base: UnsafeMutableRawPointer

  package init(_ value: Value) {
    precondition(MemoryLayout<Locked<Value>>.size <= Self.stride)
    base = .allocate(byteCount: count * Self.stride, alignment: Self.stride)
    for index in 0..<count {
      (base + index * Self.stride).bindMemory(to: Locked<Value>.self, capacity: 1).initialize(to: Locked(value))
    }
  }

  deinit {
    for index in 0..<count { place(index).deinitialize(count: 1) }
    base.deallocate()
  }

  private func place(_ index: Int) -> UnsafeMutablePointer<Locked<Value>> {
    (base + index * Self.stride).assumingMemoryBound(to: Locked<Value>.self)
  }

  /// The place of this thread's group.
  package var own: UnsafeMutableRawPointer { base + (Int(rio_thread_number()) & (count - 1)) * Self.stride }

  /// Runs `body` with the value of this thread's group.
  package func withOwn<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
    place(Int(rio_thread_number()) & (count - 1)).pointee.withLock(body)
  }

  /// Runs `body` as ``withOwn(_:)`` does, unless another thread of the group has the value just now.
  func withOwnIfFree(_ body: (inout Value) -> Void) {
    place(Int(rio_thread_number()) & (count - 1)).pointee.withLockIfFree(body)
  }

  /// Gives the value of each group another one, and returns those before, to be released outside of the locks.
  package func replaceAll(by value: Value) -> [Value] {
    (0..<count).map { index in
      place(index).pointee.withLock { own in
        defer { own = value }
        return own
      }
    }
  }
}
