import CRangeIOSystem
import Synchronization

/// A few counters that many threads add to without contention: each thread has its own stripe, or shares one with a few
/// others (``ThreadSpread``). Reading a counter adds up the stripes.
///
/// With one shared counter, each addition by two cores costs a transfer of the cache line, about as much as a look-up.
package struct Stripes: ~Copyable, @unchecked Sendable {
  // Unchecked: memory that only atomic operations touch, freed with its one owner.
  @inline(__always) private static var byteCount: Int { ThreadSpread.stride }

  /// The number of stripes less one.
  private let mask = ThreadSpread.count - 1
  private let base: UnsafeMutableRawPointer

  /// Creates sixteen counters at zero.
  package init() {
    let size = (mask + 1) * Self.byteCount
    let places = size / 8
    if let address = Self.spare.withLock({ $0.popLast() }), let memory = UnsafeMutableRawPointer(bitPattern: address) {
      base = memory
      // Atomic, as everything that is done with this memory: the thread sanitizer does not see that the last reference to
      // its owner before is gone.
      for index in 0..<places {
        (base + index * 8).assumingMemoryBound(to: Atomic<Int>.self).pointee.store(0, ordering: .relaxed)
      }
    } else {
      base = .allocate(byteCount: size, alignment: Self.byteCount)
      for index in 0..<places {
        (base + index * 8).bindMemory(to: Atomic<Int>.self, capacity: 1).initialize(to: Atomic(0))
      }
    }
  }

  deinit { Self.giveBack(base) }

  /// Adds `value` to a counter.
  ///
  /// - Parameter counter: its number, below sixteen.
  package func add(_ value: Int, to counter: Int = 0) {
    place(of: counter, in: ownStripe).pointee.wrappingAdd(value, ordering: .relaxed)
  }

  /// Adds as ``add(_:to:)`` does, ordered before every load and addition that follows on this thread.
  func addInOrder(_ value: Int, to counter: Int = 0) {
    place(of: counter, in: ownStripe).pointee.wrappingAdd(value, ordering: .sequentiallyConsistent)
  }

  /// The sum of all additions to a counter. Concurrent additions may or may not be included.
  package func sum(_ counter: Int = 0) -> Int {
    (0...mask).reduce(0) { $0 &+ place(of: counter, in: $1).pointee.load(ordering: .sequentiallyConsistent) }
  }

  /// Memory for the next stripes. Each reader has some, and ends soon: an allocator cannot fill the hole that aligned
  /// memory leaves with aligned memory again, so that what lives longer and lies between would keep four times its size.
  private static let spare = Locked<[UInt]>([])
  /// 1 MiB.
  private static let maxSpare = (1 << 20) / (ThreadSpread.count * ThreadSpread.stride)

  private static func giveBack(_ memory: UnsafeMutableRawPointer) {
    let address = UInt(bitPattern: memory)
    let isKept = spare.withLock { spare in
      guard spare.count < maxSpare else { return false }
      spare.append(address)
      return true
    }
    if !isKept { memory.deallocate() }
  }

  private var ownStripe: Int { Int(rio_thread_number()) & mask }

  @inline(__always) private func place(of counter: Int, in stripe: Int) -> UnsafeMutablePointer<Atomic<Int>> {
    assert(counter < 16)
    return (base + (stripe &* Self.byteCount &+ counter &* 8)).assumingMemoryBound(to: Atomic<Int>.self)
  }
}

extension Atomic<Int> {
  /// Adds `amount`, unless the sum would exceed `limit`. An amount of 0 always fits. Returns whether it fit.
  borrowing func take(_ amount: Int, upTo limit: Int) -> Bool {
    var before = load(ordering: .relaxed)
    while true {
      let (after, overflow) = before.addingReportingOverflow(amount)
      guard !overflow, amount == 0 || after <= limit else { return false }
      let (done, now) = weakCompareExchange(expected: before, desired: after, ordering: .relaxed)
      if done { return true }
      before = now
    }
  }
}

/// Over how many places threads are spread so that they do not meet: a power of two, at least as many as there are
/// processors, from 8 to 256. Threads have small numbers. Two that run at the same time seldom have one place.
enum ThreadSpread {
  static let count: Int = {
    let processors = min(max(Int(rio_processor_count()), 8), 256)
    return 1 << (Int.bitWidth - (processors - 1).leadingZeroBitCount)
  }()

  /// Two cache lines: processors fetch lines in pairs.
  @inline(__always) static var stride: Int { 128 }
}
