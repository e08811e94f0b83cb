#if RANGEIO_COUNT_LOCKS
  import CRangeIOSystem
#endif

/// A value that can be accessed only under a lock. Free, it is taken and given back by one atomic instruction each, without
/// a call on Linux.
///
/// A lock of our own, since Swift's `Mutex` on Linux is handed over by the kernel as soon as two threads want it:
/// Docs/Decisions/0006-locks.md. The thread sanitizer sees the atomic instructions, and on Apple platforms the calls.
@usableFromInline package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  // Unchecked: the value is accessed only between `lock` and `unlock`, and before and after all sharing.
  @usableFromInline package let word = LockWord()
  @usableFromInline package let value: ValueMemory<Value>

  #if RANGEIO_COUNT_LOCKS
    /// Where the lock was made, and what it costs. Unchecked: in the memory of a table in C, for good.
    private let site: OpaquePointer

    package init(_ value: consuming sending Value, file: StaticString = #fileID, line: UInt32 = #line) {
      self.value = ValueMemory(value)
      site = file.withUTF8Buffer { rio_lock_site($0.baseAddress, line) }
    }
  #else
    /// Creates an unlocked `value`.
    package init(_ value: consuming sending Value) { self.value = ValueMemory(value) }
  #endif

  /// Runs `body` while no other thread can access the value. Do not nest calls, and do not wait inside.
  ///
  /// Inlinable: for generic code the runtime would look up the types of `Value` and `Result` in each call from a plugin.
  #if !RANGEIO_COUNT_LOCKS
    @inlinable
  #endif
  @inline(__always)
  package borrowing func withLock<Result: ~Copyable, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending Result
  ) throws(E) -> sending Result {
    #if RANGEIO_COUNT_LOCKS
      let isFree = word.tryLock()
      if !isFree { word.lock() }
      let hold = rio_lock_taken(site, !isFree)
      defer {
        rio_lock_released(site, hold)
        word.unlock()
      }
    #else
      word.lock()
      defer { word.unlock() }
    #endif
    // In a step of its own: the thread sanitizer would take this for a change of the word, too.
    let address = value.address
    return try body(&address.pointee)
  }

  /// Runs `body` if no other thread has the lock: for what may be left out. Returns whether it ran.
  @discardableResult package borrowing func withLockIfFree(_ body: (inout Value) -> Void) -> Bool {
    guard word.tryLock() else { return false }
    defer { word.unlock() }
    #if RANGEIO_COUNT_LOCKS
      let hold = rio_lock_taken(site, false)
      defer { rio_lock_released(site, hold) }
    #endif
    let address = value.address
    body(&address.pointee)
    return true
  }
}

/// Memory for a value that changes where it lies, behind a `let`. Raw layout: the compiler then assumes nothing of what
/// is in it, and moves it only while it is not shared. `Mutex` keeps its value in the same way.
@_rawLayout(like: Value, movesAsLike)
@usableFromInline package struct ValueMemory<Value: ~Copyable>: ~Copyable {
  init(_ value: consuming Value) { address.initialize(to: value) }

  deinit { address.deinitialize(count: 1) }

  @inlinable @inline(__always) package var address: UnsafeMutablePointer<Value> {
    withUnsafePointer(to: self) { UnsafeMutableRawPointer(mutating: $0).assumingMemoryBound(to: Value.self) }
  }
}
