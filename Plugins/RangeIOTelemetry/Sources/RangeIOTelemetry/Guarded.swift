#if Telemetry
  #if canImport(Darwin)
    internal import Darwin
  #elseif canImport(Glibc)
    internal import Glibc
  #elseif canImport(Musl)
    internal import Musl
  #endif

  /// A value that is only accessible under a lock.
  ///
  /// Not a `Mutex`: on Linux the thread sanitizer does not see it, and reports data races on what it protects.
  // Unchecked: `value` is only used between lock and unlock.
  final class Guarded<Value>: @unchecked Sendable {
    private var value: Value
    // A pointer: the lock must not move, and a stored property may.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init(_ value: sending Value) {
      self.value = value
      lock.initialize(to: pthread_mutex_t())
      let status = pthread_mutex_init(lock, nil)
      precondition(status == 0, "the system has no lock: error \(status)")
    }

    deinit {
      pthread_mutex_destroy(lock)
      lock.deinitialize(count: 1)
      lock.deallocate()
    }

    /// Runs `body` while no other thread can access the value. Do not nest calls, and do not wait in `body`.
    func withLock<Result, E: Error>(_ body: (inout Value) throws(E) -> Result) throws(E) -> Result {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      return try body(&value)
    }
  }
#endif
