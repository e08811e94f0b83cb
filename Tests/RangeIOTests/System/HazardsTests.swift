import CRangeIOSystem
import Foundation
import Synchronization
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Objects that threads look at without a lock.
@Suite(.serialized) struct HazardsTests {
  /// A block of memory, and whether it is still there.
  private final class Watched {
    weak var object: BlockBacking?
    let owned: Unmanaged<BlockBacking>

    init() {
      let bytes = BlockBacking.claimedCopy(of: Bytes([1, 2, 3]))!
      owned = .passRetained(unsafeDowncast(bytes.owner!, to: BlockBacking.self))
      object = owned.takeUnretainedValue()
    }
  }

  /// Whether an object is released by one of the next releases. Not always by the first: another test's thread may be about to
  /// release it, or may have announced the address that it has now.
  private func isReleased(_ one: Watched) -> Bool {
    for _ in 0..<100_000 where one.object != nil {
      Hazards.release(Watched().owned)
      sched_yield()
    }
    return one.object == nil
  }

  @Test func `what is looked at is released after the last look`() throws {
    let line = try #require(Hazards.own)
    let (seen, other, last, more) = (Watched(), Watched(), Watched(), Watched())
    line.pointee.store(UInt(bitPattern: seen.owned.toOpaque()), ordering: .sequentiallyConsistent)
    Hazards.release(seen.owned)
    Hazards.release(other.owned)
    #expect(isReleased(other) && seen.object != nil)
    line.pointee.store(0, ordering: .releasing)
    Hazards.release(last.owned, [more.owned])
    #expect(isReleased(seen) && isReleased(last) && isReleased(more))
  }

  /// Does something when it ends.
  private final class AtEnd {
    let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }
    deinit { body() }
  }

  @Test func `what another has kept since a release began stays while it is looked at`() throws {
    let line = try #require(Hazards.own)
    let seen = Watched()
    // In the midst of a release, after its first look: somebody looks at another object, which a second one releases.
    func hooked() -> Unmanaged<BlockBacking> {
      let hook = AtEnd {
        line.pointee.store(UInt(bitPattern: seen.owned.toOpaque()), ordering: .sequentiallyConsistent)
        Hazards.release(seen.owned)
      }
      return .passRetained(.holding(hook, count: 1))
    }
    Hazards.release(hooked())
    #expect(seen.object != nil)
    line.pointee.store(0, ordering: .releasing)
    #expect(isReleased(seen))
  }

  private final class Numbers: Sendable {
    let all = Locked<[UInt32]>([])
  }

  /// Runs `count` threads that are there at the same time.
  private func onThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) {
    let (arrived, leave, left) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    for _ in 0..<count {
      let thread = Thread {
        body()
        arrived.signal()
        leave.wait()
        left.signal()
      }
      thread.stackSize = 1 << 19
      thread.start()
    }
    for _ in 0..<count { arrived.wait() }
    for _ in 0..<count { leave.signal() }
    for _ in 0..<count { left.wait() }
  }

  @Test func `threads have numbers of their own, which others get when they have ended`() async {
    let numbers = Numbers()
    for _ in 0..<20 {
      numbers.all.withLock { $0 = [] }
      onThreads(20) { numbers.all.withLock { $0.append(rio_thread_number()) } }
      #expect(Set(numbers.all.withLock { $0 }).count == 20)
    }
    // Not twenty times as many. Those of the last rounds may not have ended yet, and other tests have threads too.
    #expect(rio_highest_thread_number() < 256)
  }

  @Test func `more threads than there are lines look too, under the lock`() {
    let store = MemoryStore(limit: .mebibytes(1))
    let source = StoredSource(store)
    source.put(source.block(3))
    let hits = Locked(0)
    onThreads(RIO_MOST_NUMBERED + 20) { [token = source.token.number, grid = source.token.grid] in
      if store.hit(3 * 4096..<3 * 4096 + 100, token: token, grid: grid) == source.expected(3 * 4096..<3 * 4096 + 100) {
        hits.withLock { $0 += 1 }
      }
    }
    #expect(hits.withLock { $0 } == RIO_MOST_NUMBERED + 20)
    #expect(store.counts().hits == RIO_MOST_NUMBERED + 20)
  }
}
