import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite(.simulated) struct MemoryPressureSignalsTests {
  private let clock = ManualClock()
  private let system: FakeSystem
  private static let group = "/sys/fs/cgroup/app"

  init() throws {
    system = try FakeSystem(["/proc/self/mountinfo": FakeSystem.mounts, "/proc/self/cgroup": "0::/app\n"])
  }

  private func signals(every interval: Duration = .seconds(1)) -> MemoryPressureSignals {
    MemoryPressureSignals(
      PressurePolling(every: interval, MemoryPressure.Thresholds(), ReadClock(clock), system.files))
  }

  private func use(_ count: Int) throws { try system.setGroup(Self.group, max: "1000", current: count) }

  /// Collects in another task what `signals` tells.
  private func listen(to signals: MemoryPressureSignals) -> (told: Told, task: Task<Void, Never>) {
    let told = Told()
    return (told, start { for await pressure in signals { told.levels.withLock { $0.append(pressure) } } })
  }
  private final class Told: Sendable {
    let levels = Locked<[MemoryPressure]>([])
    var all: [MemoryPressure] { levels.withLock { $0 } }
  }

  /// Lets so much time pass once the listener waits for it, until it waits again.
  private func pass(_ duration: Duration) async {
    await quiet()
    #expect(clock.sleeperCount == 1)
    clock.advance(by: duration)
    await quiet()
    #expect(clock.sleeperCount == 1)
  }

  @Test func `only changes come, at the look after them`() async throws {
    try use(100)
    let (told, task) = listen(to: signals())
    await pass(.seconds(5))
    #expect(told.all == [])
    try use(900)
    await pass(.milliseconds(999))
    #expect(told.all == [])
    await pass(.milliseconds(1))
    #expect(told.all == [.warning])
    await pass(.seconds(1))
    try use(990)
    await pass(.seconds(1))
    try use(10)
    await pass(.seconds(1))
    #expect(told.all == [.warning, .critical, .normal])
    task.cancel()
    await task.value
  }

  @Test func `pressure that is there at the start comes at once`() async throws {
    try use(990)
    var iterator = signals().makeAsyncIterator()
    #expect(await iterator.next() == .critical)
    #expect(clock.sleeperCount == 0)
  }

  @Test func `a listener that comes late looks at once and not for each interval that it missed`() async throws {
    try use(990)
    var iterator = signals().makeAsyncIterator()
    #expect(await iterator.next() == .critical)
    clock.advance(by: .seconds(100))
    try use(10)
    #expect(await iterator.next() == .normal)
    #expect(clock.sleeperCount == 0)
  }

  @Test func `each iteration starts anew`() async throws {
    try use(900)
    let signals = signals()
    for _ in 0..<2 {
      var iterator = signals.makeAsyncIterator()
      #expect(await iterator.next() == .warning)
    }
  }

  @Test func `cancelling ends a listener that waits`() async throws {
    let (told, task) = listen(to: signals())
    await quiet()
    #expect(clock.sleeperCount == 1)
    task.cancel()
    await task.value
    #expect(told.all == [])
    #expect(clock.sleeperCount == 0)
  }

  @Test func `after its end an iteration stays at its end`() async throws {
    try use(900)
    let signals = signals()
    let task = start {
      var iterator = signals.makeAsyncIterator()
      withUnsafeCurrentTask { $0?.cancel() }
      let first = await iterator.next()
      return await [first, iterator.next()]
    }
    #expect(await task.value == [nil, nil])
  }

  @Test func `an interval of nothing is one of ten milliseconds`() async throws {
    let (_, task) = listen(to: signals(every: .zero))
    await quiet()
    #expect(clock.nextWake?.offset == .milliseconds(10))
    task.cancel()
    await task.value
  }

  @Test func `files that are missing end nothing, and count once they are there`() async throws {
    for path in ["/proc/self/cgroup"] { try system.remove(path) }
    let (told, task) = listen(to: signals())
    await pass(.seconds(1))
    try system.set("/proc/self/cgroup", "0::/app\n")
    try use(900)
    await pass(.seconds(1))
    #expect(told.all == [.warning])
    task.cancel()
    await task.value
  }

  @Test func `a store lets go of what it holds when memory is short`() async throws {
    let store = MemoryStore(limit: .mebibytes(16))
    StoredSource(store).put(0..<100 * 4096)
    #expect(store.counts().blocks > 0)
    let listening = store.handleMemoryPressure(from: signals())
    try use(990)
    await quiet()
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    await quiet()
    #expect(store.counts().blocks == 0)
    listening.cancel()
    await listening.value
  }

  @Test func `the signals of this very system can be asked for and cancelled`() async {
    let task = start { for await _ in MemoryPressureSignals(every: .seconds(3600)) {} }
    task.cancel()
    await task.value
  }
}
