#if canImport(Darwin)
  import CRangeIOSystem
  import Synchronization

  /// A lock in one word: the system's `os_unfair_lock`, which lends the priority of those who wait to the thread that has
  /// it.
  @usableFromInline package struct LockWord: ~Copyable {
    /// Only the system accesses it: an atomic, since that has an address of its own.
    private let word = Atomic<UInt32>(0)

    package init() {}

    @usableFromInline @inline(__always) package borrowing func lock() {
      withUnsafePointer(to: word) { rio_unfair_lock(UnsafeRawPointer($0)) }
    }

    /// Takes the lock if it is free.
    @inline(__always) package borrowing func tryLock() -> Bool {
      withUnsafePointer(to: word) { rio_unfair_try_lock(UnsafeRawPointer($0)) }
    }

    @usableFromInline @inline(__always) package borrowing func unlock() {
      withUnsafePointer(to: word) { rio_unfair_unlock(UnsafeRawPointer($0)) }
    }
  }
#endif
