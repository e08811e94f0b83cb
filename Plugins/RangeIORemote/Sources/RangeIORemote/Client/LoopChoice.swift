#if HTTP
  internal import NIOCore
  internal import RangeIO

  /// Chooses the event loop of each request of HTTP/1.1.
  ///
  /// A connection stays on the loop of the request that it was made for. A request on another loop has each part of its
  /// answer passed on to it from thread to thread.
  final class LoopChoice: Sendable {
    private let loops: [any EventLoop]
    private let loads: Locked<LoopLoads>

    init(_ group: any EventLoopGroup) {
      loops = Array(group.makeIterator())
      loads = Locked(LoopLoads(count: loops.count))
    }

    /// No request is under way.
    var isIdle: Bool { loads.withLock { $0.underWay.allSatisfy { $0 == 0 } } }

    /// The loop for a request. Return its number with ``leave(_:)``.
    func enter() -> (number: Int, loop: any EventLoop) {
      let number = loads.withLock { $0.enter() }
      return (number, loops[number])
    }

    /// The request has ended.
    func leave(_ number: Int) { loads.withLock { $0.leave(number) } }
  }
#endif

/// The requests under way on each event loop. A value.
struct LoopLoads: Hashable {
  private(set) var underWay: [Int]

  init(count: Int) { underWay = Array(repeating: 0, count: count) }

  /// The number of the loop that the next request takes: the first one with the fewest. While all connections are busy
  /// that is the loop on which one has just become free.
  mutating func enter() -> Int {
    var least = 0
    for number in underWay.indices where underWay[number] < underWay[least] { least = number }
    underWay[least] += 1
    return least
  }

  mutating func leave(_ number: Int) { underWay[number] -= 1 }
}
