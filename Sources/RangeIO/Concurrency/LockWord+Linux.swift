#if !canImport(Darwin)
  import CRangeIOSystem
  import Synchronization

  /// A lock in one word: 0 while it is free, 1 while a thread has it, 2 while others may sleep for it besides.
  @usableFromInline package struct LockWord: ~Copyable {
    private let word = Atomic<UInt32>(0)

    package init() {}

    @usableFromInline @inline(__always) package borrowing func lock() {
      guard !word.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged else { return }
      waitAndLock()
    }

    /// Takes the lock if it is free.
    @inline(__always) borrowing func tryLock() -> Bool {
      word.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged
    }

    @usableFromInline @inline(__always) package borrowing func unlock() {
      guard word.exchange(0, ordering: .releasing) == 2 else { return }
      wakeOne()
    }

    /// Tries for some hundred pauses of the processor, which is longer than a lock is held, unless its thread has lost its
    /// processor. Then sleeps.
    @inline(never) private borrowing func waitAndLock() {
      for _ in 0..<200 {
        rio_relax()
        guard word.load(ordering: .relaxed) == 0 else { continue }
        if word.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged { return }
      }
      // Taken as one that others sleep for: this thread cannot know whether they do.
      while word.exchange(2, ordering: .acquiring) != 0 { withAddress { rio_sleep_while($0, 2) } }
    }

    @inline(never) private borrowing func wakeOne() { withAddress { rio_wake_one($0) } }

    /// Atomics have an address of their own, which is the same for as long as they are shared.
    private borrowing func withAddress(_ body: (UnsafeRawPointer) -> Void) {
      withUnsafePointer(to: word) { body(UnsafeRawPointer($0)) }
    }
  }
#endif
