import CRangeIOSystem
import Foundation
import Synchronization
import Testing

@testable import RangeIO

@Suite struct ThreadTalliesTests {
  private final class Tallies: Sendable {
    let sums = ThreadTallies()
  }

  /// Runs `body` on threads of its own, and waits for all of them.
  private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    let group = DispatchGroup()
    for number in 0..<count {
      group.enter()
      let thread = Thread {
        body(number)
        group.leave()
      }
      thread.start()
    }
    await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
  }

  // More threads than stripes: some share one, of which one thread owns it.
  @Test func `every event of every thread counts, with its amount`() async {
    let tallies = Tallies()
    await onThreads(20) { number in for _ in 0..<50_000 { tallies.sums.add(number) } }
    #expect(tallies.sums.sums() == (20 * 50_000, 190 * 50_000))
  }

  // As many threads as there are stripes, of which two each begin to look at one stripe.
  @Test func `threads that run at once each have a stripe of their own`() async {
    let tallies = Tallies()
    let count = ThreadSpread.count
    let all = DispatchSemaphore(value: 0)
    let arrived = Mutex(0)
    let counting = Mutex(0)
    await onThreads(2 * count) { _ in
      let isChosen = Int(rio_thread_number()) & (count - 1) < count / 2
      // None ends before the last has come: its number would be another's.
      let isLast = arrived.withLock { arrived in
        arrived += 1
        return arrived == 2 * count
      }
      if isLast { for _ in 0..<2 * count { all.signal() } }
      all.wait()
      let takesPart =
        isChosen
        && counting.withLock { counting in
          counting += 1
          return counting <= count
        }
      if takesPart { for _ in 0..<1000 { tallies.sums.add(1) } }
    }
    let threads = min(count, counting.withLock { $0 })
    #expect(threads > count / 2 && tallies.sums.sums().events == threads * 1000)
    #expect(tallies.sums.sumsOfOthers().events == 0)
  }

  @Test func `what threads have counted stays when they have ended, and others take their places`() async {
    let tallies = Tallies()
    for round in 1...10 {
      await onThreads(3) { _ in for _ in 0..<1000 { tallies.sums.add(2) } }
      #expect(tallies.sums.sums() == (round * 3000, round * 6000))
    }
  }

  @Test func `sums that overflow wrap`() {
    let tallies = Tallies()
    tallies.sums.add(.max)
    tallies.sums.add(1)
    #expect(tallies.sums.sums() == (2, .min))
  }
}
