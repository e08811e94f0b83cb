import CRangeIOSystem
import RangeIOTestSupport
import Synchronization
import Testing

@testable import RangeIO

@Suite struct LockedTests {
  @Test func `one value that many threads change loses no change`() {
    let threads = LockingThreads(64, times: 20_000)
    threads.run()
    #expect(threads.count == 64 * 20_000)
  }

  #if os(Linux)
    /// A lock that the kernel hands from thread to thread makes nearly every locking a switch: 0.96 million of 1.28.
    @Test func `threads that compete for a lock seldom sleep for it`() {
      let threads = LockingThreads(64, times: 20_000)
      threads.run()
      #expect(threads.sleeps < 64 * 20_000 / 10)
    }
  #endif

  @Test func `threads that wait for long sleep, and each is woken`() {
    let threads = LockingThreads(8, times: 1)
    // Longer than any of them tries.
    threads.run { rio_pause_ns(20_000_000) }
    #expect(threads.count == 8)
  }

  @Test func `an error ends the lock`() {
    struct Refused: Error {}
    let value = Locked(0)
    #expect(throws: Refused.self) {
      try value.withLock {
        $0 = 1
        throw Refused()
      }
    }
    #expect(value.withLock { $0 } == 1)
  }

  @Test func `what may be left out runs only if the lock is free`() {
    let value = Locked(0)
    let first = value.withLockIfFree { $0 = 1 }
    let inside = value.withLock { _ in value.withLockIfFree { $0 = 2 } }
    #expect(first && !inside && value.withLock { $0 } == 1)
  }

  @Test func `the value is released with the lock`() {
    final class Thing: Sendable {}
    weak var thing: Thing?
    do {
      let value = Locked<Thing?>(nil)
      value.withLock {
        let made = Thing()
        thing = made
        $0 = made
      }
      #expect(thing != nil)
    }
    #expect(thing == nil)
  }

  @Test func `values of every size and alignment lie whole behind a lock`() {
    let flag = Locked(true)
    let wide = Locked(SIMD16<UInt64>(repeating: 7))
    let text = Locked((UInt8(1), "two", [3]))
    flag.withLock { $0.toggle() }
    wide.withLock { $0 &+= 1 }
    text.withLock { $0.2.append(4) }
    #expect(!flag.withLock { $0 })
    #expect(wide.withLock { $0 } == SIMD16(repeating: 8))
    #expect(text.withLock { $0.2 } == [3, 4])
  }
}

/// Threads of their own that lock one value, many times each, all at the same time.
private final class LockingThreads: Sendable {
  private let threads: Int
  private let times: Int
  private let value = Locked(0)
  private let begun = Atomic<Int>(0)
  private let ended = Atomic<Int>(0)
  private let slept = Atomic<Int>(0)

  init(_ threads: Int, times: Int) { (self.threads, self.times) = (threads, times) }

  var count: Int { value.withLock { $0 } }
  /// How often the threads gave their processor back to wait.
  var sleeps: Int { slept.load(ordering: .relaxed) }

  /// Returns when all threads have ended. `holding`: runs under the lock once all of them want it.
  func run(holding: (() -> Void)? = nil) {
    let begin = { self.start() }
    if let holding {
      value.withLock { _ in
        begin()
        while begun.load(ordering: .acquiring) < threads { rio_pause_ns(100_000) }
        holding()
      }
    } else {
      begin()
    }
    while ended.load(ordering: .acquiring) < threads { rio_pause_ns(100_000) }
  }

  private func start() {
    for _ in 0..<threads {
      let result = rio_thread_start(
        { Unmanaged<LockingThreads>.fromOpaque($0!).takeRetainedValue().work() },
        Unmanaged.passRetained(self).toOpaque(), "locking")
      precondition(result == 0, "no thread")
    }
  }

  private func work() {
    begun.add(1, ordering: .acquiringAndReleasing)
    // Spinning, so that all of them come at once.
    while times > 1, begun.load(ordering: .acquiring) < threads { rio_relax() }
    let before = sleepsOfThisThread()
    for _ in 0..<times { value.withLock { $0 += 1 } }
    slept.add(sleepsOfThisThread() - before, ordering: .relaxed)
    ended.add(1, ordering: .acquiringAndReleasing)
  }

  private func sleepsOfThisThread() -> Int {
    var usage = rusage()
    let thisThread: CInt = 1  // RUSAGE_THREAD: Linux alone
    return getrusage(thisThread, &usage) == 0 ? Int(usage.ru_nvcsw) : 0
  }
}
